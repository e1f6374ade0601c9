"""Where papers are near each other: on a map, among vectors, in the planted tree. The same questions go to all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from layout.measures import Floats, Ints, nearest_on_map, on_map

_HELD: Final = 16_000_000
"""Similarities held at once: 64 MB."""


class Space(Protocol):
    """Papers 0..n-1 with distances."""

    def distance(self, a: Ints, b: Ints) -> NDArray[np.float64]:
        """Of papers `a` to papers `b`, in pairs."""
        ...

    def nearest(self, rows: Ints, k: int) -> Ints:
        """The k nearest of each of `rows`, itself left out, int64 (r, k)."""
        ...

    def nearer(self, pairs: Ints) -> Ints:
        """Papers nearer to the first of each pair than the second is, int64 (h,)."""
        ...

    def among(self, rows: Ints) -> Space:
        """The same with these papers alone."""
        ...


@dataclass(frozen=True, slots=True)
class Plane:
    """A map, float32 (n, 2)."""

    xy: Floats

    def distance(self, a: Ints, b: Ints) -> NDArray[np.float64]:
        """Euclidean."""
        return on_map(self.xy)(a, b)

    def nearest(self, rows: Ints, k: int) -> Ints:
        """By a tree."""
        return nearest_on_map(self.xy, rows, k)

    def nearer(self, pairs: Ints) -> Ints:
        """A hair less than the distance is asked for, so that rounding does not count the paper itself."""
        places = self.xy.astype(np.float64)
        far = self.distance(pairs[:, 0], pairs[:, 1]) * (1 - 1e-9)
        within: Ints = np.asarray(cKDTree(places).query_ball_point(places[pairs[:, 0]], far, return_length=True))
        return np.maximum(within - 1, 0)

    def among(self, rows: Ints) -> Plane:
        """The same with these papers alone."""
        return Plane(self.xy[rows])


@dataclass(frozen=True, slots=True)
class Sphere:
    """Unit vectors, float32 (n, d): the nearer the larger the cosine."""

    vectors: Floats

    def distance(self, a: Ints, b: Ints) -> NDArray[np.float64]:
        """1 - cosine, to six decimals."""
        cosine = np.einsum("...d,...d->...", self.vectors[a], self.vectors[b])
        far: NDArray[np.float64] = np.round(1 - cosine.astype(np.float64), 6)
        return far

    def nearest(self, rows: Ints, k: int) -> Ints:
        """Exact; ties in no particular order, but always the same one."""
        found = np.empty((len(rows), k), np.int64)
        for at, likeness in self._likeness(rows):
            best = np.argpartition(-likeness, k, axis=1)[:, :k]
            order = np.argsort(-np.take_along_axis(likeness, best, 1), axis=1, kind="stable")
            found[at] = np.take_along_axis(best, order, 1)
        return found

    def nearer(self, pairs: Ints) -> Ints:
        """Exact."""
        found = np.empty(len(pairs), np.int64)
        for at, likeness in self._likeness(pairs[:, 0]):
            own = np.take_along_axis(likeness, pairs[at, 1:], 1)
            found[at] = (likeness > own).sum(axis=1)
        return found

    def among(self, rows: Ints) -> Sphere:
        """The same with these papers alone."""
        return Sphere(self.vectors[rows])

    def _likeness(self, rows: Ints) -> Iterator[tuple[slice, Floats]]:
        """Cosines of `rows` to all papers, to six decimals, some rows at a time; a paper is unlike itself."""
        block = max(1, _HELD // len(self.vectors))
        for start in range(0, len(rows), block):
            at = slice(start, start + block)
            likeness = np.round(self.vectors[rows[at]] @ self.vectors.T, 6)
            likeness[np.arange(len(likeness)), rows[at]] = -2
            yield at, likeness
