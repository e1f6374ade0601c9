"""The next edition of a map: it begins where papers are, and moves them as little as the new ones need.

A small step for 20 epochs, and as short a polish: 5 % new papers move the others by 1.3 % of the map's diameter in the mean, where a new
map turned onto the old one moves them by 6 to 10 %; docs/map-quality.md has the figures. 30 epochs, a step of .1 and 30 iterations moved
them by 1.6 % and placed the new ones no better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.kernel import curve, optimise
from layout.parameters import Parameters
from layout.polish import polish

Floats = NDArray[np.float32]

_EPOCHS, _STEP, _POLISH = 20, 0.07, 20
_SHARE: Final = 0.5
"""Share of the time that the kernel takes; the polish takes the rest."""
_MANY: Final = 0.2
"""Share of new papers from which on as much is done as for a new map: there is little left to stand still."""
_SAMPLE: Final = 200_000
"""Edges that the scale is found from."""
_SCALES: Final = np.geomspace(1, 10_000, 121)
"""Kernel units across the map square that are tried: 170,000 papers are about 300 across."""
_FLOOR: Final = 1e-3
"""Keeps the logarithm finite where two papers meet; the kernel's repulsion has the same."""


def refit(
    graph: sp.csr_matrix,
    xy: Floats,
    new: float,
    parameters: Parameters,
    progress: Callable[[float], None] = lambda _: None,
) -> Floats:
    """Move n papers of a map, float32 (n, 2) finite, a little towards what the graph wants; arbitrary units, not turned back.

    `new` is the share of them that were placed just now.
    """
    if new <= _MANY:
        step, iterations = _STEP * parameters.learning_rate, min(_POLISH, parameters.polish)
        parameters = replace(parameters, epochs=_EPOCHS, learning_rate=step, polish=iterations)
    scale = np.float32(natural_scale(graph, xy, parameters))
    raw = optimise(graph, (xy - np.float32(0.5)) * scale, parameters, lambda done: progress(_SHARE * done))
    return polish(graph, raw, parameters, lambda done: progress(_SHARE + (1 - _SHARE) * done))


def natural_scale(graph: sp.csr_matrix, xy: Floats, parameters: Parameters) -> float:
    """How many units of the kernel are one unit of `xy` (n, 2): with these its objective (McInnes et al. 2018) is least.

    Each edge is drawn from both ends and moves both; a repulsive sample moves one. Hence 2 against half of twice the samples.
    """
    a, b = curve(parameters.min_dist)
    edges = sp.triu(graph, 1).tocoo()
    if not edges.nnz:
        return 1.0
    random = np.random.default_rng(parameters.seed)
    drawn = random.choice(edges.nnz, min(edges.nnz, _SAMPLE), replace=False)
    one, weight = edges.row[drawn], edges.data[drawn].astype(np.float64)
    far = _squares(xy, one, edges.col[drawn])
    apart = _squares(xy, one, random.integers(0, len(xy), len(one)))
    push = parameters.repulsion * parameters.negatives
    losses = []
    for scale in _SCALES:
        near, met = (1 / (1 + a * (square * scale**2) ** b) for square in (far, apart))
        losses.append(-(weight * (2 * np.log(near) + push * np.log(1 - met + _FLOOR))).sum())
    return float(_SCALES[int(np.argmin(losses))])


def _squares(xy: Floats, one: NDArray[np.int32], other: NDArray[np.int64]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = ((xy[one].astype(np.float64) - xy[other]) ** 2).sum(axis=1)
    return squares
