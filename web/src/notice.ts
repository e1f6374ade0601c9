// One line that says what failed, and a button that tries again.

import { byId, el } from "./dom.ts";

export function notice(error: unknown, otherwise: string, again: () => void): void {
  const box = byId("notice", HTMLParagraphElement);
  const hide = () => (box.hidden = true);
  const retry = el("button", { type: "button", class: "link", click: () => (hide(), again()) }, "Try again");
  const close = el("button", { type: "button", class: "close", "aria-label": "Dismiss", click: hide }, "×");
  box.replaceChildren(`${sentence(error, otherwise)} `, retry, close);
  box.hidden = false;
}

/** What to tell the reader about a failure. */
export function sentence(error: unknown, otherwise = "The server gave no answer."): string {
  return error instanceof Error && error.message ? error.message : otherwise;
}
