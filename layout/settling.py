"""Papers that are placed among landmarks, some at a time and wherever there is a processor: none of them needs another one.

The positions are those that `layout.placement` gives new papers: each goes where most of its ties are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numba as nb
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.parameters import Parameters
from layout.placement import modes
from layout.similarity import EXACT, memberships, pulls, union
from layout.workers import Spread, here

if TYPE_CHECKING:
    from layout.cells import Cells

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Part = tuple[Floats, Ints, Floats, Ints, Ints, Floats]

_TOGETHER: Final = 20_000
"""Papers that are placed at once, whoever does it."""


@dataclass(frozen=True, slots=True)
class Settled:
    """m papers among L landmarks."""

    xy: Floats
    """(m, 2); NaN for those that nothing ties to a landmark."""
    neighbours: Ints
    """(m, k) nearest landmarks, by their number."""
    distances: Floats
    """(m, k) 1 - cosine, ascending."""
    ties: sp.csr_matrix
    """float32 (m, L), in (0, 1]."""

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What `of` takes."""
        return self.xy, self.neighbours, self.distances, self.ties.data, self.ties.indices, self.ties.indptr

    @classmethod
    def of(cls, arrays: tuple[NDArray[Any], ...], landmarks: int) -> Settled:
        """Those arrays as they were."""
        xy, neighbours, distances, data, ends, begins = arrays
        return cls(xy, neighbours, distances, sp.csr_matrix((data, ends, begins), shape=(len(xy), landmarks)))


def settle(
    vectors: Floats,
    landmarks: NDArray[np.bool_],
    citations: sp.csr_matrix,
    xy: Floats,
    bandwidth: float,
    parameters: Parameters,
    spread: Spread | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Settled:
    """Place all that are no landmarks (bool (n,)) of n papers: unit vectors (n, d), `citations` among them, symmetric (n, n).

    `xy`, float32 (L, 2), are the landmarks' positions, `bandwidth` as in `layout.placement`. The same bits on any number of threads, and
    where `spread` lets other processes place them.
    """
    from layout.cells import Cells  # FAISS takes half a second to import

    core, others = np.flatnonzero(landmarks), np.flatnonzero(~landmarks)
    k = min(parameters.neighbours, len(core))
    cells = Cells.of(np.ascontiguousarray(vectors[core]), parameters.threads, exact=len(core) <= EXACT)
    strength = _joint(citations, others, core, parameters)
    parts = _parts(vectors, others, strength)
    if spread is None:
        answers = here(settle_some, parts, cells, xy, k, bandwidth, parameters.citation_weight, parameters.threads)
    else:
        answers = spread(settle_some, parts, cells.packed(), xy, k, bandwidth, parameters.citation_weight, 1)
    return _together(answers, len(others), len(core), k, progress)


def settle_some(
    vectors: Floats,
    begins: Ints,
    ends: Ints,
    strength: Floats,
    cells: Cells | NDArray[np.uint8],
    xy: Floats,
    k: int,
    bandwidth: float,
    citation_weight: float,
    threads: int,
) -> Part:
    """The parts of `Settled` for some papers, the ties as indptr, indices and data; `begins`, `ends`, `strength` are their citations."""
    from layout.cells import look

    found, likeness = look(vectors, cells, k, threads)
    likeness = np.where(found < 0, -1, np.round(likeness, 6)).astype(np.float32)
    order = np.lexsort((found, -likeness))
    found, likeness = np.take_along_axis(found, order, 1), np.take_along_axis(likeness, order, 1)
    distances = np.maximum(0, 1 - likeness)
    shape = (len(vectors), len(xy))
    members = np.where(found < 0, 0, memberships(distances)).astype(np.float32)
    rows, near = np.repeat(np.arange(len(vectors)), k), np.maximum(found, 0).astype(np.int32)
    similar = sp.csr_matrix((members.ravel(), (rows, near.ravel())), shape=shape)
    cited = sp.csr_matrix((strength * np.float32(citation_weight), ends, begins), shape=shape)
    ties = union(similar, cited).tocsr().astype(np.float32)
    ties.eliminate_zeros()
    ties.sort_indices()
    with _at_most(threads):
        places = modes(np.arange(len(vectors)), xy, ties.indptr.astype(np.int64), ties.indices, ties.data, bandwidth)
    return places, np.where(found < 0, -1, near).astype(np.int32), distances, ties.indptr, ties.indices, ties.data


@contextmanager
def _at_most(threads: int) -> Iterator[None]:
    """As a worker is one of many, compiled code must not take all processors."""
    before = nb.get_num_threads()
    nb.set_num_threads(min(threads, before))
    try:
        yield
    finally:
        nb.set_num_threads(before)


def _joint(
    citations: sp.csr_matrix, others: NDArray[np.int64], core: NDArray[np.int64], parameters: Parameters
) -> sp.csr_matrix:
    """How strongly a citation draws from both of its ends, as in `layout.similarity.fuse`: float32 (m, L)."""
    pull = pulls(citations, parameters)
    inner = citations[others][:, core].tocoo()
    one, other = pull[others][inner.row], pull[core][inner.col]
    return sp.csr_matrix((one + other - one * other, (inner.row, inner.col)), shape=inner.shape, dtype=np.float32)


def _parts(
    vectors: Floats, others: NDArray[np.int64], strength: sp.csr_matrix
) -> Iterator[tuple[Floats, Ints, Ints, Floats]]:
    for at in range(0, len(others), _TOGETHER):
        some = strength[at : at + _TOGETHER]
        yield np.ascontiguousarray(vectors[others[at : at + _TOGETHER]]), some.indptr, some.indices, some.data


def _together(
    answers: Iterator[Part],
    many: int,
    landmarks: int,
    k: int,
    progress: Callable[[float], None],
) -> Settled:
    xy, near, far = np.empty((many, 2), np.float32), np.empty((many, k), np.int32), np.empty((many, k), np.float32)
    ties, done = [], 0
    for places, neighbours, distances, begins, ends, weights in answers:
        some = slice(done, done + len(places))
        xy[some], near[some], far[some] = places, neighbours, distances
        ties.append(sp.csr_matrix((weights, ends, begins), shape=(len(places), landmarks)))
        done += len(places)
        progress(done / many)
    together = sp.vstack(ties, format="csr") if ties else sp.csr_matrix((0, landmarks), dtype=np.float32)
    return Settled(xy, near, far, together)
