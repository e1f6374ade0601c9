// The map plane: [0, 1] x [0, 1], y downwards, laid on the Web Mercator square, so that every tile tool understands it.

export interface Place {
  x: number;
  y: number;
}

const BEND = 0.12;
const STEPS = 14;

export function toLngLat({ x, y }: Place): [number, number] {
  return [360 * x - 180, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI];
}

export function toPlace(lng: number, lat: number): Place {
  const radians = (lat * Math.PI) / 180;
  return { x: (lng + 180) / 360, y: (1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2 };
}

/** A slightly bent line from one place to another: lines to and from a paper do not lie on each other. */
export function arc(from: Place, to: Place): Place[] {
  const bend = { x: (from.x + to.x) / 2 - BEND * (to.y - from.y), y: (from.y + to.y) / 2 + BEND * (to.x - from.x) };
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const t = step / STEPS;
    const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
    return { x: a * from.x + b * bend.x + c * to.x, y: a * from.y + b * bend.y + c * to.y };
  });
}

/** The zoom at which the whole plane fits into a window, with a margin; a tile is 512 pixels wide at zoom 0. */
export function wholeZoom(width: number, height: number): number {
  return Math.log2((0.92 * Math.max(Math.min(width, height), 64)) / 512);
}

/**
 * The first view of a window: the whole plane, or, where the papers fill only a corner of it, that corner.
 * `center` is the server's: a zoom at which nearly all papers fit into 900 pixels.
 */
export function firstView(center: Place & { zoom: number }, width: number, height: number): Place & { zoom: number } {
  const whole = wholeZoom(width, height);
  const close = center.zoom + Math.log2((0.85 * Math.max(Math.min(width, height), 64)) / 900);
  return close > whole + 1 ? { x: center.x, y: center.y, zoom: close } : { x: 0.5, y: 0.5, zoom: whole };
}
