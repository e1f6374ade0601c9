"""New papers into a map that stands: each goes where most of its ties are, and nobody else moves.

A mean of the ties' positions falls into the void between groups; the mode does not (area accuracy of 594 added papers: .746 by the
mode, .695 by the weighted mean, .751 in a new layout). The mode is the tie with the most others near it, from which mean-shift
(Comaniciu, Meer 2002) climbs to the top.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numba as nb
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Floats = NDArray[np.float32]

BANDWIDTH: Final = 0.02
"""Of the map's diameter, within which ties speak for the same place."""
_CLIMBS: Final = 20


def place(graph: sp.csr_matrix, xy: Floats, bandwidth: float) -> Floats:
    """Positions float32 (n, 2) for the rows of `xy` that are NaN; all others are returned bit for bit.

    `graph` is the similarity graph, symmetric (n, n), weights in (0, 1]. A paper that no tie leads to a placed one from stays NaN.
    New papers may be tied to new papers alone: as long as one is placed, those that are tied to it are tried again. Places are sought
    once more with the other new ones in view.
    """
    result = np.ascontiguousarray(xy, np.float32).copy()
    new = np.flatnonzero(~np.isfinite(result).all(axis=1))
    result[new] = np.nan
    begins, ends, weights = graph.indptr.astype(np.int64), graph.indices.astype(np.int32), graph.data.astype(np.float32)
    waiting, before = new, -1
    while len(waiting) not in (0, before):
        before = len(waiting)
        result[waiting] = modes(waiting, result, begins, ends, weights, bandwidth)
        waiting = waiting[~np.isfinite(result[waiting]).all(axis=1)]
    placed = new[np.isfinite(result[new]).all(axis=1)]
    result[placed] = modes(placed, result, begins, ends, weights, bandwidth)
    return result


_jit: Callable[..., Any] = nb.njit(parallel=True, cache=True, error_model="numpy")


@nb.njit(inline="always")
def _drawn(
    x: float, y: float, ties: NDArray[np.int32], weights: Floats, xy: Floats, narrow: float
) -> tuple[float, float, float]:
    """Weight of the ties near (x, y), and their mean position times it."""
    total, sx, sy = 0.0, 0.0, 0.0
    for tie in range(len(ties)):
        px, py = xy[ties[tie], 0], xy[ties[tie], 1]
        if not np.isnan(px):
            pull = weights[tie] * np.exp(-((px - x) ** 2 + (py - y) ** 2) * narrow)
            total += pull
            sx += pull * px
            sy += pull * py
    return total, sx, sy


@_jit
def modes(
    rows: NDArray[np.int64],
    xy: Floats,
    begins: NDArray[np.int64],
    ends: NDArray[np.int32],
    weights: Floats,
    bandwidth: float,
) -> Floats:
    """Where most of the ties of each of `rows` (m,) are, float32 (m, 2); NaN without a tie to anyone who has a position.

    The ties of row i are `ends[begins[i] : begins[i + 1]]`, rows of `xy`, with `weights` in (0, 1].
    """
    found = np.full((len(rows), 2), np.nan, np.float32)
    narrow = 1.0 / (2.0 * bandwidth * bandwidth)
    for at in nb.prange(len(rows)):
        ties, strong = ends[begins[rows[at]] : begins[rows[at] + 1]], weights[begins[rows[at]] : begins[rows[at] + 1]]
        best, x, y = 0.0, np.nan, np.nan
        for tie in ties:
            if not np.isnan(xy[tie, 0]):
                support, _, _ = _drawn(xy[tie, 0], xy[tie, 1], ties, strong, xy, narrow)
                if support > best:
                    best, x, y = support, xy[tie, 0], xy[tie, 1]
        if best > 0.0:
            for _ in range(_CLIMBS):
                total, sx, sy = _drawn(x, y, ties, strong, xy, narrow)
                x, y = sx / total, sy / total
        found[at, 0], found[at, 1] = x, y
    return found
