import assert from "node:assert/strict";
import { test } from "node:test";
import type { Brief } from "./api.ts";
import { NOTHING, overlay } from "./overlay.ts";

function brief(id: string, at: { x: number; y: number } | null): Brief {
  return {
    id, title: null, authors: [], authors_total: null, year: null, date: null, areas: [], citations: 0, stub: false,
    on_map: at !== null, x: at?.x ?? null, y: at?.y ?? null, region: null, marks: [], reason: null,
  };
}

const kinds = (drawn: ReturnType<typeof overlay>) =>
  drawn.features.map(({ properties, geometry }) => `${geometry.type} ${String(properties?.["kind"])}`);

test("a paper without a place draws nothing", () => {
  assert.equal(overlay(null, [], []), NOTHING);
  assert.equal(overlay(brief("a:1", null), [brief("a:2", { x: 0.1, y: 0.1 })], []), NOTHING);
});

test("each linked paper that has a place gets a line and a point, the chosen one is on top", () => {
  const drawn = overlay(brief("a:1", { x: 0, y: 0 }), [brief("a:2", { x: 1, y: 1 }), brief("a:3", null)], [brief("a:4", { x: 0, y: 1 })]);
  assert.deepEqual(kinds(drawn), ["LineString citing", "Point citing", "LineString cited", "Point cited", "Point chosen"]);
});

test("a place at zero is a place", () => {
  assert.equal(overlay(brief("a:1", { x: 0, y: 0 }), [], []).features.length, 1);
});

test("the more lines, the fainter each, and none vanishes", () => {
  const opacity = (lines: number) => {
    const papers = Array.from({ length: lines }, (_, n) => brief(`a:${n}`, { x: 0.5, y: 0.5 }));
    return overlay(brief("b:1", { x: 0, y: 0 }), papers, []).features[0]?.properties?.["opacity"] as number;
  };
  assert.ok(opacity(1) > opacity(20) && opacity(20) > opacity(100) && opacity(100) > 0.2);
});
