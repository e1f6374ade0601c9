"""The tests' relay between the official driver and a real Neo4j: what passes, and where it is cut or stalled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import IncompleteCommit, ServiceUnavailable, SessionExpired

from tests.databases import Database, emptied
from tests.faults import script
from tests.faults.relay import Relay

GONE = (ServiceUnavailable, SessionExpired)
MAKE = "MERGE (c:Corpus {name: 'paperatlas'}) WITH c CREATE (s:Stub {id: $id}) RETURN s.id"


@pytest.fixture
def server(neo4j: Database) -> Database:
    emptied(neo4j)
    return neo4j


@contextmanager
def driver(url: str, server: Database) -> Iterator[Driver]:
    auth = None if server.access.password is None else (server.access.user, server.access.password)
    with GraphDatabase.driver(
        url, auth=auth, connection_timeout=1.0, connection_acquisition_timeout=1.0, max_transaction_retry_time=0.0
    ) as made:
        yield made


def make(made: Driver, name: str) -> None:
    with made.session() as session:
        session.execute_write(lambda transaction: transaction.run(MAKE, id=name).consume())


def made_there(server: Database) -> list[str]:
    with driver(server.url, server) as straight:
        return [row[0] for row in straight.execute_query("MATCH (s:Stub) RETURN s.id ORDER BY s.id").records]


def test_a_relay_without_faults_changes_nothing(server: Database) -> None:
    blob = bytes(range(256)) * 2_000
    with Relay(server.url) as relay, driver(relay.url, server) as made:
        rows, summary, _ = made.execute_query("UNWIND range(1, 5000) AS n RETURN n, $blob AS blob LIMIT 3", blob=blob)
        assert [(row["n"], row["blob"]) for row in rows] == [(1, blob), (2, blob), (3, blob)]
        assert summary.server.protocol_version >= (5, 4)
        assert relay.passed["RUN"] == relay.passed["COMMIT"] == 1


def test_a_commit_that_is_cut_before_never_arrives(server: Database) -> None:
    with Relay(server.url, script.cut_before("COMMIT", 2)) as relay, driver(relay.url, server) as made:
        make(made, "a")
        with pytest.raises(IncompleteCommit):
            make(made, "b")
        make(made, "c")
        assert relay.passed["COMMIT"] == 2
    assert made_there(server) == ["a", "c"]


def test_a_commit_that_is_cut_after_has_happened(server: Database) -> None:
    with Relay(server.url, script.cut_after("COMMIT", 2)) as relay, driver(relay.url, server) as made:
        make(made, "a")
        with pytest.raises(IncompleteCommit):
            make(made, "b")
        assert relay.passed["COMMIT"] == 2
    assert made_there(server) == ["a", "b"]


def test_a_run_that_is_cut_after_is_rolled_back(server: Database) -> None:
    with Relay(server.url, script.cut_after("RUN", query="CREATE")) as relay, driver(relay.url, server) as made:
        with pytest.raises(GONE):
            make(made, "a")
        assert (relay.passed["RUN"], relay.passed["COMMIT"]) == (1, 0)
    assert made_there(server) == []


def test_a_stalled_relay_passes_nothing_on_until_it_heals(server: Database) -> None:
    with Relay(server.url, script.stall_at("COMMIT", 2)) as relay, driver(relay.url, server) as made:
        make(made, "a")
        healing = Timer(0.3, relay.heal)
        healing.start()
        with pytest.raises(IncompleteCommit):
            make(made, "b")
        healing.join()
        assert relay.passed["COMMIT"] == 1
        relay.stall()
        with driver(relay.url, server) as other, pytest.raises(ServiceUnavailable):
            other.verify_connectivity()
        relay.heal()
        make(made, "c")
    assert made_there(server) == ["a", "c"]


def test_a_refusing_relay_cuts_all_and_lets_nobody_in_until_it_heals(server: Database) -> None:
    with Relay(server.url) as relay, driver(relay.url, server) as made:
        make(made, "a")
        relay.refuse()
        with pytest.raises(GONE):
            make(made, "b")
        relay.heal()
        make(made, "c")
    assert made_there(server) == ["a", "c"]
