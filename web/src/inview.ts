// The papers drawn now, as a list: the way to the papers without a pointer.

import type { Briefs } from "./briefs.ts";
import { bdi, byId, el, foldable } from "./dom.ts";
import { many } from "./format.ts";
import type { AtlasMap, Seen } from "./map.ts";

const LISTED = 30;

export class InView {
  private readonly list = byId("in-view-list", HTMLOListElement);
  private readonly count = byId("in-view-count", HTMLParagraphElement);
  private shown = "";

  constructor(
    private readonly map: AtlasMap,
    private readonly briefs: Briefs,
    private readonly choose: (n: number) => void,
  ) {
    foldable("in-view-toggle", "in-view-list", false, () => this.update());
  }

  /** List again what is drawn; a list that is the same stays; in another one the focus stays at its line. */
  update(): void {
    const seen = this.map.inView();
    this.count.textContent = seen.length > LISTED && !this.list.hidden ? `${many(seen.length, "paper")} drawn; the ${LISTED} most cited` : `${many(seen.length, "paper")} drawn`;
    const top = seen.slice(0, LISTED);
    const key = top.map(({ n }) => n).join();
    if (this.list.hidden || key === this.shown) return;
    this.shown = key;
    const held = [...this.list.children].findIndex((item) => item.contains(document.activeElement));
    this.list.replaceChildren(...top.map((paper) => el("li", {}, this.line(paper))));
    if (held >= 0) this.list.children[Math.min(held, top.length - 1)]?.querySelector("button")?.focus();
  }

  private line(paper: Seen): HTMLElement {
    const name = bdi(paper.title ?? "…");
    if (paper.title === null)
      this.briefs.get(paper.n).then(
        (brief) => (name.textContent = brief.title ?? brief.id),
        () => (name.textContent = `paper ${paper.n}`),
      );
    const light = (on: boolean) => () => this.map.light(on ? paper.n : null);
    const acts = { click: () => this.choose(paper.n), mouseenter: light(true), mouseleave: light(false), focus: light(true), blur: light(false) };
    const year = el("span", { class: "year" }, paper.year === null ? "—" : String(paper.year));
    return el("button", { type: "button", class: "line", ...acts }, year, name);
  }
}
