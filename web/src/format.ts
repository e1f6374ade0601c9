// Dates and counts as people read them.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `2018-02-26` -> `26 Feb 2018`, `2018-02` -> `Feb 2018`, `2018` -> `2018`: the precision that is known, no more. */
export function formatDate(iso: string | null): string {
  if (!iso) return "date unknown";
  const [year, month, day] = iso.split("-");
  const name = month ? MONTHS[Number(month) - 1] : undefined;
  return [day ? String(Number(day)) : "", name ?? "", year].filter(Boolean).join(" ");
}

export function formatCount(count: number): string {
  return String(Math.trunc(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function many(count: number, one: string, more = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : more}`;
}

/** The first authors of a paper, and how many more there are. */
export function formatAuthors(names: readonly string[], total: number | null): string {
  if (!names.length) return "";
  const rest = (total ?? names.length) - names.length;
  return names.join(", ") + (rest > 0 ? ` and ${formatCount(rest)} more` : "");
}

/** The page of a paper: colons and slashes stay readable, everything else is escaped. */
export function paperPath(id: string): string {
  return `/paper/${encodeURIComponent(id).replaceAll("%3A", ":").replaceAll("%2F", "/")}`;
}

/** A reason's code in words: `no_reference_list` -> `no reference list`. */
export function wordsOf(code: string): string {
  return code.replaceAll("_", " ");
}

/** The beginning of a text, cut between words. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  const space = text.lastIndexOf(" ", most);
  const cut = text.slice(0, space > most / 2 ? space : most).replace(/[\ud800-\udbff]$/, "");
  return `${cut.trimEnd()}…`;
}

/** Seconds out of a `Retry-After` header; null for none, and for the other form, a date. */
export function parseSeconds(header: string | null): number | null {
  return header && /^\d{1,5}$/.test(header) ? Number(header) : null;
}

/** When to ask again: `in 5 s`. */
export function formatWait(seconds: number | null | undefined): string {
  return seconds ? `in ${formatCount(seconds)} s` : "in a moment";
}
