"""From texts and links to places: all papers together, or, of very many, the landmarks together and the others among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.checkpoints import Checkpoints
from layout.movement import diameter
from layout.parameters import Parameters
from layout.placement import BANDWIDTH, place
from layout.positions import positions
from layout.settling import Settled, settle
from layout.similarity import fuse, memberships, nearest
from layout.smoothing import Links
from layout.spots import spread
from layout.workers import Spread, crew

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Compared:
    """k papers and what each is like; L of them are landmarks, usually all."""

    vectors: Floats
    """(k, d) smoothed, rows of unit length."""
    landmarks: Bools
    """(k,)"""
    neighbours: NDArray[np.int32]
    """(L, m) nearest landmarks of each landmark, by number among them."""
    distances: Floats
    """(L, m) 1 - cosine, ascending."""
    graph: sp.csr_matrix
    """(L, L) the similarity graph (`layout.similarity.fuse`)."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """The same with places."""

    xy: Floats
    """(k, 2) map units; NaN for those that got none."""
    neighbours: NDArray[np.int32]
    """(k, m) nearest papers, by row; those of papers that are no landmarks are landmarks. -1 for none."""
    distances: Floats
    """(k, m)"""
    graph: sp.csr_matrix
    """(k, k) the similarity graph; of papers that are no landmarks, their ties to landmarks."""
    landmarks: Bools
    """(k,)"""


def compare(vectors: Floats, bare: Bools, links: Links, parameters: Parameters, kept: Checkpoints) -> Compared:
    """Choose landmarks where there are more papers than `parameters.landmarks`, and tie them to each other.

    `bare` (k,) are papers with a vector of their links alone. Papers that are added to a map are all compared. Raises what
    `layout.workers.crew` raises.
    """
    k = len(vectors)
    landmarks = np.ones(k, bool)
    if k > parameters.landmarks:
        from layout.landmarks import landmarks_of  # FAISS takes half a second to import

        landmarks = landmarks_of(vectors, bare, links, parameters.landmarks, parameters.seed)
    core, direct = vectors[landmarks], links.direct[landmarks][:, landmarks].tocsr()
    many = max(0, min(parameters.neighbours, len(core) - 1))

    def looked_up() -> tuple[NDArray[np.int32], Floats]:
        with _elsewhere(parameters) as others:
            return nearest(core, many, parameters.threads, others)

    neighbours, distances = kept.arrays("neighbours", looked_up)
    return Compared(
        vectors, landmarks, neighbours, distances, fuse(neighbours, memberships(distances), direct, parameters)
    )


def arrange(
    compared: Compared,
    links: Links,
    parameters: Parameters,
    before: Floats | None,
    kept: Checkpoints,
    progress: Callable[[float], None] = lambda _: None,
) -> Arranged:
    """Place the landmarks, from `before` (k, 2) as `layout.positions` does, and then the others among them."""
    landmarks = compared.landmarks
    core = None if before is None else before[landmarks]
    share = float(landmarks.mean()) if len(landmarks) else 1.0

    def together() -> tuple[Floats]:
        vectors = compared.vectors[landmarks]
        return (positions(compared.graph, vectors, parameters, core, lambda done: progress(share * done)),)

    (xy,) = kept.arrays("places", together)
    if landmarks.all():
        return Arranged(xy, compared.neighbours, compared.distances, compared.graph, landmarks)
    return _with_others(
        compared, links, xy, before, parameters, kept, lambda done: progress(share + (1 - share) * done)
    )


def _with_others(
    compared: Compared,
    links: Links,
    core: Floats,
    before: Floats | None,
    parameters: Parameters,
    kept: Checkpoints,
    progress: Callable[[float], None],
) -> Arranged:
    landmarks, direct = compared.landmarks, links.direct
    bandwidth = BANDWIDTH * max(diameter(core[np.isfinite(core).all(axis=1)]), 1e-3)
    asked = (compared.vectors, landmarks, direct, core, bandwidth, parameters)

    def placed() -> tuple[NDArray[Any], ...]:
        with _elsewhere(parameters) as others:
            return settle(*asked, spread=others, progress=progress).arrays()

    settled = Settled.of(kept.arrays("others", placed), len(core))
    rows, rest = np.flatnonzero(landmarks), np.flatnonzero(~landmarks)
    xy, stands = _filled(core, settled.xy, landmarks), landmarks.copy()
    if before is not None and parameters.start == "add":
        there: Bools = np.asarray(np.isfinite(before).all(axis=1))
        xy[there], stands[there] = before[there], True
    lost: Bools = np.asarray(~np.isfinite(xy).all(axis=1))
    graph = _whole(compared.graph, settled.ties, rows, rest)
    if lost.any():  # they are tied to others that are no landmarks alone
        ties = _ties_of(links, lost, parameters)
        xy, graph = place(ties, xy, bandwidth), graph + ties
    good: Bools = np.asarray(np.isfinite(xy).all(axis=1))
    xy[good] = spread(xy[good], stands[good])
    m = compared.neighbours.shape[1]  # a landmark has one neighbour fewer where there are few landmarks
    near = np.where(settled.neighbours < 0, -1, rows[settled.neighbours]).astype(np.int32)[:, :m]
    return Arranged(
        xy,
        _filled(rows[compared.neighbours].astype(np.int32), near, landmarks),
        _filled(compared.distances, settled.distances[:, :m], landmarks),
        graph,
        landmarks,
    )


@contextmanager
def _elsewhere(parameters: Parameters) -> Iterator[Spread | None]:
    """The cluster; None without one, as threads of this process need no copies of what they work on."""
    if parameters.cluster is None:
        yield None
    else:
        with crew(1, parameters.cluster) as others:
            yield others


def _ties_of(links: Links, lost: Bools, parameters: Parameters) -> sp.csr_matrix:
    """What ties the `lost` papers, bool (k,), to any: a citation, else c shared references, c / (1 + c) / 2; (k, k), in (0, 1]."""
    chosen = sp.diags(lost.astype(np.float32))
    shared = chosen @ links.shared @ links.shared.T
    shared.data /= 1 + shared.data
    ties = (chosen @ links.direct * np.float32(min(1.0, parameters.citation_weight))).maximum(0.5 * shared)
    both = ties.maximum(ties.T).tocoo()
    apart = both.row != both.col
    whole = sp.csr_matrix((both.data[apart], (both.row[apart], both.col[apart])), shape=both.shape, dtype=np.float32)
    whole.eliminate_zeros()
    whole.sort_indices()
    return whole


def _filled(core: NDArray[T], others: NDArray[T], landmarks: Bools) -> NDArray[T]:
    result: NDArray[T] = np.empty((len(landmarks), core.shape[1]), core.dtype)
    result[landmarks], result[~landmarks] = core, others
    return result


def _whole(
    graph: sp.csr_matrix, ties: sp.csr_matrix, rows: NDArray[np.int64], rest: NDArray[np.int64]
) -> sp.csr_matrix:
    """The graph of the landmarks with the ties of the others, both ways."""
    k = len(rows) + len(rest)
    core, tied = graph.tocoo(), ties.tocoo()
    one, other = rest[tied.row], rows[tied.col]
    data = np.concatenate([core.data, tied.data, tied.data])
    row, column = np.concatenate([rows[core.row], one, other]), np.concatenate([rows[core.col], other, one])
    whole = sp.csr_matrix((data, (row, column)), shape=(k, k))
    whole.sort_indices()
    return whole
