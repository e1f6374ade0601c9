"""Phrases counted on arrays are those that a plain reading finds."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from layout.phrase_counts import FULL, LINK, NO, RARE, TITLE_WEIGHT, WEAK, phrases_in, read

WORDS = {
    "of": LINK,
    "and": LINK,
    "the": NO,
    "zyzzyva": RARE,
    "model": WEAK,
    "citation": FULL,
    "graph": FULL,
    "map": FULL,
}
KINDS = {**WORDS, "science": FULL, "data": WEAK}


def plain(titles: list[str], abstracts: list[str], least: int) -> dict[str, dict[int, float]]:
    """Phrase -> paper -> weight, word by word."""
    has: dict[str, dict[int, float]] = defaultdict(dict)
    times: dict[str, int] = defaultdict(int)
    before: dict[str, int] = defaultdict(int)
    after: dict[str, int] = defaultdict(int)
    for paper, texts in enumerate(zip(abstracts, titles, strict=True)):
        for weight, text in zip((1.0, TITLE_WEIGHT), texts, strict=True):
            for clause in text.split(","):
                words = clause.split()
                of = [KINDS[word] for word in words]
                for at in range(len(words)):
                    for end in range(at + 1, min(at + 3, len(words)) + 1):
                        if not is_phrase(of[at:end]):
                            continue
                        phrase = " ".join(words[at:end])
                        goes_on = LINK if LINK in of[at:end] else RARE
                        has[phrase][paper] = weight
                        times[phrase] += 1
                        before[phrase] += at > 0 and of[at - 1] >= goes_on
                        after[phrase] += end < len(of) and of[end] >= goes_on
    kept = (phrase for phrase in has if max(before[phrase], after[phrase]) <= 0.7 * times[phrase])
    return {phrase: has[phrase] for phrase in kept if len(has[phrase]) >= least}


def is_phrase(of: list[int]) -> bool:
    if len(of) == 1:
        return of[0] == FULL
    if min(of[0], of[-1]) < WEAK or FULL not in (of[0], of[-1]):
        return False
    return len(of) == 2 or of[1] not in (NO, RARE)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("least", [1, 3])
def test_the_same_phrases_as_word_by_word(seed: int, least: int) -> None:
    random = np.random.default_rng(seed)
    tokens = [*KINDS, ",", ","]
    n = int(random.integers(1, 40))
    texts = [[" ".join(random.choice(tokens, random.integers(0, 25))) for _ in range(n)] for _ in range(2)]
    reading = read(*texts)
    found: dict[str, dict[int, float]] = {}
    for part in phrases_in(reading, np.array([KINDS[word] for word in reading.words], np.int8), least):
        table = part.counts.tocoo()
        found |= {phrase: {} for phrase in part.phrases}
        for paper, column, weight in zip(table.row.tolist(), table.col.tolist(), table.data.tolist(), strict=True):
            found[part.phrases[column]][paper] = weight
    assert found == plain(*texts, least)


def test_words_and_clauses_are_told_apart() -> None:
    reading = read(["State-of-the-art: a map", None], ["Graphs – big, 2nd data_set (p < .05); naïve it's", None])
    shown = [reading.words[code] if code >= 0 else "|" for code in reading.codes.tolist()]
    assert shown == "state-of-the-art | a map | graphs | big | nd data_set | p | | | naïve it's | | |".split()
    assert reading.papers.tolist() == [0] * (len(shown) - 2) + [1, 1]
    assert reading.titled.tolist() == [True] * 5 + [False] * (len(shown) - 7) + [True, False]


def test_how_many_papers_have_a_word() -> None:
    reading = read(["a map", "map map", None], [None, "a map, again", ""])
    assert dict(zip(reading.words, reading.papers_with().tolist(), strict=True)) == {"a": 2, "map": 2, "again": 1}


@pytest.mark.parametrize("nothing", [[], [None], ["", None]])
def test_nothing_has_no_phrases(nothing: list[str | None]) -> None:
    reading = read(nothing, nothing)
    assert reading.words == []
    assert reading.papers_with().tolist() == []
    assert [part.phrases for part in phrases_in(reading, np.zeros(0, np.int8), 1)] == [[], [], []]
