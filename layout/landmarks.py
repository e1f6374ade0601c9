"""Landmarks: the papers of a very large corpus that are laid out together; all others are placed among them (layout.settling).

The most cited alone would leave young and small fields empty: with 2 % of the papers as landmarks a map lost .04 of its citation AUC.
So each group of like papers gives the same share, its most linked ones.
"""

from __future__ import annotations

from typing import Final

import faiss
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.smoothing import Links

_A_GROUP: Final = 500
"""Landmarks of a group."""
_GROUPS: Final = 2_000
_ROUNDS: Final = 10
_TAUGHT: Final = 64
"""Papers a group from which the groups are learned."""


def landmarks_of(
    vectors: NDArray[np.float32], bare: NDArray[np.bool_], links: Links, many: int, seed: int
) -> NDArray[np.bool_]:
    """Which of n papers are landmarks, bool (n,): about `many`, those with most citations of each group of like vectors.

    `bare` papers, bool (n,), have a vector of their links alone, which is like that of no paper with text: where none but bare ones
    lead to each other, by citations or shared references, the most cited of them is a landmark in any case, beyond `many` if need be.
    """
    many_links = np.diff(links.direct.indptr).astype(np.int64)
    needed = _needed(bare, links, many_links)
    rest = np.flatnonzero(~needed)
    chosen = needed.copy()
    wanted = min(max(many - int(needed.sum()), 0), len(rest))
    if wanted:
        chosen[rest] = choose(vectors[rest] if needed.any() else vectors, many_links[rest], wanted, seed)
    return chosen


def _needed(bare: NDArray[np.bool_], links: Links, many_links: NDArray[np.int64]) -> NDArray[np.bool_]:
    n = len(bare)
    needed = np.zeros(n, bool)
    if bare.any():
        both = sp.bmat([[links.direct, links.shared], [links.shared.T, None]], format="csr")
        components, component = sp.csgraph.connected_components(both, directed=False)
        component = component[:n]
        reached = np.zeros(components, bool)
        reached[component[~bare]] = True
        left = np.flatnonzero(~reached[component])
        order = left[np.lexsort((left, -many_links[left], component[left]))]
        needed[order[np.flatnonzero(np.diff(component[order], prepend=-1))]] = True
    return needed


def choose(vectors: NDArray[np.float32], links: NDArray[np.int64], many: int, seed: int) -> NDArray[np.bool_]:
    """Which `many` of n papers, bool (n,), have most `links`, int64 (n,), in their group of like unit vectors (n, d).

    Of equals, the first row. 0 < many <= n.
    """
    n, d = vectors.shape
    groups = int(np.clip(many // _A_GROUP, 1, _GROUPS))
    means = faiss.Kmeans(
        d, groups, niter=_ROUNDS, seed=seed, max_points_per_centroid=_TAUGHT, min_points_per_centroid=1
    )
    means.train(vectors)
    group = means.index.search(vectors, 1)[1].ravel()
    shares = _shares(np.bincount(group, minlength=groups), many)
    order = np.lexsort((np.arange(n), -links, group))
    begins = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=groups))[:-1]])
    rank = np.arange(n) - begins[group[order]]
    chosen = np.zeros(n, bool)
    chosen[order] = rank < shares[group[order]]
    return chosen


def _shares(sizes: NDArray[np.int64], many: int) -> NDArray[np.int64]:
    """Whole shares of `many` by size, int64: what is left over after rounding down goes to the largest remainders."""
    exact = sizes * (many / sizes.sum())
    shares: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    left = many - int(shares.sum())
    shares[np.argsort(shares - exact, kind="stable")[:left]] += 1
    return shares
