// How much of the corpus is on the map, to what date, and why the rest is not: the numbers add up.

import type { Atlas } from "./api.ts";
import { byId, el } from "./dom.ts";
import { formatCount, formatDate, many, wordsOf } from "./format.ts";

export function showCoverage(atlas: Atlas): void {
  byId("data-date", HTMLElement).textContent = atlas.data_date ? `Data to ${formatDate(atlas.data_date)}` : "Data date unknown";
  const button = byId("coverage", HTMLButtonElement);
  const dialog = byId("coverage-dialog", HTMLDialogElement);
  button.textContent = `${formatCount(atlas.placed)} of ${many(atlas.papers, "paper")} on the map`;
  button.addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  const reasons = Object.entries(atlas.unplaced).sort(([, one], [, other]) => other - one);
  dialog.replaceChildren(
    el("h2", { id: "coverage-title" }, "What is on the map"),
    el(
      "table",
      {},
      el("tbody", {}, row("On the map", atlas.placed, "placed"), ...reasons.map(([code, count]) => row(wordsOf(code), count)), row("Papers of this corpus", atlas.papers, "sum")),
    ),
    el("p", {}, atlas.placed < atlas.papers ? "Each paper that is not on the map has a reason. Search for it to read its own." : "Every paper of this corpus is on the map."),
    el("button", { type: "button", class: "button", click: () => dialog.close() }, "Close"),
  );
}

function row(label: string, count: number, kind = "absent"): HTMLElement {
  return el("tr", { class: kind }, el("th", { scope: "row" }, kind === "absent" ? `Not on it: ${label}` : label), el("td", {}, formatCount(count)));
}
