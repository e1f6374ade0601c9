// The answer to "why is it not on the map": the reason that binds, those that also stand in the way, what passes, and a hint.

import type { Answer, Reason } from "./api.ts";
import { bdi, el, prose } from "./dom.ts";
import { formatCount } from "./format.ts";

/** What the answer comes to. Without a reason the server could not look: then nothing is claimed, not even that it is absent. */
export function headline({ on_map, reasons: [binding] }: Pick<Answer, "on_map" | "reasons">): string {
  if (on_map) return "On the map";
  return binding ? `Not on the map: ${lower(binding.title)}` : "It cannot be looked up now";
}

/** `again` asks anew; it is offered where the database did not answer. */
export function answerBox(answer: Answer, goTo: (region: string) => void, again?: () => void): Node {
  const [binding, ...others] = answer.reasons;
  const box = el("section", { class: "why", "data-testid": "why" });
  box.append(el("h3", {}, headline(answer)));
  if (binding) box.append(...explained(binding));
  if (others.length) box.append(el("h4", {}, "Also in the way"), el("ul", {}, ...others.map((one) => el("li", {}, el("b", {}, `${one.title}. `), ...prose(one.text)))));
  const { hint } = answer;
  if (hint) {
    const region = el("button", { type: "button", class: "link", click: () => goTo(hint.region) }, bdi(hint.name));
    box.append(el("p", { class: "hint" }, `${formatCount(hint.count)} of its ${formatCount(hint.total)} ${hint.from} on the map are in `, region, ". That is a hint, not a position."));
  }
  if (answer.passed.length) box.append(el("h4", {}, "What it passes"), el("ul", { class: "passed" }, ...answer.passed.map((test) => el("li", {}, ...prose(test.text)))));
  for (const note of answer.notes) box.append(el("p", { class: "note" }, ...prose(note)));
  if (again && answer.store !== "ok") box.append(el("p", {}, el("button", { type: "button", class: "link", click: again }, "Try again")));
  return box;
}

function explained(reason: Reason): Node[] {
  const parts: Node[] = [el("p", {}, ...prose(reason.text))];
  if (reason.enough) parts.push(el("p", { class: "enough" }, el("b", {}, "Enough would be: "), ...prose(reason.enough)));
  for (const [who, steps] of [["What you can do", reason.reader], ["What the operator can do", reason.operator]] as const)
    if (steps.length) parts.push(el("h4", {}, who), el("ul", {}, ...steps.map((step) => el("li", {}, ...prose(step)))));
  return parts;
}

/** The first letter small, unless the word is an abbreviation or a name such as arXiv. */
function lower(text: string): string {
  return /^[A-Z][a-z]+\b/.test(text) ? `${text[0]?.toLowerCase()}${text.slice(1)}` : text;
}
