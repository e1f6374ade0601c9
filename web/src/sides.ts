// What stands beside the map: the legend, the list of papers in view, the count of what is not on the map.

import * as api from "./api.ts";
import type { Atlas, Brief, Region } from "./api.ts";
import { bdi, byId, el } from "./dom.ts";
import { formatCount, formatDate, many } from "./format.ts";
import type { AtlasMap, Seen } from "./map.ts";
import { coloursOf } from "./colours.ts";
import { onSchemeChange } from "./palette.ts";

const LISTED = 30;

/** A heading that folds what stands below it. */
function foldable(toggle: string, list: string): void {
  const button = byId(toggle, HTMLButtonElement);
  const body = byId(list, HTMLElement);
  const set = (open: boolean) => {
    button.setAttribute("aria-expanded", String(open));
    body.hidden = !open;
  };
  button.addEventListener("click", () => set(body.hidden));
  set(!body.hidden && window.innerWidth >= 720);
}

export function showFacts(atlas: Atlas): void {
  byId("data-date", HTMLElement).textContent = atlas.data_date ? `Data to ${formatDate(atlas.data_date)}` : "Data date unknown";
  const button = byId("coverage", HTMLButtonElement);
  const dialog = byId("coverage-dialog", HTMLDialogElement);
  button.textContent = `${formatCount(atlas.placed)} of ${many(atlas.papers, "paper")} on the map`;
  button.addEventListener("click", () => {
    const rows = Object.entries(atlas.unplaced).sort(([, one], [, other]) => other - one);
    dialog.replaceChildren(
      el("h2", { id: "coverage-title" }, "What is on the map"),
      el(
        "table",
        {},
        el("tbody", {}, row("On the map", atlas.placed), ...rows.map(([code, count]) => row(`Not on the map: ${code.replaceAll("_", " ")}`, count)), row("Papers of this corpus", atlas.papers, "sum")),
      ),
      el("p", {}, "Search for any paper to see why it is, or is not, on the map."),
      el("button", { type: "button", class: "button", click: () => dialog.close() }, "Close"),
    );
    dialog.showModal();
  });
}

function row(label: string, count: number, kind = ""): HTMLElement {
  return el("tr", { class: kind }, el("th", { scope: "row" }, label), el("td", {}, formatCount(count)));
}

export function showLegend(atlas: Atlas, regions: readonly Region[]): void {
  const draw = () => {
    const { heading, entries } = coloursOf(atlas.areas, regions);
    byId("legend-toggle", HTMLButtonElement).textContent = heading;
    byId("legend-list", HTMLUListElement).replaceChildren(
      ...entries.map(({ name, colour }) => {
        const dot = el("span", { class: "dot", "aria-hidden": "true" });
        dot.style.backgroundColor = colour;
        return el("li", {}, dot, bdi(name));
      }),
    );
  };
  draw();
  onSchemeChange(draw);
  foldable("legend-toggle", "legend-list");
}

export class InView {
  private readonly list = byId("in-view-list", HTMLOListElement);
  private readonly count = byId("in-view-count", HTMLParagraphElement);
  private titles = new Map<number, Promise<Brief>>();

  constructor(
    private readonly map: AtlasMap,
    private readonly build: string,
    private readonly choose: (n: number) => void,
  ) {
    foldable("in-view-toggle", "in-view-list");
    this.list.hidden = true;
    byId("in-view-toggle", HTMLButtonElement).setAttribute("aria-expanded", "false");
    byId("in-view-toggle", HTMLButtonElement).addEventListener("click", () => this.update());
  }

  update(): void {
    const seen = this.map.inView();
    this.count.textContent = `${many(seen.length, "paper")} drawn`;
    if (!this.list.hidden) this.list.replaceChildren(...seen.slice(0, LISTED).map((paper) => el("li", {}, this.line(paper))));
  }

  private line(paper: Seen): HTMLElement {
    const name = bdi(paper.title ?? "…");
    if (paper.title === null)
      this.title(paper.n).then(
        (brief) => (name.textContent = brief.title ?? brief.id),
        () => (name.textContent = `paper ${paper.n}`),
      );
    const hover = (on: boolean) => () => this.map.hoverNumber(on ? paper.n : null);
    return el("button", { type: "button", class: "line", click: () => this.choose(paper.n), mouseenter: hover(true), mouseleave: hover(false), focus: hover(true), blur: hover(false) }, el("span", { class: "year" }, paper.year === null ? "—" : String(paper.year)), name);
  }

  private title(n: number): Promise<Brief> {
    const known = this.titles.get(n) ?? api.paperOfBuild(this.build, n);
    this.titles.set(n, known);
    return known;
  }
}

/** Where WebGL is missing: the regions as a list, and the search. */
export function showWithoutMap(regions: readonly Region[], message: string): void {
  const tops = regions.filter((region) => region.level === 0);
  byId("map", HTMLElement).replaceChildren(
    el(
      "div",
      { class: "without" },
      el("h2", {}, message),
      el("p", {}, "Search and paper pages work without the map. Its regions:"),
      el("ul", {}, ...tops.map((top) => el("li", {}, bdi(top.name), ` (${formatCount(top.papers)})`, el("ul", {}, ...regions.filter((region) => region.parent === top.key).map((region) => el("li", {}, bdi(region.name), ` (${formatCount(region.papers)})`)))))),
    ),
  );
}
