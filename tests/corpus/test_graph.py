"""The citation graph against brute force."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
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


def test_of_nodes_that_share_as_much_the_lower_number_comes_first() -> None:
    built = graph({(0, 9), (3, 9), (2, 9), (2, 8), (0, 8), (1, 9)})
    assert built.similar(0, 2) == [(2, 2, 0), (1, 1, 0)]


def test_a_hub_of_hubs_is_answered_within_bounds() -> None:
    citers, works = 3_000, 2_000  # every citer cites every work: 6,000,000 pairs each way
    citing = np.repeat(np.arange(works, works + citers, dtype=np.int32), works)
    cited = np.tile(np.arange(works, dtype=np.int32), citers)
    built = CitationGraph.from_edges(citing, cited, works + citers)
    found = built.similar(0, 5)
    assert len(found) == 5
    assert all(0 < together < citers and shared == 0 for _, shared, together in found)
    looked_at = sum(together for _, _, together in built.similar(0, works))
    assert 1_900_000 < looked_at <= 2_000_000
    found = built.similar(works, 5)
    assert all(0 < shared < works and together == 0 for _, shared, together in found)


def test_a_path_longer_than_asked_is_none() -> None:
    chain = graph({(0, 1), (2, 1), (2, 3)})
    assert chain.path(0, 3, hops=3) == [0, 1, 2, 3]
    assert chain.path(0, 3, hops=2) is None
    assert chain.path(0, 0, hops=0) == [0]


def test_nodes_beyond_the_graph_have_no_neighbours() -> None:
    built = CitationGraph.from_edges(np.array([0], np.int32), np.array([1], np.int32), 2)
    empty = CitationGraph.from_edges(np.empty(0, np.int32), np.empty(0, np.int32), 0)
    for one in (built, empty):
        assert len(one.references(7)) == len(one.citers(7)) == 0
        assert one.similar(7) == []
        assert one.path(0, 7) is None
        assert one.path(7, 7) == [7]


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[list[Store]]:
    opened = [open_store("sqlite", tmp_path / name) for name in "ab"]
    yield opened
    for store in opened:
        store.close()


def test_the_graph_of_a_store_follows_its_version(stores: list[Store]) -> None:
    store, other = stores
    store.put([paper("test:a", references=["test:b"])], run(read=1))
    other.put([paper("test:a", references=["test:b", "test:c"])], run(read=1))
    first = graph_of(store)
    assert graph_of(store) is first
    assert len(graph_of(other).out) == 2, "each store has its own"
    store.put([paper("test:b", references=["test:a"])], run(read=2))
    assert len(graph_of(store).out) == 2


def test_a_paper_without_citations_has_answers_in_the_graph_of_its_store(stores: list[Store]) -> None:
    store = stores[0]
    store.put([paper("test:a", references=["test:b"]), *(paper(f"test:z{i}") for i in range(3))], run(read=4))
    last = max(row.number for row in store.rows(["test:z0", "test:z1", "test:z2"]))
    assert graph_of(store).similar(last) == []
    assert graph_of(store).path(0, 10**6) is None
