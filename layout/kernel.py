"""UMAP's objective, optimised in batch: the same bits on any number of threads.

In each epoch every paper sums the pull of its sampled edges and the push of its negative samples from the positions of the epoch
before (Jacobi), then all take one Adam step. Random numbers are hashed from (seed, epoch, edge, sample), so that nothing depends on
the order of work. Objective and gradients: McInnes, Healy, Melville 2018, section 4; clipping at 4 as umap-learn does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numba as nb
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import curve_fit

from layout.parameters import Parameters

Floats = NDArray[np.float32]

_TELL: Final = 10
"""Epochs between two words of progress."""


def curve(min_dist: float, spread: float = 1.0) -> tuple[float, float]:
    """The a, b of 1 / (1 + a d^(2b)) that fit UMAP's offset exponential, as umap-learn's `find_ab_params` does."""
    distance = np.linspace(0, spread * 3, 300)
    wanted = np.where(distance < min_dist, 1.0, np.exp(-(distance - min_dist) / spread))
    (a, b), _ = curve_fit(lambda d, a, b: 1.0 / (1.0 + a * d ** (2 * b)), distance, wanted)
    return float(a), float(b)


def optimise(
    graph: sp.csr_matrix,
    start: NDArray[np.float32],
    parameters: Parameters,
    progress: Callable[[float], None] = lambda _: None,
) -> NDArray[np.float32]:
    """Lay out a fuzzy graph.

    Parameters
    ----------
    graph : csr float32 (n, n)
        Symmetric, sorted, weights in (0, 1], no diagonal.
    start : float32 (n, 2)
        Arbitrary units, about 10 across. Not modified.

    Returns
    -------
    float32 (n, 2)
        Arbitrary units.
    """
    a, b = curve(parameters.min_dist)
    chance = (graph.data / max(float(graph.data.max(initial=0)), 1e-12)).astype(np.float32)
    begins, ends = graph.indptr.astype(np.int64), graph.indices.astype(np.int32)
    xy = np.ascontiguousarray(start, np.float32).copy()
    force, first, second = np.zeros_like(xy), np.zeros_like(xy), np.zeros_like(xy)
    for epoch in range(parameters.epochs):
        rate = parameters.learning_rate * (1 - epoch / parameters.epochs)
        _forces(
            xy, force, begins, ends, chance, a, b, parameters.negatives, parameters.repulsion, parameters.seed, epoch
        )
        _step(xy, force, first, second, rate, epoch + 1)
        if epoch % _TELL == 0:
            progress(epoch / parameters.epochs)
    return xy


_jit: Callable[..., Any] = nb.njit(parallel=True, cache=True, error_model="numpy")


@nb.njit(inline="always")
def _mixed(x: Any) -> Any:  # noqa: ANN401  a numba scalar
    """Steele, Lea, Flood 2014 (SplitMix64's finaliser)."""
    x = nb.uint64(x)
    x ^= x >> nb.uint64(30)
    x *= nb.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> nb.uint64(27)
    x *= nb.uint64(0x94D049BB133111EB)
    return x ^ (x >> nb.uint64(31))


@nb.njit(inline="always")
def _clipped(x: float) -> float:
    return min(max(x, -4.0), 4.0)


@nb.njit(inline="always")
def _pull(dx: float, dy: float, a: float, b: float) -> tuple[float, float]:
    square = dx * dx + dy * dy
    if square <= 0:
        return 0.0, 0.0
    power = square**b
    strength = -2.0 * a * b * power / (square * (a * power + 1.0))
    return _clipped(strength * dx), _clipped(strength * dy)


@nb.njit(inline="always")
def _push(dx: float, dy: float, a: float, b: float) -> tuple[float, float]:
    square = dx * dx + dy * dy
    power = square**b if square > 0 else 0.0
    strength = 2.0 * b / ((0.001 + square) * (a * power + 1.0))
    return _clipped(strength * dx), _clipped(strength * dy)


@_jit
def _forces(
    xy: Floats,
    force: Floats,
    begins: NDArray[np.int64],
    ends: NDArray[np.int32],
    chance: Floats,
    a: float,
    b: float,
    negatives: int,
    repulsion: float,
    seed: int,
    epoch: int,
) -> None:
    n = xy.shape[0]
    base = _mixed(nb.uint64(seed) * nb.uint64(1000003) + nb.uint64(epoch))
    for i in nb.prange(n):
        fx = 0.0
        fy = 0.0
        for edge in range(begins[i], begins[i + 1]):
            random = _mixed(base ^ (nb.uint64(edge) * nb.uint64(0x9E3779B97F4A7C15)))
            if (random >> nb.uint64(11)) * (1.0 / 9007199254740992.0) >= chance[edge]:
                continue
            j = ends[edge]
            ux, uy = _pull(xy[i, 0] - xy[j, 0], xy[i, 1] - xy[j, 1], a, b)
            fx += 2.0 * ux  # both ends of an edge move: this is the other end's half
            fy += 2.0 * uy
            for sample in range(negatives):
                random = _mixed(random + nb.uint64(sample + 1))
                k = nb.int64(random % nb.uint64(n))
                if k != i:
                    ux, uy = _push(xy[i, 0] - xy[k, 0], xy[i, 1] - xy[k, 1], a, b)
                    fx += repulsion * ux
                    fy += repulsion * uy
        force[i, 0] = fx
        force[i, 1] = fy


@_jit
def _step(xy: Floats, force: Floats, first: Floats, second: Floats, rate: float, t: int) -> None:
    """One Adam step (Kingma, Ba 2015) with decay rates 0.5 and 0.9: forces change fast from epoch to epoch."""
    scale1 = 1.0 - 0.5**t
    scale2 = 1.0 - 0.9**t
    for i in nb.prange(xy.shape[0]):
        for d in range(2):
            g = force[i, d]
            first[i, d] = 0.5 * first[i, d] + 0.5 * g
            second[i, d] = 0.9 * second[i, d] + 0.1 * g * g
            xy[i, d] += rate * (first[i, d] / scale1) / (np.sqrt(second[i, d] / scale2) + 1e-7)
