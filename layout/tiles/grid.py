"""Positions on the tile grid: map units to integers, tiles, cells and tile ids. All exact, so all zooms agree."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

EXTENT_BITS: Final = 12
EXTENT: Final = 1 << EXTENT_BITS
"""Units along the side of a tile."""
MAX_ZOOM: Final = 12
"""Deepest zoom that is ever written: a 24-bit grid, which is what a float32 in [0, 1] can tell apart."""
GRID_BITS: Final = MAX_ZOOM + EXTENT_BITS

Ints = NDArray[np.int64]


def quantise(units: NDArray[np.floating]) -> Ints:
    """Map units to the finest grid.

    Parameters
    ----------
    units : float (k,)
        One axis, map units. Finite; what lies outside of [0, 1] is moved to the edge.

    Returns
    -------
    int64 (k,)
        0 .. 2**24 - 1. The position 1 belongs to the last tile, as no tile begins there.

    Raises
    ------
    ValueError
        A position is not finite.
    """
    exact = np.asarray(units, dtype=np.float64)
    if not np.isfinite(exact).all():
        raise ValueError("a position is not finite")
    return np.clip(np.floor(exact * (1 << GRID_BITS)), 0, (1 << GRID_BITS) - 1).astype(np.int64)


def tile_of(grid: Ints, z: int) -> Ints:
    """Column or row of the tile at zoom `z` that holds a grid position."""
    return grid >> (GRID_BITS - z)


def within(grid: Ints, z: int) -> Ints:
    """Coordinate inside of the tile at zoom `z`, 0 .. 4095.

    Never 4096: renderers leave a point on the far edge to the next tile, and at the edge of the map there is none.
    """
    return (grid >> (MAX_ZOOM - z)) & (EXTENT - 1)


def morton(x: Ints, y: Ints) -> Ints:
    """Interleave two numbers of at most 24 bits; cells that share the leading bits lie in the same square."""
    return _spread(x) | (_spread(y) << 1)


def _spread(value: Ints) -> Ints:
    """Put a zero before each bit; the shifts and masks are those of Warren, Hacker's Delight, section 7-2."""
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        value = (value | (value << shift)) & mask
    return value


def tile_ids(x: Ints, y: Ints, z: int) -> Ints:
    """PMTiles ids of tiles: the zooms one after the other, each along a Hilbert curve (PMTiles version 3, section 4.1).

    Parameters
    ----------
    x, y : int64 (k,)
        Column and row, 0 .. 2**z - 1.
    z : int
        Zoom, 0 .. 12.

    Returns
    -------
    int64 (k,)
    """
    ids = np.full(x.shape, ((1 << (2 * z)) - 1) // 3, dtype=np.int64)
    x, y = x.copy(), y.copy()
    for bit in reversed(range(z)):
        side = 1 << bit
        right, down = x & side, y & side
        ids += ((3 * right) ^ down) << bit
        flip = (down == 0) & (right != 0)
        x[flip], y[flip] = side - 1 - x[flip], side - 1 - y[flip]
        x, y = np.where(down == 0, y, x), np.where(down == 0, x, y)
    return ids
