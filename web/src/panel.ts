// The panel: a paper that is on the map, one that is not and why, or the answer to any question.

import * as api from "./api.ts";
import type { Brief, Citations, Detail, Region, References } from "./api.ts";
import { pathOf } from "./colours.ts";
import { bdi, byId, el } from "./dom.ts";
import { beginning, formatAuthors, formatCount, formatDate, many, paperPath } from "./format.ts";
import { sentence } from "./notice.ts";
import { answerBox } from "./why.ts";

const ABSTRACT = 420;
const LISTED = 8;
const NARROW = 720;
const AREAS = 4;
const AUTHORS = 5;

export interface Acts {
  paper: (paper: Brief) => void;
  /** What the paper builds on, and what builds on it, is known. */
  linked: (paper: Brief, cited: Brief[], citing: Brief[]) => void;
  region: (key: string) => void;
  why: (query: string) => void;
  closed: () => void;
}

export class Panel {
  private readonly root = byId("panel", HTMLElement);
  private asked = new AbortController();
  private from: Element | null = null;

  constructor(
    private readonly regions: readonly Region[],
    private readonly acts: Acts,
  ) {
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) this.close();
    });
  }

  /** How much of the map it covers: pixels from the right, or from below on a phone. */
  get cover(): [number, number] {
    if (this.root.hidden) return [0, 0];
    return window.innerWidth < NARROW ? [0, (this.root.parentElement?.clientHeight ?? 0) * 0.56] : [this.root.offsetWidth, 0];
  }

  close(): void {
    if (this.root.hidden) return;
    this.asked.abort();
    this.root.hidden = true;
    this.root.replaceChildren();
    const back = this.from?.isConnected && this.from !== document.body ? this.from : document.querySelector("#map canvas");
    if (back instanceof HTMLElement) back.focus({ preventScroll: true });
    this.acts.closed();
  }

  /** Show what is known at once, then what the server adds; without the store, what is known stays. */
  async showPaper(paper: Brief): Promise<void> {
    const signal = this.begin();
    this.draw(head(paper), this.where(paper), pageLink(paper.id), el("p", { class: "wait", role: "status" }, "Loading…"));
    const [detail, cited, citing, answer] = await Promise.allSettled([
      api.paper(paper.id, signal),
      api.references(paper.id, signal),
      api.citations(paper.id, signal),
      paper.on_map ? null : api.why(paper.id, signal),
    ]);
    if (signal.aborted) return;
    const known = detail.status === "fulfilled" ? detail.value : null;
    const parts: (Node | null)[] = [head(known ?? paper), facts(known ?? paper), this.where(paper), pageLink(paper.id, known?.links)];
    const again = () => void this.showPaper(paper);
    if (detail.status === "rejected") parts.push(this.failed(detail.reason, again, "Its authors, its abstract, what it builds on and what builds on it cannot be shown now."));
    if (answer.status === "fulfilled" && answer.value) parts.push(answerBox(answer.value, this.acts.region, known ? again : undefined));
    else if (answer.status === "rejected" && known) parts.push(this.failed(answer.reason, again, "Why it is not on the map cannot be said now."));
    if (known) parts.push(abstract(known));
    if (cited.status === "fulfilled") parts.push(this.buildsOn(paper, cited.value));
    else if (known) parts.push(this.failed(cited.reason, again, "What it builds on cannot be shown now."));
    if (citing.status === "fulfilled") parts.push(this.builtOnBy(paper, citing.value));
    else if (known) parts.push(this.failed(citing.reason, again, "What builds on it cannot be shown now."));
    this.draw(...parts);
    this.acts.linked(paper, cited.status === "fulfilled" ? cited.value.items : [], citing.status === "fulfilled" ? citing.value.items : []);
  }

  /** Show the answer to any string. */
  async showWhy(query: string): Promise<void> {
    const signal = this.begin();
    this.draw(title("Why is it not on the map?"), el("p", { class: "wait", role: "status" }, "Looking…"));
    try {
      const answer = await api.why(query, signal);
      if (signal.aborted) return;
      if (answer.paper && !answer.paper.stub) return this.acts.paper(answer.paper);
      const page = el("a", { href: `/why?${new URLSearchParams({ q: query }).toString()}` }, "Open as a page");
      const candidates = answer.candidates.length ? el("section", {}, el("h3", {}, "Did you mean"), this.list(answer.candidates)) : null;
      this.draw(title(answer.paper?.title ?? answer.query), answerBox(answer, this.acts.region, () => void this.showWhy(query)), candidates, el("p", { class: "links" }, page));
    } catch (error) {
      if (!signal.aborted) this.draw(title(query), this.failed(error, () => void this.showWhy(query)));
    }
  }

  private begin(): AbortSignal {
    this.asked.abort();
    this.asked = new AbortController();
    if (this.root.hidden) this.from = document.activeElement;
    this.root.hidden = false;
    this.root.focus({ preventScroll: true });
    return this.asked.signal;
  }

  private draw(...parts: (Node | null)[]): void {
    const held = this.root.contains(document.activeElement);
    const close = el("button", { type: "button", class: "close", "aria-label": "Close", title: "Close (Escape)", click: () => this.close() }, "×");
    this.root.replaceChildren(close, ...parts.filter((part) => part !== null));
    this.root.scrollTop = 0;
    if (held) this.root.focus({ preventScroll: true });
  }

  /** `missing`: what is not shown because the database did not answer; any other failure has its own words. */
  private failed(error: unknown, again: () => void, missing = ""): Node {
    const away = missing && error instanceof api.Refused && error.status === 503;
    return el("p", { class: "note" }, away ? `The database does not answer. ${missing}` : sentence(error), " ", el("button", { type: "button", class: "link", click: again }, "Try again"));
  }

  /** The regions it lies in, coarsest first. */
  private where(paper: Brief): Node | null {
    const { region } = paper;
    if (!region) return null;
    const path = pathOf(region.key, this.regions);
    const steps = (path.length ? path : [region]).map(({ key, name }) => el("button", { type: "button", class: "link", click: () => this.acts.region(key) }, bdi(name)));
    return el("nav", { class: "where", "aria-label": "Regions it lies in" }, ...steps.flatMap((step, index) => (index ? [" › ", step] : [step])));
  }

  private buildsOn(paper: Brief, { state, counts, total, items }: References): Node {
    const section = el("section", { class: "cited" }, el("h3", {}, "Builds on"));
    if (state === "unknown") section.append(el("p", { class: "none" }, "No reference list has been obtained yet."));
    else if (!total) section.append(el("p", { class: "none" }, counts.parsed ? "None of its references has an identifier." : "Its reference list is empty."));
    else section.append(el("p", { class: "count" }, `${many(total, "reference")}, ${formatCount(counts.in_corpus ?? 0)} in this corpus`), this.list(recordsFirst(items)), ...more(paper, total));
    return section;
  }

  private builtOnBy(paper: Brief, { total, items }: Citations): Node {
    const section = el("section", { class: "citing" }, el("h3", {}, "Built on by"));
    if (total) section.append(el("p", { class: "count" }, `${many(total, "paper")} of this corpus`), this.list(items), ...more(paper, total));
    else section.append(el("p", { class: "none" }, "No paper of this corpus cites it."));
    return section;
  }

  private list(papers: readonly Brief[]): Node {
    return el("ol", { class: "papers" }, ...papers.slice(0, LISTED).map((paper) => el("li", {}, this.line(paper))));
  }

  private line(paper: Brief): Node {
    const year = el("span", { class: "year" }, paper.year === null ? "—" : String(paper.year));
    const act = paper.stub ? () => this.acts.why(paper.id) : () => this.acts.paper(paper);
    const off = paper.on_map ? null : el("span", { class: "off" }, paper.stub ? "no record" : "not on the map");
    return el("button", { type: "button", class: paper.stub ? "line stub" : "line", click: act }, year, bdi(paper.title ?? paper.id), off);
  }
}

function title(text: string): HTMLElement {
  return el("h2", { "data-testid": "panel-title" }, bdi(text));
}

function head(paper: Brief | Detail): Node {
  const names = paper.authors.map((author) => (typeof author === "string" ? author : author.name)).slice(0, AUTHORS);
  const box = el("header", {}, title(paper.title ?? paper.id));
  if (names.length) box.append(el("p", { class: "authors" }, bdi(formatAuthors(names, paper.authors_total))));
  for (const mark of paper.marks) box.append(el("span", { class: "mark" }, mark === "retracted" ? "Retracted" : "Placed on weak evidence"));
  return box;
}

function facts(paper: Brief | Detail): Node {
  const parts: Node[] = [el("span", {}, formatDate(paper.date ?? paper.year?.toString() ?? null))];
  if ("venue" in paper && paper.venue) parts.push(el("i", {}, bdi(paper.venue)));
  parts.push(el("span", {}, `cited by ${formatCount(paper.citations)} in this corpus`));
  const areas = paper.areas.slice(0, AREAS).map((area) => el("span", { class: "area" }, bdi(area)));
  return el("div", {}, el("p", { class: "facts" }, ...parts.flatMap((part, index) => (index ? [" · ", part] : [part]))), areas.length ? el("p", { class: "areas" }, ...areas) : null);
}

function abstract(paper: Detail): Node {
  if (!paper.abstract) return el("p", { class: "none" }, paper.abstract === "" ? "It has no abstract." : "No abstract has been obtained yet.");
  const text = paper.abstract;
  const short = beginning(text, ABSTRACT);
  const body = el("bdi", { dir: "auto", tabindex: "-1" }, short);
  const section = el("section", {}, el("h3", {}, "Abstract"), el("p", { class: "abstract" }, body));
  const all = (button: HTMLElement) => {
    body.replaceChildren(text);
    button.remove();
    body.focus();
  };
  if (short !== text) {
    const button = el("button", { type: "button", class: "link", click: () => all(button) }, "Whole abstract");
    section.append(button);
  }
  return section;
}

function pageLink(id: string, links: readonly { label: string; url: string }[] = []): Node {
  const out = links.filter(({ url }) => /^https?:/.test(url)).map(({ label, url }) => el("a", { href: url, rel: "noreferrer" }, bdi(label.split(" ")[0] ?? label)));
  return el("p", { class: "links" }, el("a", { class: "open", href: paperPath(id), "data-testid": "open-page" }, "Open paper page"), ...out);
}

/** Works that have a record before those that are only cited; otherwise in the order of the server. */
function recordsFirst(papers: readonly Brief[]): Brief[] {
  return [...papers.filter(({ stub }) => !stub), ...papers.filter(({ stub }) => stub)];
}

function more(paper: Brief, total: number): Node[] {
  return total > LISTED ? [el("p", { class: "more" }, el("a", { href: paperPath(paper.id) }, `All ${formatCount(total)} on the paper page`))] : [];
}
