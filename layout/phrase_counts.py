"""Which phrases stand in which papers, counted on arrays of word numbers: a list of strings for each paper takes ten times the memory."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

TITLE_WEIGHT: Final = 2.0
NO, LINK, RARE, WEAK, FULL = range(5)
"""Kinds of words: never in a phrase; inside of one of three; too rare; part of one; one by itself."""
_END: Final = -1
"""Between clauses."""
_PIECE: Final = 0.7
"""Share of its occurrences in which a word goes on from which on a phrase is a piece of a longer one."""
_WORD: Final = r"[^\W\d_](?:[\w’'-]*[^\W_])?"
_TOKEN: Final = re.compile(rf"{_WORD}|[.,;:!?()\[\]\"“”/]|\s[-–—]\s")
"""A word, or what ends a clause."""
_STARTS: Final = re.compile(_WORD)


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of n papers, clause by clause; every clause of m positions in all is followed by an end."""

    words: list[str]
    """Lower case, by number."""
    codes: NDArray[np.int32]
    """(m,) number of the word, -1 for an end."""
    papers: NDArray[np.int32]
    """(m,) ascending."""
    titled: Bools
    """(m,) stands in the title."""
    n: int

    def papers_with(self) -> Ints:
        """Papers that have each word, (words,)."""
        inside = self.codes >= 0
        pairs = np.unique(self.papers[inside].astype(np.int64) * len(self.words) + self.codes[inside])
        return np.bincount(pairs % max(len(self.words), 1), minlength=len(self.words))


@dataclass(frozen=True, slots=True)
class Counted:
    """Phrases of one length and who has them."""

    phrases: list[str]
    counts: sp.csc_matrix
    """float32 (n, phrases): 2 in the title, else 1."""


class _Codes(dict[str, int]):
    """Numbers words in order of first use; what ends a clause is -1."""

    def __missing__(self, token: str) -> int:
        code = self[token] = len(self.words) if _STARTS.match(token) else _END
        if code >= 0:
            self.words.append(token)
        return code

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []


def read(titles: Sequence[str | None], abstracts: Sequence[str | None]) -> Reading:
    """The words of titles and abstracts, in that order."""
    known, codes, lengths = _Codes(), array("i"), array("q")
    for texts in zip(titles, abstracts, strict=True):
        for text in texts:
            before = len(codes)
            codes.extend(map(known.__getitem__, _TOKEN.findall((text or "").lower())))
            codes.append(_END)
            lengths.append(len(codes) - before)
    many = np.frombuffer(lengths, np.int64) if lengths else np.zeros(0, np.int64)
    halves = np.repeat(np.arange(len(many), dtype=np.int32), many)
    held = np.frombuffer(codes, np.int32) if codes else np.zeros(0, np.int32)
    return Reading(known.words, held, halves // 2, halves % 2 == 0, len(titles))


def phrases_in(reading: Reading, kinds: NDArray[np.int8], least: int) -> Iterator[Counted]:
    """The phrases of one, two and three words that `least` papers have, pieces of longer ones left out.

    `kinds` is int8 (words,). A piece is what a word goes on before or after in seven of ten occurrences: `rates of modern`, which
    `science` nearly always follows.
    """
    of = np.full(len(reading.codes) + 4, _END, np.int8)  # two ends before and after spare a look at the edges
    inside = reading.codes >= 0
    of[2:-2][inside] = kinds[reading.codes[inside]]
    numbers = np.zeros(
        len(reading.words), np.int64
    )  # few words can be in a phrase: three of their numbers fit into 63 bits
    able = np.flatnonzero((kinds == LINK) | (kinds >= WEAK))
    numbers[able] = np.arange(len(able))
    for length, begins in enumerate(_spans(of[2:-2], of[3:-1], of[4:]), 1):
        at = np.flatnonzero(begins)
        codes = np.stack([reading.codes[at + step] for step in range(length)])
        keys = np.zeros(len(at), np.int64)
        for column in codes:
            keys = keys * max(len(able), 1) + numbers[column]
        distinct, first, which = np.unique(keys, return_index=True, return_inverse=True)
        linked = (
            np.where(of[at + 3] == LINK, LINK, RARE) if length == 3 else RARE
        )  # `science and Scopus` after `web of`
        times = np.bincount(which, minlength=len(distinct))
        goes_on = [of[at + 1] >= linked, of[at + 2 + length] >= linked]
        around = [np.bincount(which[edge], minlength=len(distinct)) for edge in goes_on]
        whole = np.maximum(*around) <= _PIECE * times
        yield _often(reading, at, which, np.flatnonzero(whole), codes[:, first], least)


def _spans(of: NDArray[np.int8], then: NDArray[np.int8], last: NDArray[np.int8]) -> tuple[Bools, Bools, Bools]:
    """Where phrases of one, two, three words begin, from the kinds at each position and the two after it."""
    begins = of >= WEAK
    middle = (then == LINK) | (then >= WEAK)
    two = begins & (then >= WEAK) & ((of == FULL) | (then == FULL))
    three = begins & middle & (last >= WEAK) & ((of == FULL) | (last == FULL))
    return of == FULL, two, three


def _often(reading: Reading, at: Ints, which: Ints, wanted: Ints, codes: NDArray[np.int32], least: int) -> Counted:
    """The `wanted` phrases that `least` papers have; `which` is the phrase at each of the positions `at`, `codes` (length, phrases)."""
    place = np.full(codes.shape[1], -1, np.int64)
    place[wanted] = np.arange(len(wanted))
    held = np.flatnonzero(place[which] >= 0)
    at, phrase = at[held], place[which[held]]
    # Sorted by phrase, paper and whether it is the title: the last of each paper says which weight it has.
    entries = np.unique((phrase * reading.n + reading.papers[at]) * 2 + reading.titled[at])
    pairs = entries >> 1
    last = np.append(pairs[1:] != pairs[:-1], True) if len(pairs) else np.zeros(0, bool)
    pairs, weights = pairs[last], np.where(entries[last] & 1, TITLE_WEIGHT, 1.0).astype(np.float32)
    phrase, paper = np.divmod(pairs, max(reading.n, 1))
    counts = sp.csc_matrix((weights, (paper, phrase)), shape=(reading.n, len(wanted)), dtype=np.float32)
    often = np.flatnonzero(np.diff(counts.indptr) >= least)
    words = codes[:, wanted[often]].T.tolist()
    return Counted([" ".join([reading.words[code] for code in one]) for one in words], counts[:, often])
