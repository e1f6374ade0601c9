"""When a map is true: the definitions behind the figures of a build and of `bench/map_quality.py` (docs/map-quality.md).

A citation is a pair (citing, cited), int64; labels are int (n,), -1 for unknown. Distances and neighbours may be those of the map or
those of the vectors that it was drawn from: the same definitions then tell how much the drawing costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Distance = Callable[[Ints, Ints], NDArray[np.float64]]
"""Distances of papers `a` to papers `b`, in pairs."""

AGAINST: Final = 20
"""Papers that each cited one is compared with."""
JUDGED: Final = 20
"""Papers that a label must have for its papers to be judged by it."""
_FEWEST: Final = 5
"""Citations into an area from which on its papers are compared among themselves."""
_HELD: Final = 16_000_000
"""Similarities held at once: 64 MB."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over citations or papers, with its standard error."""

    value: float
    error: float
    count: int


def mean_of(shares: NDArray[np.floating] | NDArray[np.bool_]) -> Figure | None:
    """The mean of (c,) shares; None of none."""
    if not len(shares):
        return None
    spread = np.asarray(shares, np.float64)
    return Figure(float(spread.mean()), float(spread.std() / np.sqrt(len(spread))), len(spread))


def on_map(xy: Floats) -> Distance:
    """Distances on a map, from float32 (n, 2)."""
    places = xy.astype(np.float64)

    def distance(a: Ints, b: Ints) -> NDArray[np.float64]:
        far: NDArray[np.float64] = np.sqrt(((places[a] - places[b]) ** 2).sum(axis=-1))
        return far

    return distance


def any_papers(pairs: Ints, n: int, seed: int) -> Ints:
    """Rivals of each cited paper: any paper of n. int64 (h, AGAINST), -1 where the draw was one of the pair."""
    drawn = np.random.default_rng(seed).integers(0, n, (len(pairs), AGAINST))
    return _others(pairs, drawn)


def as_often_cited(pairs: Ints, cited: Ints, seed: int) -> Ints:
    """Rivals drawn by how often they are cited: nothing is won by hubs being near to all. `cited`: the cited paper of each citation."""
    if not len(cited):
        return np.full((len(pairs), AGAINST), -1, np.int64)
    drawn = cited[np.random.default_rng(seed).integers(0, len(cited), (len(pairs), AGAINST))]
    return _others(pairs, drawn)


def of_the_area(pairs: Ints, cited: Ints, labels: Ints, seed: int) -> Ints:
    """Rivals of the cited paper's own area, drawn by how often they are cited: only structure inside of areas helps."""
    area = labels[cited]
    order = np.argsort(area, kind="stable")
    ranked, sought = area[order], labels[pairs[:, 1]]
    low, high = np.searchsorted(ranked, sought), np.searchsorted(ranked, sought, side="right")
    fair = (sought >= 0) & (high - low >= _FEWEST)
    at = low[:, None] + (np.random.default_rng(seed).random((len(pairs), AGAINST)) * (high - low)[:, None]).astype(int)
    drawn = np.full(at.shape, -1, np.int64)
    drawn[fair] = cited[order][at[fair]]
    return _others(pairs, drawn)


def _others(pairs: Ints, drawn: Ints) -> Ints:
    same = (drawn == pairs[:, :1]) | (drawn == pairs[:, 1:])
    return np.where(same, -1, drawn)


def auc(distance: Distance, pairs: Ints, rivals: Ints) -> Figure | None:
    """Chance that a paper is nearer to one that it cites than to a rival; a tie is half a chance. `rivals` int64 (h, r), -1 for none."""
    near = distance(pairs[:, 0], pairs[:, 1])
    won, met = np.zeros(len(pairs)), np.zeros(len(pairs))
    for column in rivals.T:
        far = distance(pairs[:, 0], np.maximum(column, 0))
        won += np.where(column >= 0, (near < far) + 0.5 * (near == far), 0)
        met += column >= 0
    return mean_of(won[met > 0] / met[met > 0])


def nearest_on_map(xy: Floats, rows: Ints, k: int) -> Ints:
    """The k nearest papers of each of `rows` on a map of more than k, nearest first: int64 (r, k), itself left out."""
    near = cKDTree(xy).query(xy[rows], k=k + 1)[1]
    own = near == rows[:, None]
    own[~own.any(axis=1), -1] = True  # so many on one spot that it is not among them
    others: Ints = near[~own].reshape(len(rows), k).astype(np.int64)
    return others


def hits(near: Ints, cited: Ints) -> Figure | None:
    """Share of citations whose cited paper, (h,), is among the nearest of the citing one, (h, k)."""
    return mean_of((near == cited[:, None]).any(axis=1))


def area_accuracy(rows: Ints, near: Ints, labels: Ints) -> Figure | None:
    """Share of `rows` whose label is the most frequent one among their neighbours `near` (r, k).

    Labels of fewer than `JUDGED` papers are not judged, but vote; unlabelled neighbours do not. Of equals the smaller label wins.
    """
    kinds = int(labels.max(initial=-1)) + 1
    if np.count_nonzero(np.bincount(labels[labels >= 0], minlength=kinds)) < 2:
        return None
    often = np.append(np.bincount(labels[labels >= 0], minlength=kinds) >= JUDGED, False)  # the last one is -1
    judged = often[labels[rows]]
    rows, voices = rows[judged], labels[near[judged]]
    cell = (np.arange(len(rows))[:, None] * (kinds + 1) + voices + 1).ravel()
    votes = np.bincount(cell, minlength=len(rows) * (kinds + 1)).reshape(len(rows), kinds + 1)[:, 1:]
    return mean_of((votes.argmax(axis=1) == labels[rows]) & votes.any(axis=1))


def shared(near: Ints, wanted: Ints) -> Figure | None:
    """Mean share of the neighbours `wanted` (r, k), -1 for none, that are among `near` (r, any)."""
    found = (wanted[:, :, None] == near[:, None, :]).any(axis=2)
    known = wanted >= 0
    times = known.sum(axis=1)
    return mean_of((found & known).sum(axis=1)[times > 0] / times[times > 0])


def against_vectors(near: Ints, rows: Ints, vectors: Floats) -> tuple[Figure | None, Figure | None]:
    """How neighbours `near` (r, k) of `rows` stand to those by cosine of unit vectors (n, d): recall, and trustworthiness.

    Recall is the share of the k nearest by the vectors that are in `near`. Trustworthiness (Venna, Kaski 2001): 1 less the mean
    number of ranks by which those in `near` are too far by the vectors, over the largest possible; chance gives one half.
    """
    (count, k), n = near.shape, len(vectors)
    if n <= 2 * k or not count:
        return None, None
    found, excess = np.zeros(count), np.zeros(count)
    block = max(1, _HELD // n)
    for start in range(0, count, block):
        at = slice(start, start + block)
        likeness = np.round(vectors[rows[at]] @ vectors.T, 6)
        likeness[np.arange(len(likeness)), rows[at]] = -2
        chosen = np.take_along_axis(likeness, near[at], 1)
        ranks = np.stack([(likeness > column[:, None]).sum(axis=1) for column in chosen.T], 1) + 1
        found[at] = (ranks <= k).mean(axis=1)
        excess[at] = np.maximum(ranks - k, 0).sum(axis=1)
    return mean_of(found), mean_of(1 - excess * 2 / (k * (2 * n - 3 * k - 1)))
