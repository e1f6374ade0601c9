// Elements out of data. Text is text: nothing here takes HTML.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | boolean | ((event: Event) => void) | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Text of unknown direction: titles and names. */
export const bdi = (text: string) => el("bdi", { dir: "auto" }, text);

/** Text in which `commands` stand between backticks. */
export function prose(text: string): (Node | string)[] {
  return text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

export function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`index.html has no ${kind.name} #${id}`);
  return element;
}

/** A heading that folds what stands below it. */
export function foldable(toggle: string, list: string, open: boolean, opened: () => void = () => undefined): void {
  const button = byId(toggle, HTMLButtonElement);
  const body = byId(list, HTMLElement);
  const set = (now: boolean) => {
    button.setAttribute("aria-expanded", String(now));
    body.hidden = !now;
  };
  button.addEventListener("click", () => {
    set(body.hidden);
    opened();
  });
  set(open);
}
