"""A batch whose commit was done while the answer was lost is sent again: nothing is there twice, and nothing is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from corpus.model import Paper
from corpus.neo4j_connection import Connection
from corpus.store import Store
from corpus.stores import open_store
from tests.contract.making import paper, put
from tests.databases import Database, emptied
from tests.faults.relay import Relay
from tests.faults.script import Faults, Script, cut_after

CITATIONS = "MATCH (a:Paper)-[:CITES]->(b) RETURN a.id, b.id ORDER BY a.id, b.id"
COUNTS = "MATCH (p:Paper) RETURN p.id, p.citations, p:Stub ORDER BY p.id"


@pytest.fixture
def server(neo4j: Database) -> Iterator[Database]:
    """An empty database."""
    emptied(neo4j)
    yield neo4j
    emptied(neo4j)


def lose_an_answer(store: Store, relay: Relay, *papers: Paper) -> None:
    """Put papers in a batch whose commit is done, and its answer not passed on."""
    relay.faults = Faults(Script(faults=(cut_after("COMMIT", query="IngestRun"),)))
    put(store, *papers)
    assert len(relay.faults.played) == 1


def test_a_stub_that_became_a_paper_cites_once(server: Database) -> None:
    with Relay(server.url) as relay, closing(open_store(relay.url, Path("unused"), access=server.access)) as store:
        put(store, paper("test:a", references=("test:b", "test:c")))
        lose_an_answer(store, relay, paper("test:b", references=("test:c",)))
    with closing(Connection(server.url, server.access)) as connection:
        assert connection.read(CITATIONS) == [["test:a", "test:b"], ["test:a", "test:c"], ["test:b", "test:c"]]
        assert connection.read(COUNTS) == [["test:a", 0, False], ["test:b", 1, False], ["test:c", 2, True]]


def test_a_stub_that_was_removed_is_made_anew_when_it_is_cited_again(server: Database) -> None:
    with Relay(server.url) as relay, closing(open_store(relay.url, Path("unused"), access=server.access)) as store:
        put(store, paper("test:a", references=("test:b", "test:c")))
        lose_an_answer(store, relay, paper("test:a", references=("test:b",)))
        put(store, paper("test:d", references=("test:c",)))
    with closing(Connection(server.url, server.access)) as connection:
        assert connection.read(CITATIONS) == [["test:a", "test:b"], ["test:d", "test:c"]]
        assert connection.read(COUNTS) == [
            ["test:a", 0, False],
            ["test:b", 1, True],
            ["test:c", 1, True],
            ["test:d", 0, False],
        ]
