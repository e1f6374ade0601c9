"""Where papers go: a new map turned onto the one that stands, or that one with its new papers added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.embedding import embed
from layout.movement import diameter, procrustes
from layout.parameters import Parameters
from layout.placement import BANDWIDTH, place
from layout.refit import refit
from layout.spots import spread

Floats = NDArray[np.float32]

_EDGE: Final = 0.02
"""Of the square that stays empty at each side of a map that was turned onto another."""
_OUTSIDE: Final = 0.005
"""Share of papers beyond the edge from which on a turned map is drawn smaller; fewer go to the edge."""


def positions(
    graph: sp.csr_matrix,
    vectors: Floats,
    parameters: Parameters,
    before: Floats | None,
    progress: Callable[[float], None] = lambda _: None,
) -> Floats:
    """Place n papers: float32 (n, 2) in map units; NaN for those that get no position.

    `before` is where they are on the map that stands, (n, 2), NaN for new ones; None where there is no map.
    """
    if before is None or not np.isfinite(before).any():
        return embed(graph, vectors, parameters, progress)
    if parameters.start == "add":
        return added(graph, before)
    if parameters.start == "scratch":
        return turned(embed(graph, vectors, parameters, progress), before)
    return turned(refitted(graph, before, parameters, progress), before)


def added(graph: sp.csr_matrix, before: Floats) -> Floats:
    """The map that stands with its new papers, (n, 2): those that were there keep their place to the last bit."""
    standing: NDArray[np.bool_] = np.asarray(np.isfinite(before).all(axis=1))
    xy = place(graph, before, BANDWIDTH * max(diameter(before[standing]), 1e-3))
    good: NDArray[np.bool_] = np.asarray(np.isfinite(xy).all(axis=1))
    xy[good] = spread(xy[good], standing[good])
    return xy


def refitted(
    graph: sp.csr_matrix, before: Floats, parameters: Parameters, progress: Callable[[float], None] = lambda _: None
) -> Floats:
    """The next edition of the map that stands, (n, 2) in arbitrary units; a new paper without a tie to it begins in its middle."""
    start = added(graph, before)
    lost = ~np.isfinite(start).all(axis=1)
    start[lost] = np.median(start[~lost], axis=0)
    new = float(np.mean(~np.isfinite(before).all(axis=1)))
    return refit(graph, start, new, parameters, progress)


def turned(xy: Floats, before: Floats) -> Floats:
    """A map (n, 2) turned, scaled and moved onto the one that stands, and kept inside the square."""
    good: NDArray[np.bool_] = np.asarray(np.isfinite(xy).all(axis=1))
    both = good & np.isfinite(before).all(axis=1)
    if not both.any():
        return xy
    result = np.full(xy.shape, np.nan, np.float32)
    placed = procrustes(xy[both], before[both]).of(xy[good])
    off = np.abs(placed - 0.5).max(axis=1)
    reach = float(np.quantile(off, 1 - _OUTSIDE)) / (0.5 - _EDGE)
    placed = 0.5 + np.clip((placed - 0.5) / max(reach, 1.0), _EDGE - 0.5, 0.5 - _EDGE)
    result[good] = spread(placed.astype(np.float32))
    return result
