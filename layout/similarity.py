"""One sparse similarity graph: nearest neighbours of the smoothed vectors, fused with direct citations."""

from __future__ import annotations

from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.parameters import Parameters
from layout.workers import Spread

_BLOCK: Final = 16_000_000
"""Similarities held at once: 64 MB."""
EXACT: Final = 15_000
"""Papers up to which all are compared with all."""
_HALVINGS: Final = 64
"""Of the bandwidth search, as umap-learn does."""
_LEAST_BANDWIDTH: Final = 1e-3
"""Of a paper's bandwidth, as a share of its mean distance (umap-learn's MIN_K_DIST_SCALE)."""


def nearest(
    vectors: NDArray[np.float32], k: int, threads: int = 1, spread: Spread | None = None
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Nearest neighbours by cosine of unit vectors (n, d), itself left out, ties by row: exact up to 15,000 papers.

    Above that, `spread` may let other processes look.

    Returns neighbours int32 (n, k) and distances 1 - cosine, float32 (n, k), ascending. k < n.
    """
    n = len(vectors)
    if n > EXACT and k:
        from layout.cells import nearest_in_cells  # what few need: half a second to import

        found, likeness = nearest_in_cells(np.ascontiguousarray(vectors, np.float32), k, threads, spread)
        return found, np.maximum(0, 1 - likeness)
    neighbours, distances = np.empty((n, k), np.int32), np.empty((n, k), np.float32)
    block = max(1, _BLOCK // max(n, 1))
    for start in range(0, n, block):
        end = min(start + block, n)
        likeness = vectors[start:end] @ vectors.T
        likeness[np.arange(end - start), np.arange(start, end)] = -2
        likeness = np.round(likeness, 6)
        best = np.argpartition(-likeness, min(2 * k, n - 1), axis=1)[:, : min(2 * k, n - 1) + 1]
        best.sort(axis=1)
        order = np.argsort(-np.take_along_axis(likeness, best, 1), axis=1, kind="stable")[:, :k]
        chosen = np.take_along_axis(best, order, 1)
        neighbours[start:end] = chosen
        distances[start:end] = np.maximum(0, 1 - np.take_along_axis(likeness, chosen, 1))
    return neighbours, distances


def memberships(distances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Fuzzy membership of each neighbour (McInnes et al. 2018, algorithm 3): exp(-(d - rho) / sigma), float32 (n, k).

    rho is the distance to the nearest that is not at 0; sigma makes the memberships add up to log2(k). A neighbour with nothing in
    common (distance 1 or more) is none.
    """
    n, k = distances.shape
    if not distances.size:
        return np.zeros((n, k), np.float32)
    positive = np.where(distances > 0, distances, np.inf).min(axis=1, initial=np.inf)
    rho = np.where(np.isfinite(positive), positive, 0)
    beyond = np.maximum(distances - rho[:, None], 0)
    low, high, sigma = np.zeros(n), np.full(n, np.inf), np.ones(n)
    target = np.log2(max(k, 2))
    for _ in range(_HALVINGS):
        total = np.exp(-beyond / sigma[:, None]).sum(axis=1)
        over = total > target
        high, low = np.where(over, sigma, high), np.where(over, low, sigma)
        sigma = np.where(np.isinf(high), sigma * 2, (low + high) / 2)
    sigma = np.maximum(sigma, _LEAST_BANDWIDTH * np.maximum(distances.mean(axis=1), 1e-6))
    members = np.exp(-beyond / sigma[:, None])
    result: NDArray[np.float32] = np.where(distances < 1, members, 0).astype(np.float32)
    return result


def fuse(
    neighbours: NDArray[np.int32], members: NDArray[np.float32], citations: sp.csr_matrix, parameters: Parameters
) -> sp.csr_matrix:
    """The fuzzy union of the neighbour graph and the citations (n, n): symmetric, float32, weights in (0, 1], sorted.

    A citation has membership min(1, log2(k) / degree) from each side, so that hubs pull weakly, and `citation_weight` in the union.
    """
    n, k = neighbours.shape
    rows = np.repeat(np.arange(n), k)
    similar = sp.csr_matrix((members.ravel(), (rows, neighbours.ravel())), shape=(n, n))
    cited = (sp.diags(pulls(citations, parameters)) @ citations).tocsr()
    graph = (
        union(union(similar, similar.T), parameters.citation_weight * union(cited, cited.T)).tocsr().astype(np.float32)
    )
    graph.setdiag(0)
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def pulls(citations: sp.csr_matrix, parameters: Parameters) -> NDArray[np.float32]:
    """How strongly each paper is drawn by one of its citations (n, n), float32 (n,) in (0, 1]."""
    degree = np.maximum(np.asarray(citations.sum(axis=1)).ravel(), 1)
    pull: NDArray[np.float32] = np.minimum(1, np.log2(max(parameters.neighbours, 2)) / degree).astype(np.float32)
    return pull


def union(left: sp.csr_matrix, right: sp.csr_matrix) -> sp.csr_matrix:
    """The probabilistic t-conorm a + b - ab of memberships."""
    return left + right - left.multiply(right)
