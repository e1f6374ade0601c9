// Search as you type: a combobox after the ARIA Authoring Practices. What is not on the map is found too, and marked.

import * as api from "./api.ts";
import type { Brief, Hits } from "./api.ts";
import { bdi, byId, el } from "./dom.ts";
import { beginning, formatAuthors, formatWait, many } from "./format.ts";
import { sentence } from "./notice.ts";

const PAUSE = 140;
const QUOTED = 60;

export interface Choices {
  paper: (paper: Brief) => void;
  why: (query: string) => void;
}

interface Option {
  content: Node;
  act: () => void;
}

export function startSearch(choices: Choices): void {
  new Search(choices);
}

class Search {
  private readonly input = byId("search", HTMLInputElement);
  private readonly box = byId("results-box", HTMLDivElement);
  private readonly note = byId("results-note", HTMLParagraphElement);
  private readonly list = byId("results", HTMLUListElement);
  private readonly status = byId("search-status", HTMLParagraphElement);
  private options: Option[] = [];
  private active = -1;
  private asked = new AbortController();
  private timer = 0;
  /** What the list answers; another text in the field has no answer yet. */
  private answered: string | null = null;

  constructor(private readonly choices: Choices) {
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.ask(), PAUSE);
    });
    this.input.addEventListener("focus", () => {
      if (this.options.length && this.query === this.answered) this.open();
    });
    this.input.addEventListener("blur", () => this.close());
    this.box.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    this.input.addEventListener("keydown", (event) => this.key(event));
  }

  private get query(): string {
    return this.input.value.trim();
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.box.hidden) void this.ask();
      else this.activate(event.key === "ArrowDown" ? this.active + 1 : this.active < 0 ? -1 : this.active - 1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      void this.enter();
    } else if (event.key === "Escape" && (!this.box.hidden || this.input.value)) {
      event.preventDefault();
      if (this.box.hidden) this.input.value = "";
      this.close();
    }
  }

  /** Take the active entry, or the first; never one of an earlier text. */
  private async enter(): Promise<void> {
    const fresh = this.query === this.answered && !this.box.hidden;
    if (fresh || (await this.ask())) this.choose(Math.max(this.active, 0));
  }

  /** Whether the text in the field was answered, and no other was typed in the meantime. */
  private async ask(): Promise<boolean> {
    const query = this.query;
    clearTimeout(this.timer);
    this.asked.abort();
    if (!query) {
      this.close();
      return false;
    }
    const { signal } = (this.asked = new AbortController());
    try {
      const found = await api.search(query, signal);
      if (signal.aborted || document.activeElement !== this.input) return false;
      this.show(query, found);
      return true;
    } catch (error) {
      if (!signal.aborted) this.offer("", [{ content: el("span", { class: "ask" }, `${sentence(error)} Try again`), act: () => void this.ask() }]);
      return false;
    }
  }

  private show(query: string, { results: papers, store, retry }: Hits): void {
    const partly = store === "ok" ? "" : `The database does not answer: only titles on the map were searched. Try again ${formatWait(retry)}.`;
    const found = papers.length ? `${many(papers.length, "paper")} found` : partly ? "No title on the map has these words" : "Nothing found";
    const why = papers.length ? `Not the one? Why is it not on the map: “${beginning(query, QUOTED)}”` : `${found}. Why is it not on the map?`;
    const line = (text: string) => el("span", { class: "ask" }, text);
    this.offer(partly, [
      ...papers.map((paper) => ({ content: row(paper), act: () => this.choices.paper(paper) })),
      { content: line(why), act: () => this.choices.why(query) },
      ...(partly ? [{ content: line("Search the whole corpus again"), act: () => void this.ask() }] : []),
    ]);
    this.status.textContent = partly ? `${found}. ${partly}` : found;
    this.answered = query;
  }

  /** `note`: a line above the list, of what it does not hold. */
  private offer(note: string, options: Option[]): void {
    this.options = options;
    this.answered = null;
    this.note.textContent = note;
    this.note.hidden = !note;
    this.list.replaceChildren(
      ...options.map(({ content }, index) => {
        return el("li", { id: `option-${index}`, role: "option", "aria-selected": "false", click: () => this.choose(index) }, content);
      }),
    );
    this.box.scrollTop = 0;
    this.open();
  }

  private open(): void {
    this.box.hidden = false;
    this.active = -1;
    for (const option of this.list.children) option.setAttribute("aria-selected", "false");
    this.input.setAttribute("aria-expanded", "true");
    this.input.removeAttribute("aria-activedescendant");
  }

  private close(): void {
    this.box.hidden = true;
    this.active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  private choose(index: number): void {
    this.close();
    this.options[index]?.act();
  }

  private activate(index: number): void {
    const { children } = this.list;
    this.active = children.length ? (index + children.length) % children.length : -1;
    for (const [place, option] of [...children].entries()) option.setAttribute("aria-selected", String(place === this.active));
    this.input.setAttribute("aria-activedescendant", `option-${this.active}`);
    children[this.active]?.scrollIntoView({ block: "nearest" });
  }
}

function row(paper: Brief): Node {
  const year = paper.year === null ? "year unknown" : String(paper.year);
  const facts = [year, formatAuthors(paper.authors, paper.authors_total), `cited by ${paper.citations}`].filter(Boolean).join(" · ");
  const off = paper.on_map ? null : el("span", { class: "off" }, paper.stub ? "no record, not on the map" : "not on the map");
  return el("span", { class: "hit" }, el("span", { class: "title" }, bdi(paper.title ?? paper.id)), el("span", { class: "facts" }, bdi(facts), off));
}
