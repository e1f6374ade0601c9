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
_NONE, _ONE, _TWO, _CLIP = np.float32(0), np.float32(1), np.float32(2), np.float32(4)
_NEAR: Final = np.float32(0.001)
"""Of the square of a distance: keeps a push finite, as in umap-learn."""
_UNIT: Final = np.float32(2.0**-24)
"""From 24 random bits to [0, 1)."""


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
    a, b = map(np.float32, curve(parameters.min_dist))
    repulsion = np.float32(parameters.repulsion)
    chance = (graph.data / max(float(graph.data.max(initial=0)), 1e-12)).astype(np.float32)
    begins, ends = graph.indptr.astype(np.int64), graph.indices.astype(np.int32)
    xy = np.ascontiguousarray(start, np.float32).copy()
    force, first, second = np.zeros_like(xy), np.zeros_like(xy), np.zeros_like(xy)
    for epoch in range(parameters.epochs):
        rate = parameters.learning_rate * (1 - epoch / parameters.epochs)
        _forces(xy, force, begins, ends, chance, a, b, parameters.negatives, repulsion, parameters.seed, epoch)
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
def _below(random: Any, n: int) -> Any:  # noqa: ANN401
    """A number in [0, n) from the upper half of a random one: a division takes a third of the kernel's time (Lemire 2019)."""
    return nb.int64(((random >> nb.uint64(32)) * nb.uint64(n)) >> nb.uint64(32))


@nb.njit(inline="always")
def _clipped(x: Any) -> Any:  # noqa: ANN401
    return min(max(x, -_CLIP), _CLIP)


@_jit
def _forces(
    xy: Floats,
    force: Floats,
    begins: NDArray[np.int64],
    ends: NDArray[np.int32],
    chance: Floats,
    a: np.float32,
    b: np.float32,
    negatives: int,
    repulsion: np.float32,
    seed: int,
    epoch: int,
) -> None:
    """Sum the forces on each paper; all in single precision, which is what positions have."""
    n = xy.shape[0]
    base = _mixed(nb.uint64(seed) * nb.uint64(1000003) + nb.uint64(epoch))
    for i in nb.prange(n):
        x, y, fx, fy = xy[i, 0], xy[i, 1], _NONE, _NONE
        for edge in range(begins[i], begins[i + 1]):
            random = _mixed(base ^ (nb.uint64(edge) * nb.uint64(0x9E3779B97F4A7C15)))
            if nb.float32(random >> nb.uint64(40)) * _UNIT >= chance[edge]:
                continue
            dx, dy = x - xy[ends[edge], 0], y - xy[ends[edge], 1]
            square = dx * dx + dy * dy
            if square > _NONE:
                power = square**b
                strength = -_TWO * a * b * power / (square * (a * power + _ONE))
                fx += _TWO * _clipped(strength * dx)  # both ends of an edge move: this is the other end's half
                fy += _TWO * _clipped(strength * dy)
            for sample in range(negatives):
                random = _mixed(random + nb.uint64(sample + 1))
                k = _below(random, n)
                if k != i:
                    dx, dy = x - xy[k, 0], y - xy[k, 1]
                    square = dx * dx + dy * dy
                    power = square**b if square > _NONE else _NONE
                    strength = _TWO * b / ((_NEAR + square) * (a * power + _ONE))
                    fx += repulsion * _clipped(strength * dx)
                    fy += repulsion * _clipped(strength * dy)
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
