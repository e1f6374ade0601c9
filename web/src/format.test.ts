import assert from "node:assert/strict";
import { test } from "node:test";
import { beginning, formatAuthors, formatCount, formatDate, formatWait, many, paperPath, parseSeconds } from "./format.ts";

test("a date has the precision that is known", () => {
  assert.equal(formatDate("2018-02-26"), "26 Feb 2018");
  assert.equal(formatDate("2018-02"), "Feb 2018");
  assert.equal(formatDate("2018"), "2018");
  assert.equal(formatDate(null), "date unknown");
});

test("counts are grouped and agree with their noun", () => {
  assert.equal(formatCount(1234567), "1,234,567");
  assert.equal(many(1, "paper"), "1 paper");
  assert.equal(many(1000, "entry", "entries"), "1,000 entries");
});

test("authors beyond those named are counted", () => {
  assert.equal(formatAuthors(["A", "B", "C"], 5), "A, B, C and 2 more");
  assert.equal(formatAuthors(["A"], 1), "A");
  assert.equal(formatAuthors([], null), "");
});

test("a path keeps what is readable and escapes what is not", () => {
  assert.equal(paperPath("arxiv:hep-th/9901001"), "/paper/arxiv:hep-th/9901001");
  assert.equal(paperPath("doi:10.1000/a?b#<c>"), "/paper/doi:10.1000/a%3Fb%23%3Cc%3E");
});

test("a long text is cut between words, where it has any", () => {
  assert.equal(beginning("short", 10), "short");
  assert.equal(beginning("one two three four", 12), "one two…");
  assert.equal(beginning("一二三四五六七八九十", 5), "一二三四五…");
  assert.equal(beginning("ab😀cd", 3), "ab…", "no half of a character");
});

test("when to ask again is read from the header, and said without it", () => {
  assert.equal(formatWait(parseSeconds("5")), "in 5 s");
  assert.equal(formatWait(parseSeconds("Wed, 21 Oct 2026 07:28:00 GMT")), "in a moment");
  assert.equal(formatWait(parseSeconds(null)), "in a moment");
  assert.equal(formatWait(undefined), "in a moment");
});
