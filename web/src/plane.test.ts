import assert from "node:assert/strict";
import { test } from "node:test";
import { toLngLat, toPlace } from "./plane.ts";

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
