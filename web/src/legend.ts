// What the colours mean. An entry that is pressed makes its papers stand out.

import type { Atlas, Region } from "./api.ts";
import { coloursOf } from "./colours.ts";
import { bdi, byId, el, foldable } from "./dom.ts";
import { onSchemeChange } from "./palette.ts";

const WIDE = 720;

export function showLegend(atlas: Atlas, regions: readonly Region[], only: (entry: number | null) => void): void {
  let pressed: number | null = null;
  const list = byId("legend-list", HTMLUListElement);
  const press = (index: number) => {
    pressed = pressed === index ? null : index;
    for (const [place, button] of [...list.querySelectorAll("button")].entries()) button.setAttribute("aria-pressed", String(place === pressed));
    only(pressed);
  };
  const draw = () => {
    const { heading, entries } = coloursOf(atlas.areas, regions);
    byId("legend-toggle", HTMLButtonElement).textContent = heading;
    list.replaceChildren(
      ...entries.map(({ name, colour }, index) => {
        const dot = el("span", { class: "dot", "aria-hidden": "true" });
        dot.style.backgroundColor = colour;
        return el("li", {}, el("button", { type: "button", class: "entry", "aria-pressed": String(index === pressed), click: () => press(index) }, dot, bdi(name)));
      }),
    );
  };
  draw();
  onSchemeChange(draw);
  foldable("legend-toggle", "legend-list", window.innerWidth >= WIDE);
}
