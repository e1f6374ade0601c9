"""The citation graph against brute force."""

from __future__ import annotations

from collections import Counter, deque
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpus.graph import CitationGraph, graph_of
from corpus.store import Store
from corpus.stores import open_store
from tests.contract.making import paper, run

N = 12
EDGES = st.sets(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=40)


def graph(edges: set[tuple[int, int]]) -> CitationGraph:
    pairs = np.array(sorted(edges), np.int32).reshape(-1, 2)
    return CitationGraph.from_edges(pairs[:, 0], pairs[:, 1], N)


@given(EDGES)
def test_rows_hold_each_citation_both_ways_round(edges: set[tuple[int, int]]) -> None:
    built = graph(edges)
    for node in range(N):
        assert built.references(node).tolist() == sorted(b for a, b in edges if a == node)
        assert built.citers(node).tolist() == sorted(a for a, b in edges if b == node)


@given(EDGES, st.integers(0, N - 1), st.integers(0, N - 1))
def test_a_path_is_a_shortest_one_along_citations(edges: set[tuple[int, int]], start: int, goal: int) -> None:
    distance = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for a, b in edges:
            for there in {(a, b): [b], (b, a): [a]}.get((here, b if a == here else a), []) if here in (a, b) else []:
                if there not in distance:
                    distance[there] = distance[here] + 1
                    queue.append(there)
    found = graph(edges).path(start, goal, hops=N)
    if goal not in distance:
        assert found is None
        return
    assert found is not None
    assert (found[0], found[-1], len(found) - 1) == (start, goal, distance[goal])
    assert all((a, b) in edges or (b, a) in edges for a, b in pairwise(found))


@given(EDGES, st.integers(0, N - 1))
def test_similar_counts_shared_references_and_joint_citations(edges: set[tuple[int, int]], node: int) -> None:
    out = {a: {b for c, b in edges if c == a} for a in range(N)}
    into = {b: {a for a, c in edges if c == b} for b in range(N)}
    expected = Counter(
        {other: len(out[node] & out[other]) + len(into[node] & into[other]) for other in range(N) if other != node}
    )
    found = graph(edges).similar(node, N)
    assert {other: shared + cited for other, shared, cited in found} == {other: n for other, n in expected.items() if n}
    assert [shared + cited for _, shared, cited in found] == sorted((n for n in expected.values() if n), reverse=True)


def test_the_graph_of_a_store_follows_its_version(tmp_path: object) -> None:
    from pathlib import Path

    store: Store = open_store("sqlite", Path(str(tmp_path)))
    store.put([paper("test:a", references=["test:b"])], run(read=1))
    first = graph_of(store)
    assert graph_of(store) is first
    store.put([paper("test:b", references=["test:a"])], run(read=2))
    assert len(graph_of(store).out) == 2
    store.close()
