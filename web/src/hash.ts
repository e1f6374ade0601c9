// What the address says behind '#': `map=zoom/x/y` in map units and `paper=identifier`, both optional.

export interface View {
  zoom: number;
  x: number;
  y: number;
}

export interface State {
  view: View | null;
  paper: string | null;
}

const MOST = 2048;

export function parseHash(hash: string): State {
  const parts = new URLSearchParams(hash.replace(/^#/, "").slice(0, MOST).replaceAll("+", "%2B"));
  return { view: parseView(parts.get("map")), paper: parts.get("paper") || null };
}

export function formatHash({ view, paper }: State): string {
  const parts: string[] = [];
  if (view) parts.push(`map=${view.zoom.toFixed(2)}/${view.x.toFixed(5)}/${view.y.toFixed(5)}`);
  if (paper) parts.push(`paper=${encodeURIComponent(paper).replaceAll("%3A", ":").replaceAll("%2F", "/")}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

function parseView(text: string | null): View | null {
  const numbers = (text ?? "").split("/").map(Number);
  const [zoom, x, y] = numbers;
  if (numbers.length !== 3 || zoom === undefined || x === undefined || y === undefined) return null;
  if (![zoom, x, y].every(Number.isFinite) || (text ?? "").split("/").some((part) => !part)) return null;
  if (zoom < -2 || zoom > 24 || x < 0 || x > 1 || y < 0 || y > 1) return null;
  return { zoom, x, y };
}
