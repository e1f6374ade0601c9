"""The citation graph as compressed sparse rows, and what is asked of it, written once for all stores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpus.store import Store

Ints = NDArray[np.int32]
_HUB: Final = 10_000
"""Neighbours of one node that `similar` looks at; a work cited by 100,000 would give 5e9 pairs."""


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
        """Nodes that it cites, ascending."""
        return self.out[self.out_start[node] : self.out_start[node + 1]]

    def citers(self, node: int) -> Ints:
        """Nodes that cite it, ascending."""
        return self.into[self.into_start[node] : self.into_start[node + 1]]

    def path(self, start: int, goal: int, hops: int = 6) -> list[int] | None:
        """A shortest path by citations in either direction, ends included; None where there is none of at most `hops`."""
        if start == goal:
            return [start]
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
        """The `k` nodes that share most with it: (node, shared references, times cited together), most first."""
        coupled = _gather(self.into, self.into_start, self.references(node)[:_HUB].astype(np.int64), _HUB)[1]
        together = _gather(self.out, self.out_start, self.citers(node)[:_HUB].astype(np.int64), _HUB)[1]
        shared = np.bincount(coupled, minlength=self.n)
        cited = np.bincount(together, minlength=self.n)
        both = shared + cited
        both[node] = 0
        found = np.flatnonzero(both)
        best = found[np.lexsort((found, -both[found]))][:k]
        return [(int(other), int(shared[other]), int(cited[other])) for other in best]


def graph_of(store: Store) -> CitationGraph:
    """The graph of all papers and stubs, by store number; kept until the store's version changes."""
    version = (id(store), store.version())
    if _kept.get("version") != version:
        citing, cited = store.edges()
        top = int(max(citing.max(initial=-1), cited.max(initial=-1)))
        _kept.update(version=version, graph=CitationGraph.from_edges(citing, cited, top + 1))
    graph = _kept["graph"]
    assert isinstance(graph, CitationGraph)  # noqa: S101  for the type checker
    return graph


_kept: dict[str, object] = {}


def _rows(start: Ints, end: Ints, n: int) -> tuple[Ints, NDArray[np.int64]]:
    order = np.lexsort((end, start))
    begins = np.concatenate([[0], np.cumsum(np.bincount(start, minlength=n))]).astype(np.int64)
    return end[order].astype(np.int32), begins


def _gather(
    ends: Ints, begins: NDArray[np.int64], nodes: NDArray[np.int64], most: int | None = None
) -> tuple[NDArray[np.int64], Ints]:
    lengths = begins[nodes + 1] - begins[nodes]
    if most is not None:
        lengths = np.minimum(lengths, most)
    offsets = (
        np.repeat(begins[nodes] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) if len(nodes) else lengths
    )
    return np.repeat(nodes, lengths), ends[offsets + np.arange(lengths.sum())] if len(nodes) else ends[:0]


def _trace(parents: Ints, node: int) -> list[int]:
    steps = [node]
    while parents[steps[-1]] != steps[-1]:
        steps.append(int(parents[steps[-1]]))
    return steps
