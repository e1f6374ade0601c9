"""Citations that are hidden from a map, to ask it for them afterwards."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final

import numpy as np

from layout.arrays import Corpus
from layout.measures import Ints

HIDDEN: Final = 0.1
"""Share of the citations that is hidden."""


@dataclass(frozen=True, slots=True)
class Hiding:
    """A corpus without some of its citations."""

    left: Corpus
    seen: Ints
    """int64 (m, 2): citing and cited papers that the map may know of, as positions among those on the map."""
    hidden: Ints
    """int64 (h, 2), likewise."""


def hide(corpus: Corpus, rows: Ints, *, seed: int = 0) -> Hiding:
    """Take one in ten of the citations among the papers `rows` away, in both directions, but never the last one of a paper."""
    pairs = inner_pairs(corpus, rows)
    inner = (pairs >= 0).all(axis=1)
    ties = np.sort(pairs, axis=1)
    keys = ties[:, 0] * len(rows) + ties[:, 1]
    gone = inner & np.isin(keys, _chosen(np.unique(keys[inner]), len(rows), seed))
    left = dataclasses.replace(corpus, citing=corpus.citing[~gone], cited=corpus.cited[~gone])
    return Hiding(left, pairs[inner & ~gone], pairs[gone])


def inner_pairs(corpus: Corpus, rows: Ints) -> Ints:
    """Both ends of every citation as positions in `rows`, int64 (m, 2); -1 for what is not there."""
    at = np.full(corpus.nodes, -1, np.int64)
    at[rows] = np.arange(len(rows))
    return np.stack([at[corpus.citing], at[corpus.cited]], 1)


def _chosen(ties: Ints, n: int, seed: int) -> Ints:
    """One in ten of the ties (low * n + high) whose ends have others left."""
    low, high = ties // n, ties % n
    degree = np.bincount(np.concatenate([low, high]), minlength=n).tolist()
    wanted = round(HIDDEN * len(ties))
    chosen: list[int] = []
    for tie in np.random.default_rng(seed).permutation(len(ties)).tolist():
        if len(chosen) == wanted:
            break
        one, other = int(low[tie]), int(high[tie])
        if degree[one] > 1 and degree[other] > 1:
            degree[one] -= 1
            degree[other] -= 1
            chosen.append(tie)
    return ties[np.array(chosen, np.int64)]
