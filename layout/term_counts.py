"""How often terms, words and pairs of words that follow each other, stand in papers: of any number of papers, some at a time.

A term is a number. With w common words, ranked by their spelling, word a is a * (w + 1), and the pair "a b" is a * (w + 1) + b + 1: the
order of the numbers is that of the spellings, for a space comes before every character of a word. No pair is ever spelt, and only pairs
of common words are counted: neither of its words can be rarer than a pair.

All counts are whole numbers, so that neither the size of a chunk nor that of a slice changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.words import Ints, Reading

Longs = NDArray[np.int64]

RARE: Final = -1
"""Stands where a word is too rare, and after each paper."""
_SLICE: Final = 4_000_000
"""Terms in papers that are counted at once; takes about 150 MB a thread."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The words of n papers in a row."""

    words: Ints
    """int32 (m,) ranks of the common ones, RARE for others and once after each paper, so that no pair goes on into the next."""
    ends: Longs
    """int64 (n,) where in `words` a paper is over."""


@dataclass(frozen=True, slots=True)
class Terms:
    """k terms, ascending."""

    codes: Longs
    """int64 (k,)"""
    papers: Longs
    """int64 (k,) how many papers have it."""
    times: Longs
    """int64 (k,) how often they have it in all."""

    @classmethod
    def together(cls, parts: Sequence[Terms]) -> Terms:
        """All of them, where each part ends before the next begins."""
        none = np.zeros(0, np.int64)
        columns = ([none, *(getattr(part, name) for part in parts)] for name in cls.__slots__)
        return cls(*map(np.concatenate, columns))

    def where(self, kept: NDArray[np.bool_] | Longs) -> Terms:
        """Some of them."""
        return Terms(self.codes[kept], self.papers[kept], self.times[kept])


def common_words(readings: Iterable[Reading], least: int) -> tuple[list[Chunk], Longs]:
    """Papers as ranks of the words that occur `least` times or more, a chunk for each reading; and int64 (w,) how often they occur."""
    numbers: dict[str, int] = {}
    times = np.zeros(0, np.int64)
    chunks: list[Chunk] = []
    for reading in readings:
        known = np.array([numbers.setdefault(word, len(numbers)) for word in reading.words], np.int32)
        times = np.append(times, np.zeros(len(numbers) - len(times), np.int64))
        times[known] += np.bincount(reading.places, minlength=len(known))
        chunks.append(_parted(known[reading.places], reading.lengths))
    common = sorted(word for word, number in numbers.items() if times[number] >= least)
    order = np.array([numbers[word] for word in common], np.int64)
    ranks = np.full(len(numbers) + 1, RARE, np.int32)  # the last is for what is RARE already
    ranks[order] = np.arange(len(order), dtype=np.int32)
    for at, chunk in enumerate(chunks):
        chunks[at] = Chunk(ranks[chunk.words], chunk.ends)
    return chunks, times[order]


def _parted(words: Ints, lengths: Ints) -> Chunk:
    ends = np.cumsum(lengths, dtype=np.int64) + np.arange(len(lengths))
    parted = np.full(len(words) + len(lengths), RARE, np.int32)
    inside = np.ones(len(parted), bool)
    inside[ends] = False
    parted[inside] = words
    return Chunk(parted, ends)


def tally(
    chunks: Sequence[Chunk], times: Longs, least: int, most: float, threads: int = 1, size: int = _SLICE
) -> Iterator[tuple[float, Terms]]:
    """The terms that `least` to `most` papers have, ascending, some at a time, each with the share of the work that is done then.

    `times` is how often each word occurs, as `common_words` gives it; `size` is how many occurrences are looked at together. Threads are
    as good as processes here, which would have to be handed all those numbers.
    """
    papers, width = sum(len(chunk.ends) for chunk in chunks), len(times)

    def terms(low: int, high: int) -> Terms:
        every = _counted(_gathered(chunks, times, papers, low, high), papers)
        some = every.where((every.papers >= least) & (every.papers <= most))
        return Terms(some.codes + low * (width + 1), some.papers, some.times)

    slices = list(_slices(times, papers, size))
    with ThreadPoolExecutor(threads) as pool:
        for (_, high), found in zip(slices, pool.map(terms, *zip(*slices, strict=True)), strict=True):
            yield high / width, found


def _gathered(chunks: Sequence[Chunk], times: Longs, papers: int, low: int, high: int) -> Longs:
    """The terms that begin with a word from `low` to below `high`, each time they stand in a paper: term * papers + paper."""
    found, filled, first = np.empty(2 * int(times[low:high].sum()), np.int64), 0, 0
    for chunk in chunks:
        codes, rows = _terms_of(chunk, len(times), low, high)
        found[filled : filled + len(codes)] = codes * papers + (rows + first)
        filled, first = filled + len(codes), first + len(chunk.ends)
    return found[:filled]


def _slices(times: Longs, papers: int, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of words, low to high, with which terms begin that occur up to `size` times; term and paper fit into one number."""
    widest = (2**63 - 1) // ((len(times) + 1) * max(papers, 1))
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(2 * times)])
    low = 0
    while low < len(times):
        full = int(np.searchsorted(ends, ends[low] + size, side="right")) - 1
        high = min(max(full, low + 1), low + widest)
        yield low, high
        low = high


def _terms_of(chunk: Chunk, width: int, low: int, high: int) -> tuple[Longs, Longs]:
    """Where a term begins with a word from `low` to below `high`: its number, counted from `low` on, and the row of the paper."""
    at = np.flatnonzero((chunk.words >= low) & (chunk.words < high))
    rows = np.searchsorted(chunk.ends, at)
    left, right = (chunk.words[at].astype(np.int64) - low) * (width + 1), chunk.words[at + 1]
    pairs = right != RARE
    return np.concatenate([left, left[pairs] + right[pairs] + 1]), np.concatenate([rows, rows[pairs]])


def _counted(found: Longs, papers: int) -> Terms:
    """The terms in `found`, int64 (m,), each term * papers + paper; it is sorted in place."""
    each, codes = _sorted(found, papers)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return Terms(codes[starts], np.diff(starts, append=len(codes)), np.diff(each[starts], append=len(found)))


def _sorted(found: Longs, papers: int) -> tuple[Longs, Longs]:
    """Sort in place; where each term in a paper begins, and the term, both int64 (c,)."""
    found.sort()
    each = np.flatnonzero(np.diff(found, prepend=-1))
    return each, found[each] // max(papers, 1)


def most_frequent(terms: Terms, limit: int) -> Terms:
    """At most `limit` of them, those that occur most often.

    Of equals at the limit those stay that numpy's sort leaves in front, as scikit-learn's `max_features` has it.
    """
    if len(terms.codes) <= limit:
        return terms
    return terms.where(np.sort((-terms.times.astype(np.float32)).argsort()[:limit]))


def count(words: Ints, ends: Longs, codes: Longs, width: int) -> sp.csr_matrix:
    """How often each of k terms stands in each paper of a chunk: float32 (n, k), columns in order.

    `words` and `ends` are those of the chunk, `codes` int64 (k,) those of the terms, ascending, `width` the number of common words.
    """
    n, k = len(ends), len(codes)
    found, rows = _terms_of(Chunk(words, ends), width, 0, width)
    found = found * n + rows
    each, held = _sorted(found, n)
    starts = np.searchsorted(held, codes)
    many = np.searchsorted(held, codes, side="right") - starts
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(many)])
    at = np.repeat(starts - indptr[:-1], many) + np.arange(indptr[-1])
    times = np.diff(each, append=len(found))[at].astype(np.float32)
    return sp.csc_matrix((times, found[each[at]] % max(n, 1), indptr), shape=(n, k)).tocsr()
