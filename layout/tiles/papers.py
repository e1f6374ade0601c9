"""What the tiles are made of, and what is known of them afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TilePapers:
    """The papers that have a position: one row each, k rows, k >= 0."""

    n: NDArray[np.int32]
    """(k,) distinct numbers, >= 0: the feature ids."""
    x: NDArray[np.float32]
    """(k,) map units, finite."""
    y: NDArray[np.float32]
    """(k,) map units, finite, downwards."""
    area: NDArray[np.int16]
    """(k,) index into the build's areas."""
    citations: NDArray[np.int32]
    """(k,) citing papers of the corpus."""
    year: NDArray[np.int16]
    """(k,) -1 where it is unknown; tiles then have no year for it."""
    region: list[str]
    """k keys of the deepest region; "" where there is none."""
    title: list[str | None]
    """k clean titles."""

    def __post_init__(self) -> None:
        columns = (self.n, self.x, self.y, self.area, self.citations, self.year, self.region, self.title)
        if len({len(column) for column in columns}) > 1:
            raise ValueError(f"columns of different length: {[len(column) for column in columns]}")
        if len(self.n) and (np.unique(self.n).size != len(self.n) or int(self.n.min()) < 0):
            raise ValueError("the numbers of papers must be distinct and not negative")

    def __len__(self) -> int:
        return len(self.n)


@dataclass(frozen=True, slots=True)
class TileFacts:
    """What became of the papers."""

    minzoom: int
    maxzoom: int
    paper_minzoom: NDArray[np.int8]
    """(k,) first zoom whose tiles hold the paper."""
    tiles: int
    """Tiles in the archive."""
    largest: int
    """Bytes of the largest tile, compressed."""
