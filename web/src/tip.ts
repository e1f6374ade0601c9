// The title beside the pointer. It repeats what the list of papers in view says, so it is hidden from screen readers.

import type { Briefs } from "./briefs.ts";
import { bdi, byId, el } from "./dom.ts";
import { many } from "./format.ts";
import type { AtlasMap, Seen } from "./map.ts";

const PAUSE = 120;
const GAP = 14;

export function startTip(map: AtlasMap, briefs: Briefs): void {
  if (!window.matchMedia("(hover: hover)").matches) return;
  const tip = el("div", { class: "tip", "aria-hidden": "true", hidden: true });
  byId("map", HTMLElement).append(tip);
  let timer = 0;
  map.map.on("movestart", () => {
    clearTimeout(timer);
    tip.hidden = true;
  });
  map.onHover((paper, at) => {
    clearTimeout(timer);
    tip.hidden = true;
    if (!paper) return;
    const show = (title: string) => {
      tip.replaceChildren(el("b", {}, bdi(title)), el("span", {}, facts(paper)));
      tip.hidden = false;
      const left = at.x + GAP + tip.offsetWidth > window.innerWidth ? at.x - GAP - tip.offsetWidth : at.x + GAP;
      tip.style.translate = `${Math.max(4, left)}px ${Math.max(4, at.y - tip.offsetHeight / 2)}px`;
    };
    if (paper.title !== null) return show(paper.title);
    timer = window.setTimeout(async () => {
      const brief = await briefs.get(paper.n).catch(() => null);
      if (brief && map.hovered === paper.n) show(brief.title ?? brief.id);
    }, PAUSE);
  });
}

function facts(paper: Seen): string {
  const year = paper.year === null ? "year unknown" : String(paper.year);
  return `${year} · cited by ${many(paper.citations, "paper")}`;
}
