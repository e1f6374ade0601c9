"""Any batches of papers against a model that knows nothing of tables: what is held is a plain function of what was put."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.model import Paper
from corpus.store import Direction, Size, Store
from tests.contract.conftest import Opening
from tests.contract.making import paper, run

NAMES = [f"test:{letter}" for letter in "abcdef"] + ["doi:10.1000/1", "openalex:W1"]
PAPERS = st.builds(
    lambda ids, title, references: paper(*ids, title=title, references=references),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True),
    st.sampled_from([None, "one", "two"]),
    st.none() | st.lists(st.sampled_from(NAMES), max_size=4, unique=True),
)
BATCHES = st.lists(st.lists(PAPERS, max_size=4), max_size=5)


@dataclass
class Node:
    """A paper and every identifier that it ever had."""

    paper: Paper
    ids: set[str] = field(default_factory=set)


class Model:
    """What a store has to hold after these papers."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def put(self, papers: Sequence[Paper]) -> None:
        for one in papers:
            joined = [node for node in self.nodes if node.ids & set(one.ids)]
            self.nodes = [node for node in self.nodes if node not in joined]
            self.nodes.append(Node(one, set(one.ids).union(*(node.ids for node in joined))))

    def addresses(self) -> dict[str, str]:
        """By identifier; a cited one that no paper has is a stub's."""
        held = {name: node.paper.address for node in self.nodes for name in node.ids}
        cited = {name for node in self.nodes for name in node.paper.references or ()}
        return {name: name for name in cited} | held

    def edges(self) -> set[tuple[str, str]]:
        at = self.addresses()
        return {(node.paper.address, at[name]) for node in self.nodes for name in node.paper.references or ()}

    def state(self) -> object:
        return sorted(repr(node.paper) for node in self.nodes), self.edges()


def agrees(store: Store, model: Model) -> None:
    """Compare everything that a store says of its papers with the model."""
    at, edges = model.addresses(), model.edges()
    papers = sorted((node.paper for node in model.nodes), key=lambda one: one.address)
    assert [stored.paper for stored in store.stream()] == papers
    assert store.resolve(NAMES) == at
    assert store.size() == Size(len(papers), len(set(at.values())) - len(papers), len(edges))
    rows = {row.number: row for row in store.rows(sorted(set(at.values())))}
    citing, cited = (ends.tolist() for ends in store.edges())
    assert {(rows[a].id, rows[b].id) for a, b in zip(citing, cited, strict=True)} == edges
    for row in rows.values():
        citers = sorted(a for a, b in edges if b == row.id)
        assert row.citations == len(citers)
        assert {found.id for found in store.neighbours(row.id, Direction.CITATIONS).rows} == set(citers)
        assert row.stub == (store.paper(row.id) is None)
    known = {one.address for one in papers}
    for one in papers:
        stored = store.paper(one.address)
        assert stored is not None
        assert stored.references_in_corpus == len({b for a, b in edges if a == one.address and b in known})
    for word in ("one", "two"):
        assert {row.id for row in store.search([word], 99)} == {one.address for one in papers if one.title == word}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=BATCHES)
def test_what_is_held_is_a_function_of_what_was_put(opening: Opening, batches: list[list[Paper]]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(opening(Path(folder))) as store:
        model = Model()
        for number, batch in enumerate(batches):
            before, version = model.state(), store.version()
            store.put(batch, run(read=number))
            model.put(batch)
            agrees(store, model)
            if model.state() != before:
                assert store.version() > version, "a change that nobody would notice"
            version = store.version()
            store.put([node.paper for node in model.nodes], run(read=number))
            assert store.version() == version, "the same again is no change"
