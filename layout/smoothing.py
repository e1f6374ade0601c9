"""Text vectors smoothed over citations: papers that cite the same works come to say the same (APPNP, Gasteiger et al. 2019).

`Z <- norm((1 - a) X + a norm(P Z))`, `a` = `smoothing`, P the row-normalised citations in both directions; works outside the map
act through stub nodes, each with weight `stub_weight` / log(1 + papers that cite it).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.arrays import Corpus
from layout.parameters import Parameters
from layout.text_vectors import reduce
from layout.unit_rows import unit_rows, unit_sparse_rows


@dataclass(frozen=True, slots=True)
class Links:
    """Citations among the papers of the map, and to works outside of it that two of them or more cite."""

    direct: sp.csr_matrix
    """float32 (k, k), symmetric, 1 for a citation in either direction, diagonal 0."""
    shared: sp.csr_matrix
    """float32 (k, s), 1 where paper i cites outside work j."""


def links_of(corpus: Corpus, rows: NDArray[np.int64], hub: int, worded: NDArray[np.bool_] | None = None) -> Links:
    """The links among the papers `rows` of the corpus (int64 (k,), ascending).

    Outside works that more than `hub` papers cite are left out, unless none would be left. A paper that has neither text (`worded`,
    bool (k,); None is all) nor another link keeps them: they are all that is known of it.
    """
    k = len(rows)
    at = np.full(corpus.nodes, -1, np.int64)
    at[rows] = np.arange(k)
    source, target = at[corpus.citing], at[corpus.cited]
    inner = (source >= 0) & (target >= 0)
    direct = _ones(source[inner], target[inner], (k, k))
    direct = direct.maximum(direct.T).tocsr()
    outer = (source >= 0) & (target < 0)
    works, which = np.unique(corpus.cited[outer], return_inverse=True)
    times = np.bincount(which, minlength=len(works))
    keep = (times > 1) & (times <= hub)
    if not keep.any():
        keep = times > 1
    kept = keep[which]
    bare = np.zeros(k, bool) if worded is None else ~worded
    bare[source[outer][kept]] = False
    bare &= np.diff(direct.indptr) == 0
    kept |= bare[source[outer]] & (times[which] > 1)
    used, column = np.unique(which[kept], return_inverse=True)
    return Links(direct, _ones(source[outer][kept], column, (k, len(used))))


def _ones(row: NDArray[np.int64], column: NDArray[np.int64], shape: tuple[int, int]) -> sp.csr_matrix:
    matrix = sp.csr_matrix((np.ones(len(row), np.float32), (row, column)), shape=shape)
    matrix.data[:] = 1
    return matrix


def smooth(vectors: NDArray[np.float32], links: Links, parameters: Parameters) -> NDArray[np.float32]:
    """Smooth unit vectors (k, d) over the links; a paper without links keeps its own, one without text gets its neighbours'."""
    alpha = np.float32(parameters.smoothing)
    times = np.asarray(links.shared.sum(axis=0)).ravel()
    strength = parameters.stub_weight / np.log1p(np.maximum(times, 1))
    weighed = links.shared @ sp.diags(strength.astype(np.float32))
    gather = (sp.diags((1 / np.maximum(times, 1)).astype(np.float32)) @ links.shared.T).tocsr()
    total = np.asarray(links.direct.sum(axis=1)).ravel() + np.asarray(weighed.sum(axis=1)).ravel()
    scale = sp.diags(np.where(total > 0, 1 / np.maximum(total, 1e-9), 0).astype(np.float32))
    direct, outward = (scale @ links.direct).tocsr(), (scale @ weighed).tocsr()
    smoothed = vectors
    for _ in range(parameters.steps):
        around = direct @ smoothed + outward @ (gather @ smoothed)
        smoothed = unit_rows((1 - alpha) * vectors + alpha * unit_rows(around))
    return smoothed


def with_link_vectors(vectors: NDArray[np.float32], links: Links, parameters: Parameters) -> NDArray[np.float32]:
    """Give papers that have no vector yet one from their links alone, in dimensions of their own.

    The vector is the SVD of the papers' rows of the normalised paper x cited-work incidence. In dimensions of their own they are
    near each other and near no paper with text.
    """
    empty = np.flatnonzero(~vectors.any(axis=1))
    if not len(empty):
        return vectors
    incidence = sp.hstack(
        [
            links.direct[empty] + sp.eye(links.direct.shape[0], format="csr", dtype=np.float32)[empty],
            links.shared[empty],
        ]
    )
    incidence = incidence.tocsr()
    times = np.asarray(incidence.sum(axis=0)).ravel()
    used = np.flatnonzero(times)
    weighed = unit_sparse_rows(incidence[:, used] @ sp.diags((1 / np.log1p(times[used])).astype(np.float32)))
    own = reduce(weighed, parameters.dimensions, parameters.seed)
    wide = np.zeros((len(vectors), vectors.shape[1] + own.shape[1]), np.float32)
    wide[:, : vectors.shape[1]] = vectors
    wide[empty, vectors.shape[1] :] = own
    return wide
