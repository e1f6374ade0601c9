"""Regions of the map: nested Leiden communities of the similarity graph, at three levels of detail.

On the graph, not on the 2-D points: the map follows the graph, not the other way round. The number of regions grows slowly with the
corpus; the resolution is searched for it inside each parent, and groups too small to name join the neighbour they are tied to most.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import igraph
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Ints = NDArray[np.int64]
_LEVELS: Final = ((4.0, 0.10, 3), (3.0, 0.33, 30), (1.9, 0.54, 120))
"""Per level: regions = factor * papers ** exponent, and the papers from which on the level is drawn. 613 papers: 8, 25, 61;
7,518 papers: 10, 57, 235."""
_SMALLEST: Final = (0.25, 4)
"""A region has at least this share of the mean size, and this many papers."""
_FINER: Final = 1.5
"""Communities that are asked for, as a multiple of the regions that are wanted."""
_TRIES: Final = 8
_ITERATIONS: Final = 3
_FEW, _TELLING = 5, 0.2
"""Papers of a region, and share of it, that its label stands among alone."""
_CROWD: Final = 2_000
"""Papers of a region that its label point is looked for among."""


def nested_regions(graph: sp.csr_matrix, seed: int) -> list[Ints]:
    """Region of each paper at each level, coarsest first: int64 (n,) each, 0..r-1, children nested in parents.

    `graph` is symmetric, (n, n), weights in (0, 1].
    """
    n = graph.shape[0]
    levels: list[Ints] = []
    for factor, exponent, least in _LEVELS:
        if n < least:
            break
        wanted = max(1, round(factor * n**exponent))
        parents = levels[-1] if levels else np.zeros(n, np.int64)
        level = np.zeros(n, np.int64)
        made = 0
        for parent in range(int(parents.max()) + 1):
            members = np.flatnonzero(parents == parent)
            share = max(1, round(wanted * len(members) / n))
            inside = _divide(graph[members][:, members].tocsr(), share, n / wanted, seed)
            level[members] = made + inside
            made += int(inside.max()) + 1
        levels.append(level)
    return levels


def _divide(graph: sp.csr_matrix, wanted: int, mean: float, seed: int) -> Ints:
    """Divide a graph into about `wanted` communities of no less than a share of the `mean` size.

    Modularity at a low resolution gathers half of the papers in one community. So it is asked for a few more communities than are
    wanted, and the smallest join others: that keeps sizes near each other.
    """
    n = graph.shape[0]
    smallest = max(_SMALLEST[1], round(_SMALLEST[0] * mean))
    if wanted < 2 or n < 2 * smallest:
        return np.zeros(n, np.int64)
    upper = sp.triu(graph, 1).tocoo()
    drawn = igraph.Graph(n=n, edges=np.stack([upper.row, upper.col], 1))
    weights = upper.data.astype(float).tolist()
    low, high, resolution = 0.0, np.inf, 1.0
    best, distance = np.zeros(n, np.int64), np.inf
    for _ in range(_TRIES):
        found = _leiden(drawn, weights, resolution, seed)
        count = int(np.count_nonzero(np.bincount(found) >= _SMALLEST[1]))
        if abs(count - _FINER * wanted) < distance:
            best, distance = found, abs(count - _FINER * wanted)
        if wanted < count < (2 * _FINER - 1) * wanted:
            break
        low, high = (resolution, high) if count < _FINER * wanted else (low, resolution)
        resolution = resolution * 2 if np.isinf(high) else (low + high) / 2
    return _join(graph, best, smallest, wanted)


def _leiden(graph: igraph.Graph, weights: list[float], resolution: float, seed: int) -> Ints:
    igraph.set_random_number_generator(random.Random(seed))  # noqa: S311  reproducible, not secret
    found = graph.community_leiden("modularity", weights=weights, resolution=resolution, n_iterations=_ITERATIONS)
    return np.array(found.membership, np.int64)


def _join(graph: sp.csr_matrix, regions: Ints, smallest: int, wanted: int) -> Ints:
    """Let the smallest group join the one it is tied to most for its size, until all are large enough and few enough.

    A group without ties joins the largest one where it is too small to stand alone, else it stands.
    """
    member = sp.csr_matrix((np.ones(len(regions), np.float32), (np.arange(len(regions)), regions)))
    ties = np.asarray((member.T @ graph @ member).toarray(), np.float64)
    np.fill_diagonal(ties, 0)
    sizes: NDArray[np.float64] = np.bincount(regions).astype(np.float64)
    into = np.arange(len(sizes))
    alive = np.ones(len(sizes), bool)
    while alive.sum() > 1:
        too_small = alive & (sizes < smallest)
        may = too_small if too_small.any() else alive & ties.any(axis=1)
        if not may.any() or (not too_small.any() and alive.sum() <= wanted):
            break
        least = int(np.flatnonzero(may)[sizes[may].argmin()])
        alive[least] = False
        pull = np.where(alive, ties[least] / sizes, -1)
        chosen = int(pull.argmax()) if pull.max() > 0 else int(np.where(alive, sizes, -1).argmax())
        ties[chosen] += ties[least]
        ties[:, chosen] += ties[:, least]
        ties[least] = ties[:, least] = ties[chosen, chosen] = 0
        sizes[chosen] += sizes[least]
        into[into == least] = chosen
    joined: Ints = np.unique(into[regions], return_inverse=True)[1].astype(np.int64)
    return joined


def members_of(level: Ints, regions: int) -> list[Ints]:
    """The papers of each region, ascending."""
    order = np.argsort(level, kind="stable")
    return np.split(order, np.cumsum(np.bincount(level, minlength=regions))[:-1])


def parents_of(child: Ints, parent: Ints) -> Ints:
    """Parent region of each child region, int64 (children,)."""
    result = np.zeros(int(child.max()) + 1, np.int64)
    result[child] = parent
    return result


def label_points(
    xy: NDArray[np.float32], regions: Ints, seed: int, named: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """Where most of each region is: its paper with the nearest third of its fellows closest. float32 (regions, 2), map units.

    A tenth would find the densest spot, which may be a small island off the others. `named`, bool (n,), are the papers that have a phrase
    of the name of their region: where they are enough, only they are looked at, so that a name stands on what it says.
    """
    points = []
    for inside in members_of(regions, int(regions.max()) + 1):
        telling = inside if named is None else inside[named[inside]]
        members = xy[telling if len(telling) >= max(_FEW, _TELLING * len(inside)) else inside]
        if len(members) > _CROWD:
            members = members[np.sort(np.random.default_rng(seed).choice(len(members), _CROWD, replace=False))]
        nearest = min(len(members), max(3, len(members) // 3))
        reach = np.asarray(cKDTree(members).query(members, k=nearest)[0]).reshape(len(members), -1)[:, -1]
        points.append(members[int(reach.argmin())])
    return np.array(points, np.float32).reshape(-1, 2)


def region_key(level: int, index: int) -> str:
    """Key of a region: level and number, such as `1-07`."""
    return f"{level}-{index:02d}"


def keys_of(levels: Sequence[Ints], n: int) -> list[str | None]:
    """Key of the deepest region of each of n papers; None where there are no regions."""
    if not levels:
        return [None] * n
    return [region_key(len(levels) - 1, int(index)) for index in levels[-1]]
