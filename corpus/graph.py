"""The citation graph as compressed sparse rows, and what is asked of it, written once for all stores."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from corpus.store import Store

Ints = NDArray[np.int32]
_PAIRS: Final = 2_000_000
"""Neighbours of neighbours that `similar` looks at each way: works cited by 100,000 would give 5e9 pairs.

Measured at the bound: 70 ms on 1,000,000 nodes.
"""


@dataclass(frozen=True, slots=True)
class CitationGraph:
    """Citations between nodes 0..n-1, both ways round; self-citations and cycles may occur."""

    n: int
    out: Ints
    """int32 (m,): cited nodes, by citing node."""
    out_start: NDArray[np.int64]
    """int64 (n + 1,): where each node's part of `out` begins."""
    into: Ints
    """int32 (m,): citing nodes, by cited node."""
    into_start: NDArray[np.int64]

    @classmethod
    def from_edges(cls, citing: Ints, cited: Ints, n: int) -> CitationGraph:
        """Build from int32 (m,) arrays of nodes below `n`."""
        return cls(n, *_rows(citing, cited, n), *_rows(cited, citing, n))

    def references(self, node: int) -> Ints:
        """Nodes that it cites, ascending; none for a node without citations, whatever its number."""
        return self.out[:0] if node >= self.n else self.out[self.out_start[node] : self.out_start[node + 1]]

    def citers(self, node: int) -> Ints:
        """Nodes that cite it, ascending; none for a node without citations, whatever its number."""
        return self.into[:0] if node >= self.n else self.into[self.into_start[node] : self.into_start[node + 1]]

    def path(self, start: int, goal: int, hops: int = 6) -> list[int] | None:
        """A shortest path by citations in either direction, ends included; None where there is none of at most `hops`."""
        if start == goal:
            return [start]
        if max(start, goal) >= self.n:
            return None
        parents = [np.full(self.n, -1, np.int32), np.full(self.n, -1, np.int32)]
        parents[0][start], parents[1][goal] = start, goal
        fronts = [np.array([start]), np.array([goal])]
        for _ in range(hops):
            side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
            fronts[side] = self._step(fronts[side], parents[side])
            met = fronts[side][parents[1 - side][fronts[side]] >= 0]
            if len(met):
                return _trace(parents[0], int(met[0]))[::-1] + _trace(parents[1], int(met[0]))[1:]
            if not len(fronts[side]):
                return None
        return None

    def _step(self, front: NDArray[np.int64], parents: Ints) -> NDArray[np.int64]:
        pieces = [_gather(self.out, self.out_start, front), _gather(self.into, self.into_start, front)]
        sources = np.concatenate([piece[0] for piece in pieces])
        reached = np.concatenate([piece[1] for piece in pieces])
        new = parents[reached] < 0
        reached, first = np.unique(reached[new], return_index=True)
        parents[reached] = sources[new][first]
        return reached.astype(np.int64)

    def similar(self, node: int, k: int = 20) -> list[tuple[int, int, int]]:
        """The `k` nodes that share most with it: (node, shared references, times cited together), most first.

        Ties go to the lower number. Counts are exact while fewer than 2,000,000 pairs are looked at each way; beyond, the most cited
        references and the longest lists are looked at in part, evenly spaced, and counts are lower bounds.
        """
        coupled = _bounded(self.into, self.into_start, self.references(node).astype(np.int64))
        together = _bounded(self.out, self.out_start, self.citers(node).astype(np.int64))
        shared = np.bincount(coupled, minlength=self.n)
        cited = np.bincount(together, minlength=self.n)
        both = shared + cited
        both[node : node + 1] = 0
        found = np.flatnonzero(both)
        best = found[np.lexsort((found, -both[found]))][:k]
        return [(int(other), int(shared[other]), int(cited[other])) for other in best]


def graph_of(store: Store) -> CitationGraph:
    """The graph of all papers and stubs, by store number; kept until the store's version changes or the store is gone.

    Numbers of papers without any citation may lie beyond `n`; every question about them has an answer.
    """
    version = store.version()  # before the edges: a graph is never older than the version it is kept under
    with _guard:
        kept = _kept.get(store)
    if kept is not None and kept[0] == version:
        return kept[1]
    citing, cited = store.edges()
    top = int(max(citing.max(initial=-1), cited.max(initial=-1)))
    graph = CitationGraph.from_edges(citing, cited, top + 1)
    with _guard:
        _kept[store] = (version, graph)
    return graph


_kept: WeakKeyDictionary[Store, tuple[int, CitationGraph]] = WeakKeyDictionary()
_guard: Final = Lock()


def _rows(start: Ints, end: Ints, n: int) -> tuple[Ints, NDArray[np.int64]]:
    order = np.lexsort((end, start))
    begins = np.concatenate([[0], np.cumsum(np.bincount(start, minlength=n))]).astype(np.int64)
    return end[order].astype(np.int32), begins


def _gather(ends: Ints, begins: NDArray[np.int64], nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], Ints]:
    """The rows of these nodes on end: (node, end) int64 and int32 (m,)."""
    lengths = begins[nodes + 1] - begins[nodes]
    before = np.cumsum(lengths) - lengths
    return np.repeat(nodes, lengths), ends[np.repeat(begins[nodes] - before, lengths) + np.arange(lengths.sum())]


def _bounded(ends: Ints, begins: NDArray[np.int64], nodes: NDArray[np.int64]) -> Ints:
    """The rows of these nodes on end, at most about `_PAIRS` of them: the longest rows are thinned out to one length."""
    nodes = nodes if len(nodes) <= _PAIRS else nodes[np.arange(_PAIRS) * len(nodes) // _PAIRS]
    lengths = begins[nodes + 1] - begins[nodes]
    if lengths.sum() <= _PAIRS:
        return _gather(ends, begins, nodes)[1]
    most = _level(lengths, _PAIRS)
    long = lengths > most
    wide = lengths[long, None]
    phase = nodes[long, None] % wide  # or rows that are alike would all keep the same ends
    chosen = begins[nodes[long], None] + (np.arange(most) * wide + phase) // most
    return np.concatenate([_gather(ends, begins, nodes[~long])[1], ends[chosen.ravel()]])


def _level(lengths: NDArray[np.int64], budget: int) -> int:
    """The largest length, at least 1, to which rows may be cut so that all together hold no more than `budget`."""
    low, high = 1, int(lengths.max())
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(lengths, middle).sum()) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def _trace(parents: Ints, node: int) -> list[int]:
    steps = [node]
    while parents[steps[-1]] != steps[-1]:
        steps.append(int(parents[steps[-1]]))
    return steps
