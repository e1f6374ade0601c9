// Search as you type: a combobox after the ARIA Authoring Practices. What is not on the map is found too, and marked.

import * as api from "./api.ts";
import type { Brief } from "./api.ts";
import { bdi, byId, el } from "./dom.ts";
import { formatAuthors, many } from "./format.ts";

const PAUSE = 140;

export interface Choices {
  paper: (paper: Brief) => void;
  why: (query: string) => void;
}

export function startSearch(choices: Choices): void {
  const input = byId("search", HTMLInputElement);
  const list = byId("results", HTMLUListElement);
  const status = byId("search-status", HTMLParagraphElement);
  let acts: (() => void)[] = [];
  let active = -1;
  let asked: AbortController | null = null;
  let timer = 0;

  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (index: number) => {
    close();
    acts[index]?.();
  };
  const activate = (index: number) => {
    const options = list.children;
    active = options.length ? (index + options.length) % options.length : -1;
    for (const [place, option] of [...options].entries()) option.setAttribute("aria-selected", String(place === active));
    if (active >= 0) {
      input.setAttribute("aria-activedescendant", `option-${active}`);
      options[active]?.scrollIntoView({ block: "nearest" });
    }
  };
  const show = (query: string, papers: Brief[]) => {
    const why = el("span", { class: "ask" }, papers.length ? `Not found? Why is it not on the map: “${query}”` : `Nothing found. Why is it not on the map?`);
    const rows: [Node, () => void][] = papers.map((paper) => [row(paper), () => choices.paper(paper)]);
    rows.push([why, () => choices.why(query)]);
    acts = rows.map(([, act]) => act);
    list.replaceChildren(
      ...rows.map(([content], index) =>
        el("li", { id: `option-${index}`, role: "option", "aria-selected": "false", mousedown: (event) => event.preventDefault(), click: () => choose(index) }, content),
      ),
    );
    list.hidden = false;
    active = -1;
    input.setAttribute("aria-expanded", "true");
    input.removeAttribute("aria-activedescendant");
    status.textContent = papers.length ? `${many(papers.length, "paper")} found` : "Nothing found; you can ask why it is not on the map";
  };
  const ask = async () => {
    const query = input.value.trim();
    asked?.abort();
    if (!query) return close();
    asked = new AbortController();
    const { signal } = asked;
    try {
      const found = await api.search(query, signal);
      if (!signal.aborted) show(query, found.results);
    } catch (error) {
      if (signal.aborted) return;
      acts = [() => void ask()];
      list.replaceChildren(el("li", { id: "option-0", role: "option", "aria-selected": "false", click: () => void ask() }, `${error instanceof Error ? error.message : "Search failed."} Try again`));
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
    }
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask(), PAUSE);
  });
  input.addEventListener("focus", () => {
    if (input.value.trim() && list.hidden && list.children.length) {
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
    }
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) void ask();
      else activate(active + (event.key === "ArrowDown" ? 1 : active < 0 ? 0 : -1));
    } else if (event.key === "Enter" && !list.hidden) {
      event.preventDefault();
      choose(Math.max(active, 0));
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (list.hidden) input.value = "";
      close();
    }
  });
}

function row(paper: Brief): Node {
  const facts = [paper.year === null ? "year unknown" : String(paper.year), formatAuthors(paper.authors, paper.authors_total), `cited by ${paper.citations}`];
  return el(
    "span",
    { class: "hit" },
    el("span", { class: "title" }, bdi(paper.title ?? paper.id)),
    el("span", { class: "facts" }, bdi(facts.filter(Boolean).join(" · ")), paper.on_map ? null : el("span", { class: "off" }, "not on the map")),
  );
}
