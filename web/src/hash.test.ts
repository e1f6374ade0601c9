import assert from "node:assert/strict";
import { test } from "node:test";
import { formatHash, parseHash } from "./hash.ts";

test("a state survives the address", () => {
  const state = { view: { zoom: 3.25, x: 0.5, y: 0.125 }, paper: "doi:10.1000/a+b&c=d#e" };
  assert.deepEqual(parseHash(formatHash(state)), state);
});

test("a paper alone and a view alone are states", () => {
  assert.deepEqual(parseHash("#paper=arxiv:hep-th/9901001"), { view: null, paper: "arxiv:hep-th/9901001" });
  assert.equal(parseHash("#map=2/0.5/0.5").view?.zoom, 2);
});

test("rubbish is no state", () => {
  for (const hash of ["", "#", "#map=", "#map=1/2", "#map=1//2", "#map=a/b/c", "#map=1/2/0.5", "#map=99/0/0", "#map=1/NaN/0", "#x=%E0%A4%A"])
    assert.deepEqual(parseHash(hash), { view: null, paper: null });
});
