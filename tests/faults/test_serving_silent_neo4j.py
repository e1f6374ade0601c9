"""The way to the database falls silent while the map is served: no request waits for it longer than people wait for a page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cli.session import Session
from corpus.atlas import Builds
from corpus.stores import open_store
from server.app import create_app
from tests.databases import Database, emptied
from tests.faults.relay import Relay
from tests.server.making import SEED, corpus, fill, lay_out_by_hand

HELD = 2.0
"""Seconds for which a request may be held."""
PATHS = (
    "/api/search?q=demystifying",
    f"/api/paper?id={SEED}",
    f"/paper/{SEED}",
    "/paper/fixture:citer-2020",
    f"/api/citations?id={SEED}",
    f"/api/why?q={SEED}",
    "/api/why?q=10.5555/never.recorded",
    "/search?q=demystifying",
    "/readyz",
    "/",
)


@pytest.fixture
def data(neo4j: Database, tmp_path: Path) -> Iterator[Path]:
    """A data directory with the map of a corpus that is in the database."""
    emptied(neo4j)
    with closing(open_store(neo4j.url, tmp_path, access=neo4j.access)) as store:
        fill(store, corpus())
        lay_out_by_hand(tmp_path, store)
    yield tmp_path
    emptied(neo4j)


def served(data: Path, url: str, neo4j: Database) -> Session:
    access = neo4j.access
    return Session.of(str(data), url, None, neo4j__user=access.user, neo4j__password=access.password)


def get_in_time(client: TestClient, path: str) -> int:
    begun = time.monotonic()
    status = client.get(path).status_code
    assert time.monotonic() - begun < HELD
    return status


@pytest.mark.parametrize("path", PATHS)
def test_a_silent_database_holds_no_request_for_long(path: str, data: Path, neo4j: Database) -> None:
    with Relay(neo4j.url) as relay, served(data, relay.url, neo4j).serving() as (store, wrong):
        assert wrong is None
        client = TestClient(create_app(store, Builds(data)), base_url="http://localhost")
        assert client.get(path).status_code == 200
        relay.stall()
        for _ in range(2):
            assert get_in_time(client, path) in {200, 503}
        relay.heal()
        assert client.get(path).status_code == 200


def test_a_database_that_takes_new_connections_and_is_silent_holds_no_request_for_long(
    data: Path, neo4j: Database
) -> None:
    with Relay(neo4j.url) as relay, served(data, relay.url, neo4j).serving() as (store, wrong):
        assert wrong is None
        client = TestClient(create_app(store, Builds(data)), base_url="http://localhost")
        relay.stall()
        relay.hang_up()
        for _ in range(7):  # more than are asked in vain before the database is left alone
            assert get_in_time(client, "/api/search?q=demystifying") == 503
