"""The backdrop: how densely the papers lie, as filled contours. Computed from all papers, since tiles thin them out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, cast

import numpy as np
from contourpy import FillType, contour_generator
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from layout.tiles.encoding import Shape
from layout.tiles.grid import EXTENT, GRID_BITS, Ints

MAX_ZOOM: Final = 4
"""Deepest zoom with a backdrop; the page fades it out beyond."""
SHARES: Final = (0.985, 0.85, 0.68, 0.5, 0.32, 0.15)
"""Level i is the densest ground that holds this share of the papers."""
_PEAK_SHARES: Final = (0.12, 0.28, 0.44, 0.6, 0.76, 0.9)
"""The levels are at most these parts of the peak, so that a handful of papers still makes a hill of six steps."""
_SCOTT: Final = 0.35
"""Share of Scott's bandwidth, which suits one hump; a literature has many."""
_LEAST_SPREAD: Final = 0.08
"""Map units."""
_WIDTHS: Final = (0.005, 0.03)
"""Narrowest and widest bandwidth, map units."""
_FINEST: Final = 1_024
_COARSEST: Final = 128
_NODES_A_TILE: Final = 256
"""At most so many nodes along a tile: two pixels apart."""
_MARGIN: Final = 2
"""Nodes beyond the edge of a tile, so that its cut edges are never seen."""
_REACH: Final = 4.0
"""Bandwidths at which the kernel is cut off."""

_Polygons = tuple[list[NDArray[np.float64]], list[NDArray[np.uint32]]]
"""Per polygon its points (m, 2), all rings closed and one after the other, and where each ring begins, with the end."""


@dataclass(frozen=True, slots=True)
class Backdrop:
    """A density field on the nodes of a square grid, with a border beyond the map square."""

    field: NDArray[np.float64]
    """(side + 2 * border, same): row = y, column = x; node i lies at (i - border + 0.5) / side map units."""
    side: int
    border: int
    levels: tuple[float, ...]
    """Densities of the contours, ascending; empty without papers."""

    @classmethod
    def of(cls, x: Ints, y: Ints) -> Backdrop:
        """Estimate the density of papers at grid positions x, y, int64 (k,), k >= 0."""
        if not x.size:
            return cls(np.zeros((2, 2)), _COARSEST, 0, ())
        width = bandwidth(x, y)
        side = int(np.clip(1 << math.ceil(math.log2(8 / width)), _COARSEST, _FINEST))
        border = math.ceil(_REACH * width * side) + _MARGIN
        shift = GRID_BITS - int(math.log2(side))
        column, row = (x >> shift) + border, (y >> shift) + border
        span = side + 2 * border
        counts = np.bincount(row * span + column, minlength=span * span).astype(np.float64).reshape(span, span)
        field = gaussian_filter(counts, width * side, mode="constant", truncate=_REACH)
        return cls(field, side, border, _levels(field[row, column], float(field.max())))

    def shapes(self, z: int, x: int, y: int) -> list[Shape]:
        """Contour the window of one tile.

        Returns
        -------
        list of Shape
            Faintest first; each one lies on the one before it. Empty where the ground is bare, and beyond zoom 4.
        """
        if not self.levels or z > MAX_ZOOM:
            return []
        step = max(1, (self.side >> z) // _NODES_A_TILE)
        rows, columns = self._window(y, z, step), self._window(x, z, step)
        window = self.field[np.ix_(rows, columns)]
        if window.max() < self.levels[0]:
            return []
        contours = contour_generator(
            self._units(columns, x, z), self._units(rows, y, z), window, name="serial", fill_type=FillType.OuterOffset
        )
        shapes = []
        for level, density in enumerate(self.levels):
            points, offsets = cast(_Polygons, contours.filled(density, np.inf))
            rings = [ring for polygon in zip(points, offsets, strict=True) for ring in _rings(*polygon)]
            if rings:
                shapes.append(Shape(level, rings))
        return shapes

    def _window(self, tile: int, z: int, step: int) -> Ints:
        """Indexes of the nodes of a tile with a margin on either side, every `step`-th one."""
        nodes = self.side >> z
        first = self.border + tile * nodes
        window = np.arange(first - _MARGIN * step, first + nodes + _MARGIN * step + 1, step)
        return window[(window >= 0) & (window < len(self.field))]

    def _units(self, nodes: Ints, tile: int, z: int) -> NDArray[np.float64]:
        """Coordinates of nodes in units of the tile."""
        return ((nodes - self.border + 0.5) * (1 << z) / self.side - tile) * EXTENT


def bandwidth(x: Ints, y: Ints) -> float:
    """Standard deviation of the kernel, map units, for papers at grid positions x, y, int64 (k,), k >= 1.

    A third of Scott's rule, spread times k**(-1/6), within .005 and .03: few papers get a wide kernel, so that they
    make land and not dots, many get a narrow one, so that the shores of islands show. Papers on one spot count as if
    they were spread a little, or a lone paper would be a dot.
    """
    spread = math.sqrt((float(np.var(x)) + float(np.var(y))) / 2) / (1 << GRID_BITS)
    return float(np.clip(_SCOTT * max(spread, _LEAST_SPREAD) * x.size ** (-1 / 6), *_WIDTHS))


def _levels(at_papers: NDArray[np.float64], peak: float) -> tuple[float, ...]:
    """Densities of the contours, ascending."""
    quantiles = np.quantile(at_papers, 1 - np.asarray(SHARES))
    return tuple(np.unique(np.minimum(quantiles, np.asarray(_PEAK_SHARES) * peak)).tolist())


def _rings(points: NDArray[np.float64], offsets: NDArray[np.uint32]) -> list[Ints]:
    """Turn a contour polygon into rings of whole tile units, the outer one first; empty if it is too small to draw."""
    rings: list[Ints] = []
    for start, end in pairwise(offsets.tolist()):
        ring = _without_needless(np.rint(points[start : end - 1]).astype(np.int64))
        area = doubled_area(ring) if len(ring) >= 3 else 0
        outer = start == 0
        if area:
            rings.append(ring if (area > 0) == outer else ring[::-1])
        elif outer:
            return []
    return rings


def _without_needless(ring: Ints) -> Ints:
    """Drop points that repeat the one before or lie on the line between their neighbours."""
    before = -1
    while len(ring) != before:
        before = len(ring)
        ring = ring[(ring != np.roll(ring, 1, axis=0)).any(axis=1)]
        back, ahead = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
        ring = ring[back[:, 0] * ahead[:, 1] != back[:, 1] * ahead[:, 0]]
    return ring


def doubled_area(ring: Ints) -> int:
    """Twice the area of a ring by the surveyor's formula: positive if it runs clockwise on a screen (y downwards)."""
    ahead = np.roll(ring, -1, axis=0)
    return int((ring[:, 0] * ahead[:, 1] - ahead[:, 0] * ring[:, 1]).sum())
