// The list that stands in for the map where the browser cannot draw it.

import type { Region } from "./api.ts";
import { bdi, byId, el } from "./dom.ts";
import { formatCount } from "./format.ts";

export function showWithout(regions: readonly Region[], message: string): () => void {
  const stage = byId("map", HTMLElement);
  const within = (parent: string | null, level: number): Node | null => {
    const here = regions.filter((region) => (level ? region.parent === parent : region.level === 0));
    if (!here.length || level > 2) return null;
    return el("ul", {}, ...here.map((region) => el("li", {}, link(region), el("span", { class: "count" }, ` ${formatCount(region.papers)}`), within(region.key, level + 1))));
  };
  const section = el(
    "section",
    { class: "without", "aria-label": "Regions of the map", tabindex: "0" },
    el("h2", {}, message),
    el("p", {}, "Search and the paper pages work without the map. These are its regions, with their numbers of papers; each leads to papers by its name."),
    within(null, 0),
  );
  stage.after(section);
  document.documentElement.dataset["map"] = "none";
  return () => {
    section.remove();
    delete document.documentElement.dataset["map"];
  };
}

function link(region: Region): Node {
  const words = region.name.split(" / ")[0] ?? region.name;
  return el("a", { href: `/search?${new URLSearchParams({ q: words }).toString()}` }, bdi(region.name));
}
