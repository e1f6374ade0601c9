"""How good a map is, by figures that need nothing but the map and its input; they go into the manifest.

The citation figures here are of citations that the layout was given ("seen"): they say how well the map keeps them, not how well it
predicts. Held-out figures are what `bench/map_quality.py` measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

_AGAINST: Final = 20
"""Random papers that each cited one is compared with."""
_MOST: Final = 50_000
"""Citations looked at."""
_SAMPLE: Final = 5_000
"""Papers whose neighbours are looked at."""
_GRID: Final = 64
_BLOCK: Final = 1_000
"""Papers whose texts are compared with all others at a time, and of which at least so many are where there are more."""


def measure(
    xy: NDArray[np.float32],
    citations: sp.csr_matrix,
    areas: Sequence[str | None],
    neighbours: NDArray[np.int32],
    seed: int,
    text: NDArray[np.float32] | None = None,
) -> dict[str, float | int | None]:
    """Figures of a map of k papers at `xy` (float32 (k, 2)); None where there is too little to measure.

    citation_auc_seen: chance that a cited paper is nearer than a random one. area_accuracy_10: share of papers whose primary area is
    the most frequent one among their ten nearest on the map. neighbour_recall_15: share of the nearest by similarity (`neighbours`,
    int32 (k, 15), -1 for none) that are among the 15 nearest on the map; text_recall_15: the same of the nearest by text alone
    (`text`, float32 (k, d) unit vectors; papers without text left out). coverage_64: share of the cells of a 64 x 64 grid that hold a
    paper. outliers: share of papers whose tenth neighbour is more than ten times as far as it is for the middle one.
    """
    k = len(xy)
    figures: dict[str, float | int | None] = {
        "citation_auc_seen": _citation_auc(xy, citations, seed),
        "area_accuracy_10": None,
        "neighbour_recall_15": None,
        "text_recall_15": None,
        "coverage_64": None,
        "outliers": None,
    }
    if k >= 2:
        cells = np.minimum((xy * _GRID).astype(int), _GRID - 1)
        figures["coverage_64"] = round(len(np.unique(cells[:, 0] * _GRID + cells[:, 1])) / _GRID**2, 4)
    if k >= 20:
        rows = np.sort(np.random.default_rng(seed).permutation(k)[:_SAMPLE])
        far, near = cKDTree(xy).query(xy[rows], k=16)
        near = np.array([[other for other in line if other != row][:15] for row, line in zip(rows, near, strict=True)])
        figures["area_accuracy_10"] = _area_accuracy(rows, near[:, :10], areas)
        figures["neighbour_recall_15"] = _recall(near, neighbours[rows])
        figures["text_recall_15"] = _text_recall(near, rows, text)
        figures["outliers"] = round(float(np.mean(far[:, 10] > 10 * np.median(far[:, 10]))), 4)
    return figures


def _recall(near: NDArray[np.int64], wanted: NDArray[np.int32]) -> float:
    shared = [len(set(line) & set(like)) / max(len(like), 1) for line, like in zip(near, wanted, strict=True)]
    return round(float(np.mean(shared)), 4)


def _text_recall(near: NDArray[np.int64], rows: NDArray[np.int64], text: NDArray[np.float32] | None) -> float | None:
    """`near` and `rows` are of the map; papers without text count neither as asking nor as answer."""
    if text is None:
        return None
    worded: NDArray[np.bool_] = np.asarray(text.any(axis=1))
    rows, near = rows[:: max(1, len(rows) // _BLOCK)], near[:: max(1, len(rows) // _BLOCK)]
    if np.count_nonzero(worded[rows]) < 20:
        return None
    wanted = np.empty((len(rows), 15), np.int32)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        likeness = np.where(worded, np.round(text[block] @ text.T, 6), -2)
        likeness[np.arange(len(block)), block] = -3
        wanted[start : start + _BLOCK] = np.argsort(-likeness, axis=1, kind="stable")[:, :15]
    return _recall(near[worded[rows]], wanted[worded[rows]])


def _citation_auc(xy: NDArray[np.float32], citations: sp.csr_matrix, seed: int) -> float | None:
    pairs = sp.triu(citations, 1).tocoo()
    if len(xy) < 3 or not pairs.nnz:
        return None
    random = np.random.default_rng(seed)
    chosen = np.sort(random.permutation(pairs.nnz)[:_MOST])
    here, there = pairs.row[chosen], pairs.col[chosen]
    near = np.linalg.norm(xy[here] - xy[there], axis=1)
    wins = [
        np.mean(np.where(near < far, 1.0, np.where(near == far, 0.5, 0.0)))
        for _ in range(_AGAINST)
        for far in [np.linalg.norm(xy[here] - xy[random.integers(0, len(xy), len(here))], axis=1)]
    ]
    return round(float(np.mean(wins)), 4)


def _area_accuracy(rows: NDArray[np.int64], near: NDArray[np.int64], areas: Sequence[str | None]) -> float | None:
    names, number = np.unique([area or "" for area in areas], return_inverse=True)
    known = np.array([bool(areas[row]) for row in rows])
    if len(names) < 2 or not known.any():
        return None
    votes = [np.bincount(number[line], minlength=len(names)).argmax() for line in near[known]]
    return round(float(np.mean(np.array(votes) == number[rows[known]])), 4)
