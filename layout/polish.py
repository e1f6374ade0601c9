"""The last step of a layout: a short t-SNE of the same graph, which sharpens neighbourhoods and leaves the whole where it is.

t-SNE repels more than UMAP and so keeps more of each paper's nearest (Böhm, Berens, Kobak 2022); started from a finished map it
needs a hundred iterations instead of 750. The gradient is openTSNE's, interpolated on a grid by FFT (Linderman et al. 2019; Poličar,
Stražar, Zupan 2024). docs/decisions/0010 has the figures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.parameters import Parameters

Floats = NDArray[np.float64]

_FEW: Final = 30
"""Papers below which the kernel's map stays: nearly all are neighbours of all."""
_WIDTH: Final = 0.2
"""Root mean square radius of the start, by the root of the number of papers. From it t-SNE comes to .49, .31 and .21 in a hundred
iterations among 1,395, 7,491 and 50,000 papers; a start that is wider than where it comes to leaves gaps and takes a larger grid."""
_MOMENTUM: Final = 0.8
_CELL: Final = 1.5
"""Least side of a cell of the grid. 1, as openTSNE has it, takes twice the time; 3 keeps .02 fewer of the nearest by text."""
_CELLS: Final = 30
"""Least number of cells a side."""
_REACH: Final = (0.95, 1.5)
"""Beyond 1.5 times the radius within which 95 % of the papers are, a map is drawn in: see `drawn_in`. No paper is there in a map that
hangs together."""
_WIDEST: Final = 4.0
"""Times the width of the start that a map may come to. One that hangs together comes to 2.5 at the most; papers without ties would
drive each other apart for ever, and the grid grows with them."""
_NARROWEST: Final = 1e-3
"""Times the width of the start at which it ends: where all are tied to all alike they fall into one spot, and a grid without extent
ends the process."""
_TELL: Final = 10
"""Iterations between two looks at what comes of it."""


def polish(
    graph: sp.csr_matrix,
    xy: NDArray[np.float32],
    parameters: Parameters,
    progress: Callable[[float], None] = lambda _: None,
) -> NDArray[np.float32]:
    """Refine a layout of n papers, float32 (n, 2), arbitrary units before and after.

    `graph` is symmetric, (n, n), weights in (0, 1]. The bits do not depend on the number of threads. Rows that are not finite stay so
    and move no other. Where there is nothing to refine (few papers, no tie, all on one spot) the layout stays as it is.
    """
    rows = np.flatnonzero(np.isfinite(xy).all(axis=1))
    if not parameters.polish or len(rows) < _FEW:
        return xy
    middle = np.median(xy[rows].astype(np.float64), axis=0)
    start = drawn_in(xy[rows] - middle)
    # openTSNE leaves the first row out of its grid where that has the largest coordinate of all, and it flies off: the inmost comes first.
    inmost = np.argsort(_radii(start), kind="stable")
    rows, start = rows[inmost], start[inmost]
    ties = graph[rows][:, rows].astype(np.float64)
    if not ties.nnz or not _width(start) > 0:
        return xy
    moved = drawn_in(_refined(ties, start * (_WIDTH * np.sqrt(len(rows)) / _width(start)), parameters, progress))
    if not np.isfinite(moved).all():
        return xy
    result = xy.copy()
    result[rows] = moved
    return result


def drawn_in(xy: Floats) -> Floats:
    """Bring what is far from the middle nearer, float (n, 2) around 0, order of distances kept: nobody is beyond twice the reach.

    t-SNE drives papers without ties to the rest ever further out, and its grid grows with the farthest.
    """
    radius = _radii(xy)
    share, times = _REACH
    reach = times * float(np.quantile(radius, share))
    far = radius > reach
    near: Floats = xy.astype(np.float64)
    near[far] *= ((2 - reach / radius[far]) * reach / radius[far])[:, None]
    return near


def _radii(xy: Floats) -> Floats:
    return np.hypot(xy[:, 0], xy[:, 1])


def _width(xy: Floats) -> float:
    """Root mean square radius."""
    return float(np.sqrt(np.mean(_radii(xy) ** 2)))


def _refined(ties: sp.csr_matrix, start: Floats, parameters: Parameters, progress: Callable[[float], None]) -> Floats:
    from openTSNE import TSNEEmbedding  # as late as here: it takes up to a second to import
    from openTSNE.affinity import PrecomputedAffinities

    def look(done: int, _error: float, embedding: Floats) -> bool:
        embedding[:] = drawn_in(embedding)
        wide = _width(embedding) / _width(start)
        embedding *= min(1.0, _WIDEST / wide)
        progress(done / parameters.polish)
        return wide < _NARROWEST

    embedding = TSNEEmbedding(
        start,
        PrecomputedAffinities(ties),
        negative_gradient_method="fft",
        ints_in_interval=_CELL,
        min_num_intervals=_CELLS,
        n_jobs=parameters.threads,
    )
    # The learning rate of Belkina et al. 2019, without the floor of 200 that some give it: that throws few papers apart.
    moved = embedding.optimize(
        n_iter=parameters.polish,
        exaggeration=parameters.exaggeration,
        momentum=_MOMENTUM,
        learning_rate=len(start) / parameters.exaggeration,
        callbacks=[look],
        callbacks_every_iters=_TELL,
    )
    return np.array(moved, np.float64)
