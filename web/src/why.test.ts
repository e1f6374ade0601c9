import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reason } from "./api.ts";
import { headline } from "./why.ts";

const reason = (title: string): Reason => ({ code: "some_code", title, text: "", reader: [], operator: [], enough: null });

test("a reason is named in the middle of a sentence", () => {
  assert.equal(headline({ on_map: false, reasons: [reason("No reference list"), reason("No links")] }), "Not on the map: no reference list");
  assert.equal(headline({ on_map: true, reasons: [] }), "On the map");
});

test("where the server could not look, nothing is claimed", () => {
  const said = headline({ on_map: false, reasons: [] });
  assert.equal(said, "It cannot be looked up now");
  assert.doesNotMatch(said, /known|not on the map/i);
});
