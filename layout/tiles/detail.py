"""Level of detail: which papers a tile shows, and how deep the zooms go."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from layout.tiles.grid import GRID_BITS, MAX_ZOOM, Ints, morton
from layout.tiles.papers import TilePapers

CAP: Final = 5_000
"""Papers in a tile, unless the outline or the deepest zoom needs more (docs/tile-format.md)."""
CELL_BITS: Final = 6
"""A cell is 1/64 of a tile's side: 8 pixels of a tile drawn at 512."""
OVERZOOM: Final = 4
"""Zooms that the page draws beyond the deepest tiles."""
APART: Final = 12.0
"""Pixels that close papers should lie apart at the deepest zoom drawn: about one circle."""
TILE_PIXELS: Final = 512
_SEPARATE_ZOOM: Final = 6
"""Deepest zoom asked for by close papers alone: 4,096 tiles."""
_MEAN: Final = 250
"""Papers in a tile of the deepest zoom, which all carry their titles: what a page lays out four zooms deeper."""
_MANY: Final = 65_536
_CRUMBS: Final = 4
_SAMPLE: Final = 20_000
_AGEING: Final = 0.25
"""Weight of log(1 + age): at equal citations the younger paper comes first, yet the classics stay landmarks."""


def order_of_importance(papers: TilePapers) -> Ints:
    """Rows with the most important paper first.

    Importance is log(1 + citations) - 0.25 log(1 + age), the age counted from the newest paper. An unknown age counts
    as the median one, so that it neither helps nor harms. Ties go to the smaller `n`.

    Returns
    -------
    int64 (k,)
        A permutation of the rows.
    """
    year = papers.year.astype(np.float64)
    known = year >= 0
    newest = year[known].max() if known.any() else 0.0
    age = np.where(known, newest - year, 0.0)
    age[~known] = np.median(age[known]) if known.any() else 0.0
    importance = np.log1p(np.maximum(papers.citations, 0)) - _AGEING * np.log1p(age)
    # Rounded: the last bits of a logarithm differ between processors, the map must not.
    return np.lexsort((papers.n, -np.round(importance, 6))).astype(np.int64)


def deepest_zoom(x: Ints, y: Ints) -> int:
    """Choose the zoom at which the tiles end and hold every paper.

    The smallest one at which no tile holds more than 5,000 distinct positions nor 250 on average, and at which nine
    tenths of the papers come to lie 12 pixels from the next one when drawn four zooms deeper (the latter asks for zoom
    6 at most). Papers at one and the same spot count once: no zoom can part them. Nor do a few crowded spots cut all
    the rest into crumbs: no zoom follows one of more than 65,536 tiles with fewer than four papers on average.

    Parameters
    ----------
    x, y : int64 (k,)
        Grid positions.

    Returns
    -------
    int
        0 .. 12.
    """
    codes, rows = np.unique(morton(x, y), return_index=True)
    for z in range(MAX_ZOOM + 1):
        sizes = _runs(codes >> (2 * (GRID_BITS - z)))[1]
        enough = not sizes.size or (sizes.max() <= CAP and sizes.mean() <= _MEAN)
        if enough or (sizes.size > _MANY and sizes.mean() < _CRUMBS):
            return max(z, _separating_zoom(x[rows], y[rows]))
    return MAX_ZOOM


def _separating_zoom(x: Ints, y: Ints) -> int:
    """Tile zoom at which a tenth of the distances to the nearest neighbour is still below `APART` pixels, 0 .. 6."""
    if x.size < 2:
        return 0
    points = np.column_stack([x, y]).astype(np.float64) / (1 << GRID_BITS)
    sample = points[:: math.ceil(len(points) / _SAMPLE)]
    nearest = cKDTree(points).query(sample, k=2)[0][:, 1]
    close = float(np.quantile(nearest, 0.1))
    return int(np.clip(math.ceil(math.log2(APART / (TILE_PIXELS * close))) - OVERZOOM, 0, _SEPARATE_ZOOM))


def first_zooms(x: Ints, y: Ints, order: Ints, deepest: int) -> NDArray[np.int8]:
    """Give each paper the first zoom at which tiles show it; from there on every zoom does.

    In each cell of n papers the ceil(sqrt(n)) most important ones are shown. Where a tile would then exceed 5,000, the
    papers that rank last in their cells wait; but an occupied cell always shows one, so the outline of the map is
    that of all papers at every zoom.

    Parameters
    ----------
    x, y : int64 (k,)
        Grid positions.
    order : int64 (k,)
        Rows, the most important first.
    deepest : int
        Zoom that holds all papers, whatever their number.

    Returns
    -------
    int8 (k,)
        0 .. deepest.
    """
    first = np.full(order.size, deepest, dtype=np.int8)
    codes = morton(x, y)[order]
    zoom_by_rank = np.full(order.size, deepest, dtype=np.int8)
    for z in range(deepest):
        zoom_by_rank[_shown(codes, zoom_by_rank < z, z) & (zoom_by_rank > z)] = z
    first[order] = zoom_by_rank
    return first


def _shown(codes: Ints, already: NDArray[np.bool_], z: int) -> NDArray[np.bool_]:
    """Tell which papers zoom `z` shows.

    Rows are in order of importance; `codes` are their Morton codes, `already` marks those that zooms above show.
    """
    cell = codes >> (2 * (GRID_BITS - CELL_BITS - z))
    by_cell = np.argsort(cell, kind="stable")
    starts, sizes = _runs(cell[by_cell])
    rank = np.arange(codes.size) - np.repeat(starts, sizes)
    quota = np.repeat(np.ceil(np.sqrt(sizes)).astype(np.int64), sizes)
    kept = already[by_cell]
    bare = np.repeat(~np.logical_or.reduceat(kept, starts), sizes)
    must = kept | (bare & (rank == 0))
    candidate = np.flatnonzero(must | (rank < quota))
    # Rows of a tile are adjacent already, as its cells share their leading bits.
    tile = cell[by_cell[candidate]] >> (2 * CELL_BITS)
    preference = np.lexsort((by_cell[candidate], rank[candidate], ~must[candidate], tile))
    tile_starts, tile_sizes = _runs(tile[preference])
    place = np.arange(candidate.size) - np.repeat(tile_starts, tile_sizes)
    chosen = candidate[preference]
    shown = np.zeros(codes.size, dtype=np.bool_)
    shown[by_cell[chosen[must[chosen] | (place < CAP)]]] = True
    return shown


def _runs(groups: Ints) -> tuple[Ints, Ints]:
    """Starts and sizes of the runs of equal numbers."""
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]][: groups.size]).astype(np.int64)
    return starts, np.diff(np.r_[starts, groups.size]).astype(np.int64)
