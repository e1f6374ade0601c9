"""From the similarity graph to places on the map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from layout.kernel import curve, optimise
from layout.parameters import Parameters
from layout.polish import polish
from layout.spots import spread

_KERNEL: Final = 0.7
"""Share of the time that the kernel takes; the polish takes the rest."""
_ACROSS: Final = 10.0
"""Half width of the start, as UMAP's own starts."""
_FEW: Final = 4
"""Papers below which there is nothing to optimise: they are put on a circle."""
_SMALL: Final = 400
"""Papers up to which nobody counts as an outlier."""
MARGIN: Final = 0.08
"""Of the square that stays empty at each side."""


def embed(
    graph: sp.csr_matrix,
    vectors: NDArray[np.float32],
    parameters: Parameters,
    progress: Callable[[float], None] = lambda _: None,
) -> NDArray[np.float32]:
    """Place n papers: float32 (n, 2) in map units, [0, 1]. Rows that come out non-finite are NaN: the caller gives the reason."""
    n = len(vectors)
    if n < _FEW:
        angle = 2 * np.pi * np.arange(n) / max(n, 1)
        ring = 0.5 + (0.1 if n > 1 else 0.0) * np.stack([np.cos(angle), np.sin(angle)], 1)
        few: NDArray[np.float32] = ring.astype(np.float32)
        return few
    start = principal_axes(vectors, parameters.seed)
    if parameters.engine == "umap":
        raw = _umap(graph, start, parameters)
    else:
        raw = optimise(graph, start, parameters, lambda done: progress(_KERNEL * done))
    return fit_to_square(polish(graph, raw, parameters, lambda done: progress(_KERNEL + (1 - _KERNEL) * done)))


def principal_axes(vectors: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """The start: the first two principal components, float32 (n, 2), largest coordinate 10, with a little seeded noise."""
    n = len(vectors)
    noise = np.random.default_rng(seed).normal(0, 1e-3, (n, 2))
    centred = vectors - vectors.mean(axis=0)
    if not np.abs(centred).max(initial=0) > 1e-6:
        spread: NDArray[np.float32] = (noise * 1e3).astype(np.float32)
        return spread
    rank = min(2, *centred.shape)
    left, strength, right = randomized_svd(centred, rank, n_iter=4, random_state=seed, flip_sign=False)
    signs = np.sign(right[np.arange(rank), np.abs(right).argmax(axis=1)])
    xy = np.zeros((n, 2))
    xy[:, :rank] = left * (strength * signs)
    start: NDArray[np.float32] = (xy / np.abs(xy).max() * _ACROSS + noise).astype(np.float32)
    return start


def _umap(graph: sp.csr_matrix, start: NDArray[np.float32], parameters: Parameters) -> NDArray[np.float32]:
    """The same objective by umap-learn: one thread, and most of a minute to compile in each new process."""
    from umap.umap_ import simplicial_set_embedding

    a, b = curve(parameters.min_dist)
    xy, _ = simplicial_set_embedding(
        np.zeros((len(start), 2), np.float32),
        graph.tocoo(),
        2,
        parameters.learning_rate,
        a,
        b,
        parameters.repulsion,
        parameters.negatives,
        parameters.epochs,
        start,
        np.random.RandomState(parameters.seed),
        "euclidean",
        {},
        densmap=False,
        densmap_kwds={},
        output_dens=False,
        parallel=False,
    )
    result: NDArray[np.float32] = xy.astype(np.float32)
    return result


def fit_to_square(xy: NDArray[np.float32], *, inside: float = 0.995) -> NDArray[np.float32]:
    """Centre an embedding and scale it into the map square, `MARGIN` off its edges.

    One far outlier must not shrink the rest to a dot, so in a large map the `inside` quantile sets the scale; outliers go to the
    edge. Papers on one spot are spread along a small spiral. float32 (n, 2) in [0, 1]; row i is still paper i; non-finite rows are
    NaN and do not move the others.
    """
    good = np.isfinite(xy).all(axis=1)
    placed = np.full(xy.shape, np.nan, np.float32)
    if not good.any():
        return placed
    low, high = xy[good].min(axis=0).astype(np.float64), xy[good].max(axis=0).astype(np.float64)
    if good.sum() > _SMALL:
        low, high = np.quantile(xy[good], [(1 - inside) / 2, (1 + inside) / 2], axis=0)
    reach = max(float((high - low).max()) / 2, 1e-9)
    fitted = 0.5 + (0.5 - MARGIN) * np.clip((xy[good] - (low + high) / 2) / reach, -1, 1)
    placed[good] = spread(fitted.astype(np.float32))
    return placed
