// The panel: a paper that is on the map, one that is not and why, or the answer to any question.

import * as api from "./api.ts";
import type { Answer, Brief, Citations, Detail, References } from "./api.ts";
import { bdi, byId, el, prose } from "./dom.ts";
import { formatAuthors, formatCount, formatDate, many, paperPath } from "./format.ts";

const ABSTRACT = 420;

export interface Acts {
  paper: (paper: Brief) => void;
  region: (key: string) => void;
  closed: () => void;
}

export class Panel {
  private readonly root = byId("panel", HTMLElement);
  private asked = new AbortController();
  private from: Element | null = null;

  constructor(private readonly acts: Acts) {
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.root.hidden && !document.querySelector("dialog[open]")) this.close();
    });
  }

  /** How much of the map it covers: pixels from the right, or from below on a phone. */
  get cover(): [number, number] {
    if (this.root.hidden) return [0, 0];
    return window.innerWidth < 720 ? [0, window.innerHeight * 0.5] : [this.root.offsetWidth, 0];
  }

  close(): void {
    if (this.root.hidden) return;
    this.asked.abort();
    this.root.hidden = true;
    this.root.replaceChildren();
    if (this.from instanceof HTMLElement && this.from.isConnected) this.from.focus({ preventScroll: true });
    this.acts.closed();
  }

  /** Show what is known at once, then what the server adds; without the store, what is known stays. */
  async showPaper(paper: Brief): Promise<void> {
    const signal = this.begin();
    this.draw(head(paper), el("p", { class: "wait" }, "Loading…"));
    const [detail, cited, citing, answer] = await Promise.allSettled([
      api.paper(paper.id, signal),
      api.references(paper.id, signal),
      api.citations(paper.id, signal),
      paper.on_map ? null : api.why(paper.id, signal),
    ]);
    if (signal.aborted) return;
    const parts: (Node | null)[] = [];
    if (detail.status === "fulfilled") parts.push(head(detail.value), facts(detail.value), this.region(paper), pageLink(paper.id));
    else parts.push(head(paper), this.region(paper), pageLink(paper.id), el("p", { class: "note" }, reason(detail.reason)));
    if (answer.status === "fulfilled" && answer.value) parts.push(this.answer(answer.value));
    if (detail.status === "fulfilled") parts.push(abstract(detail.value));
    if (cited.status === "fulfilled") parts.push(this.buildsOn(cited.value));
    if (citing.status === "fulfilled") parts.push(this.builtOnBy(citing.value));
    this.draw(...parts);
  }

  /** Show the answer to any string. */
  async showWhy(query: string): Promise<void> {
    const signal = this.begin();
    this.draw(title("Why is it not on the map?"), el("p", { class: "wait" }, "Looking…"));
    try {
      const answer = await api.why(query, signal);
      if (signal.aborted) return;
      if (answer.paper && !answer.paper.stub) return void this.showPaper(answer.paper);
      const candidates = answer.candidates.length ? [el("h3", {}, "Did you mean"), this.list(answer.candidates)] : [];
      this.draw(title(answer.paper?.title ?? answer.query), this.answer(answer), ...candidates);
    } catch (error) {
      if (!signal.aborted) this.draw(title(query), el("p", { class: "note" }, reason(error), " ", el("button", { type: "button", class: "link", click: () => void this.showWhy(query) }, "Try again")));
    }
  }

  private begin(): AbortSignal {
    this.asked.abort();
    this.asked = new AbortController();
    if (this.root.hidden) this.from = document.activeElement;
    this.root.hidden = false;
    return this.asked.signal;
  }

  private draw(...parts: (Node | null)[]): void {
    const held = this.root.contains(document.activeElement);
    const close = el("button", { type: "button", class: "close", "aria-label": "Close", click: () => this.close() }, "×");
    this.root.replaceChildren(close, ...parts.filter((part) => part !== null));
    this.root.scrollTop = 0;
    if (!held || document.activeElement === document.body) this.root.focus({ preventScroll: true });
  }

  private region(paper: Brief): Node | null {
    const { region } = paper;
    if (!region) return null;
    return el("p", { class: "where" }, "In ", el("button", { type: "button", class: "link", click: () => this.acts.region(region.key) }, bdi(region.name)));
  }

  private answer(answer: Answer): Node {
    const box = el("div", { class: "why", "data-testid": "why" });
    box.append(el("h3", {}, answer.on_map ? "On the map" : `Not on the map: ${answer.reasons[0]?.title.toLowerCase() ?? "no reason is known"}`));
    for (const [place, one] of answer.reasons.entries()) {
      if (place) box.append(el("h4", {}, one.title));
      box.append(el("p", {}, ...prose(one.text)));
      if (one.enough) box.append(el("p", { class: "enough" }, el("b", {}, "Enough would be: "), ...prose(one.enough)));
      for (const [who, steps] of [["You can", one.reader], ["The operator can", one.operator]] as const)
        if (steps.length && !place) box.append(el("h4", {}, who), el("ul", {}, ...steps.map((step) => el("li", {}, ...prose(step)))));
    }
    const { hint } = answer;
    if (hint)
      box.append(
        el("p", { class: "hint" }, `${formatCount(hint.count)} of its ${formatCount(hint.total)} ${hint.from} on the map are in `, el("button", { type: "button", class: "link", click: () => this.acts.region(hint.region) }, bdi(hint.name)), ". That is no position of its own."),
      );
    if (answer.passed.length) box.append(el("h4", {}, "Tests that it passes"), el("ul", { class: "passed" }, ...answer.passed.map((test) => el("li", {}, test.text))));
    for (const note of answer.notes) box.append(el("p", { class: "note" }, note));
    return box;
  }

  private buildsOn(found: References): Node {
    const { state, counts, total, items } = found;
    const section = el("section", {}, el("h3", {}, "Builds on"));
    if (state === "unknown") section.append(el("p", { class: "none" }, "No reference list yet."));
    else if (!total) section.append(el("p", { class: "none" }, counts.parsed ? "None of its references has an identifier." : "Its reference list is empty."));
    else section.append(el("p", { class: "count" }, `${many(total, "reference")}, ${formatCount(counts.in_corpus ?? 0)} in this corpus`), this.list(items));
    return section;
  }

  private builtOnBy({ total, items }: Citations): Node {
    const section = el("section", {}, el("h3", {}, "Built on by"));
    if (total) section.append(el("p", { class: "count" }, many(total, "paper")), this.list(items));
    else section.append(el("p", { class: "none" }, "No paper of this corpus cites it."));
    return section;
  }

  private list(papers: readonly Brief[]): Node {
    return el("ol", { class: "papers" }, ...papers.map((paper) => el("li", {}, this.line(paper))));
  }

  private line(paper: Brief): Node {
    const year = el("span", { class: "year" }, paper.year === null ? "—" : String(paper.year));
    const name = paper.title ?? paper.id;
    if (paper.stub) return el("span", { class: "line stub" }, year, bdi(name), el("span", { class: "off" }, "no record"));
    const off = paper.on_map ? null : el("span", { class: "off", title: paper.reason ?? "" }, "not on the map");
    return el("button", { type: "button", class: "line", click: () => this.acts.paper(paper) }, year, bdi(name), off);
  }
}

function title(text: string): HTMLElement {
  return el("h2", { "data-testid": "panel-title" }, bdi(text));
}

function head(paper: Brief | Detail): Node {
  const names = paper.authors.map((author) => (typeof author === "string" ? author : author.name)).slice(0, 5);
  const box = el("header", {}, title(paper.title ?? paper.id));
  if (names.length) box.append(el("p", { class: "authors" }, bdi(formatAuthors(names, paper.authors_total))));
  for (const mark of paper.marks) box.append(el("span", { class: `mark ${mark}` }, mark === "retracted" ? "Retracted" : "Placed on weak evidence"));
  return box;
}

function facts(paper: Detail): Node {
  const parts: (Node | string)[] = [formatDate(paper.date)];
  if (paper.venue) parts.push(bdi(paper.venue));
  parts.push(`cited by ${formatCount(paper.citations)} in this corpus`);
  const line = el("p", { class: "facts" });
  for (const [place, part] of parts.entries()) line.append(place ? " · " : "", part);
  const areas = paper.areas.slice(0, 4).map((area) => el("span", { class: "area" }, bdi(area)));
  return el("div", {}, line, areas.length ? el("p", { class: "areas" }, ...areas) : null);
}

function abstract(paper: Detail): Node | null {
  if (!paper.abstract) return el("p", { class: "none" }, paper.abstract === "" ? "It has no abstract." : "No abstract has been obtained yet.");
  const text = paper.abstract;
  const short = text.length > ABSTRACT ? `${text.slice(0, text.lastIndexOf(" ", ABSTRACT))}…` : text;
  const body = bdi(short);
  const section = el("section", {}, el("h3", {}, "Abstract"), el("p", { class: "abstract" }, body));
  if (short !== text) {
    const more = el("button", { type: "button", class: "link", click: () => (body.replaceChildren(text), more.remove()) }, "Show all");
    section.append(more);
  }
  return section;
}

function pageLink(id: string): Node {
  return el("p", {}, el("a", { class: "open", href: paperPath(id), "data-testid": "open-page" }, "Open paper page"));
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : "The server gave no answer.";
}
