import assert from "node:assert/strict";
import { test } from "node:test";
import { arc, firstView, toLngLat, toPlace, wholeZoom } from "./plane.ts";

test("the corners and the middle of the plane are those of the Mercator square", () => {
  assert.deepEqual(toLngLat({ x: 0.5, y: 0.5 }), [0, 0]);
  const [west, north] = toLngLat({ x: 0, y: 0 });
  assert.equal(west, -180);
  assert.ok(Math.abs(north - 85.0511287798066) < 1e-9, "y goes downwards: 0 is north");
});

test("there and back again is the same place", () => {
  for (const x of [0, 0.1, 0.25, 0.999])
    for (const y of [0.001, 0.3, 0.5, 0.98]) {
      const back = toPlace(...toLngLat({ x, y }));
      assert.ok(Math.hypot(back.x - x, back.y - y) < 1e-12);
    }
});

test("a line goes from the one place to the other, and back on its other side", () => {
  const [from, to] = [{ x: 0.2, y: 0.5 }, { x: 0.8, y: 0.5 }];
  const there = arc(from, to);
  assert.deepEqual([there[0], there.at(-1)], [from, to]);
  const middle = (line: { y: number }[]) => line[Math.floor(line.length / 2)]!.y;
  assert.ok(middle(there) > 0.5 && middle(arc(to, from)) < 0.5);
  assert.ok(arc(from, from).every(({ x, y }) => Math.hypot(x - from.x, y - from.y) < 1e-12), "of no length");
});

test("a phone and a wide screen both show the whole plane", () => {
  for (const [width, height] of [[390, 700], [1440, 850]] as const)
    assert.ok(512 * 2 ** wholeZoom(width, height) < Math.min(width, height));
  assert.ok(Number.isFinite(wholeZoom(0, 0)), "a window that has no size yet");
});

test("papers in a corner of the plane are shown close", () => {
  const wide = firstView({ x: 0.49, y: 0.51, zoom: 0.9 }, 1440, 850);
  assert.deepEqual([wide.x, wide.y], [0.5, 0.5]);
  const corner = firstView({ x: 0.1, y: 0.2, zoom: 5 }, 1440, 850);
  assert.deepEqual([corner.x, corner.y], [0.1, 0.2]);
  assert.ok(corner.zoom > 4 && corner.zoom < 5);
});
