"""How far papers moved from one map to the next, and the turn that keeps the next one where the last one was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

_FEW: Final = 3
"""Papers below which a turn cannot be told."""
_NEIGHBOURS: Final = 15
_SAMPLE: Final = 20_000
"""Papers whose neighbours are compared; a share among so many is known to half a hundredth."""
FAR: Final = 0.05
"""Of the diameter: who moved further is noticed by people who knew the place."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A similarity transformation of the plane: turned or mirrored, scaled, moved."""

    matrix: NDArray[np.float64]
    """(2, 2) orthogonal matrix times scale, applied from the right."""
    move: NDArray[np.float64]
    """(2,)"""

    def of(self, xy: NDArray[np.float32]) -> NDArray[np.float64]:
        """Positions (n, 2) after it."""
        result: NDArray[np.float64] = xy.astype(np.float64) @ self.matrix + self.move
        return result


def procrustes(xy: NDArray[np.float32], onto: NDArray[np.float32]) -> Turn:
    """The similarity transformation that brings `xy` (n, 2) nearest to `onto` (n, 2) by least squares (Schönemann, Carroll 1970).

    Mirroring is allowed: a layout has no handedness. Fewer than three papers, or all in one place, are only moved.
    """
    one, other = xy.astype(np.float64), onto.astype(np.float64)
    if len(one) == 0:
        return Turn(np.eye(2), np.zeros(2))
    middle, aim = one.mean(axis=0), other.mean(axis=0)
    left, values, right = np.linalg.svd((one - middle).T @ (other - aim))
    extent = float(((one - middle) ** 2).sum())
    if len(one) < _FEW or extent <= 0 or values.sum() <= 0:
        return Turn(np.eye(2), aim - middle)
    matrix = left @ right * (values.sum() / extent)
    return Turn(matrix, aim - middle @ matrix)


def diameter(xy: NDArray[np.float32]) -> float:
    """Twice the distance from the median point within which 95 % of the papers are: one far paper does not widen it."""
    if not len(xy):
        return 0.0
    return 2 * float(np.quantile(np.linalg.norm(xy - np.median(xy, axis=0), axis=1), 0.95))


def movement(before: NDArray[np.float32], after: NDArray[np.float32], seed: int) -> dict[str, float | int | None]:
    """How far the papers of both maps moved, as shares of the diameter before.

    `before` and `after` are positions (n, 2) of the same papers. `neighbours_kept` is the share of the 15 nearest of a paper that
    are the same, among these papers; None where there is nothing to tell.
    """
    names = ("mean", "median", "p95", "far", "neighbours_kept")
    wide = diameter(before)
    if wide <= 0:
        return {"papers": len(before), **dict.fromkeys(names)}
    moved = np.linalg.norm(after.astype(np.float64) - before, axis=1) / wide
    return {
        "papers": len(before),
        "mean": round(float(moved.mean()), 6),
        "median": round(float(np.median(moved)), 6),
        "p95": round(float(np.quantile(moved, 0.95)), 6),
        "far": round(float(np.mean(moved > FAR)), 6),
        "neighbours_kept": _kept(before, after, seed),
    }


def _kept(before: NDArray[np.float32], after: NDArray[np.float32], seed: int) -> float | None:
    n, k = len(before), min(_NEIGHBOURS, len(before) - 1)
    if k < 1:
        return None
    rows = np.arange(n)
    if n > _SAMPLE:
        rows = np.sort(np.random.default_rng(seed).choice(n, _SAMPLE, replace=False))
    one, other = (cKDTree(xy).query(xy[rows], k=k + 1)[1] for xy in (before, after))
    same = [
        len({*_others(mine, row)[:k]} & {*_others(theirs, row)[:k]})
        for row, mine, theirs in zip(rows.tolist(), one.tolist(), other.tolist(), strict=True)
    ]
    return round(float(np.mean(same)) / k, 6)


def _others(near: list[int], row: int) -> list[int]:
    return [other for other in near if other != row]
