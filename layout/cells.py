"""Nearest neighbours among many papers: each is compared with those in the nearest cells alone, not with all (FAISS, IVF)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import faiss
import numpy as np
from numpy.typing import NDArray

from layout.workers import Spread, here

Floats = NDArray[np.float32]

_CELLS: Final = 4.0
"""Cells, by the root of the number of papers."""
_LOOKED_INTO: Final = ((170_000, 16), (1 << 62, 24))
"""Cells that are looked into, by the number of papers up to which: of 49,264 papers of arXiv 16 find .983 of the nearest, of a million
24 find .974."""
_TAUGHT: Final = 64
"""Papers a cell from which the cells are learned."""
_SEED: Final = 1
_TOGETHER: Final = 20_000
"""Papers that are looked up together, whoever does it."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Papers in cells of like ones."""

    index: faiss.Index

    @classmethod
    def of(cls, vectors: Floats, threads: int, *, exact: bool = False) -> Cells:
        """Cells of unit vectors (n, d), of which a search looks into some, or into all."""
        n, d = vectors.shape
        cells = min(n, max(1, round(_CELLS * n**0.5)))
        index = faiss.IndexIVFFlat(faiss.IndexFlatIP(d), d, cells, faiss.METRIC_INNER_PRODUCT)
        index.cp.seed, index.cp.max_points_per_centroid, index.cp.min_points_per_centroid = _SEED, _TAUGHT, 1
        index.nprobe = cells if exact else min(cells, next(looked for most, looked in _LOOKED_INTO if n <= most))
        with _threads(threads):
            index.train(vectors)
            index.add(vectors)
        return cls(index)

    @classmethod
    def unpacked(cls, packed: NDArray[np.uint8]) -> Cells:
        """What `packed` gave."""
        return cls(faiss.deserialize_index(packed))

    def packed(self) -> NDArray[np.uint8]:
        """For another process."""
        held: NDArray[np.uint8] = faiss.serialize_index(self.index)
        return held

    def nearest(self, vectors: Floats, k: int, threads: int) -> tuple[NDArray[np.int64], Floats]:
        """About the k nearest of unit vectors (m, d): rows int64 (m, k), -1 for none, and similarities float32 (m, k).

        The same bits on any number of threads.
        """
        with _threads(threads):
            likeness, found = self.index.search(np.ascontiguousarray(vectors, np.float32), k)
        return found, likeness


def nearest_in_cells(
    vectors: Floats, k: int, threads: int, spread: Spread | None = None
) -> tuple[NDArray[np.int32], Floats]:
    """About the k nearest by cosine of unit vectors (n, d), itself left out, ties by row: int32 (n, k), similarities float32 (n, k).

    The same bits on any number of threads, and where `spread` lets other processes look. k is far below n / cells.
    """
    cells, n = Cells.of(vectors, threads), len(vectors)
    parts = ((vectors[at : at + _TOGETHER],) for at in range(0, n, _TOGETHER))
    answers = (
        here(look, parts, cells, k + 1, threads) if spread is None else spread(look, parts, cells.packed(), k + 1, 1)
    )
    found, likeness = np.empty((n, k + 1), np.int64), np.empty((n, k + 1), np.float32)
    for at, (where, near) in zip(range(0, n, _TOGETHER), answers, strict=True):
        found[at : at + _TOGETHER], likeness[at : at + _TOGETHER] = where, near
    return _others(found, likeness, k, vectors)


def look(vectors: Floats, cells: Cells | NDArray[np.uint8], k: int, threads: int) -> tuple[NDArray[np.int64], Floats]:
    """`Cells.nearest`, for whoever does it."""
    held = Cells.unpacked(cells) if isinstance(cells, np.ndarray) else cells
    return held.nearest(vectors, k, threads)


def _others(found: NDArray[np.int64], likeness: Floats, k: int, vectors: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Leave each paper itself out, and compare those anew with all whose cells held too few."""
    n = len(found)
    likeness = np.where(found == np.arange(n)[:, None], -3, np.where(found < 0, -2, np.round(likeness, 6)))
    order = np.lexsort((found, -likeness))[:, :k]
    chosen, near = np.take_along_axis(found, order, 1), np.take_along_axis(likeness, order, 1)
    for row in np.flatnonzero((near < -1.5).any(axis=1)):
        every = np.round(vectors @ vectors[row], 6)
        every[row] = -3
        chosen[row] = np.lexsort((np.arange(n), -every))[:k]
        near[row] = every[chosen[row]]
    return chosen.astype(np.int32), near.astype(np.float32)


@contextmanager
def _threads(many: int) -> Iterator[None]:
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(many)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
