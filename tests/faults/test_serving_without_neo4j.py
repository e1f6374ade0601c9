"""The database goes away while the map is served, and comes back: what needs it says so, the rest goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from corpus.atlas import Builds
from corpus.breaker import Guarded
from corpus.local_neo4j import endpoint
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.process import start, stop
from corpus.store import Store
from corpus.stores import open_store
from server.app import create_app
from tests.server.making import SEED, corpus, fill, lay_out_by_hand

SMALL = Configuration(heap="512m", page_cache="64m", bolt_port=0)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data directory with a server of its own, a corpus and a map."""
    start(tmp_path, SMALL)
    try:
        store = open_store("neo4j", tmp_path)
        fill(store, corpus())
        lay_out_by_hand(tmp_path, store)
        store.close()
        yield tmp_path
    finally:
        stop(tmp_path)


@pytest.mark.timeout(200)
def test_the_map_goes_on_and_all_comes_back_by_itself(data: Path) -> None:
    port = int(endpoint(data).url.rpartition(":")[2])
    ahead = [0.0]

    def opening() -> Store:
        return open_store("neo4j", data, create=False, readonly=True, patience=1.5)

    guarded = Guarded("neo4j", opening, lambda: time.monotonic() + ahead[0])
    assert guarded.try_now() is None, "as `serve` does: the first opening may take a while"
    client = TestClient(create_app(guarded, Builds(data)), base_url="http://localhost")
    build = client.get("/tiles.json").json()["atlas"]["build"]
    assert client.get("/api/search?q=demystifying").status_code == 200
    assert client.get("/readyz").status_code == 200
    stop(data)
    for _ in range(8):
        begun = time.monotonic()
        answer = client.get("/api/search?q=demystifying")
        assert time.monotonic() - begun < 2
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert client.get("/").status_code == 200
    assert client.get(f"/tiles/{build}/0/0/0.mvt").status_code in {200, 204}
    page = client.get(f"/paper/{SEED}")
    assert page.status_code == 200
    assert "database does not answer" in page.text
    why = client.get("/api/why", params={"q": SEED})
    assert (why.status_code, why.json()["paper"]["id"]) == (200, SEED)
    assert client.get("/api/paper", params={"id": SEED}).status_code == 503
    assert client.get("/readyz").json()["store"] == "unavailable"
    start(data, replace(SMALL, bolt_port=port))
    end = time.monotonic() + 60
    while client.get("/api/search?q=demystifying").status_code != 200:
        assert time.monotonic() < end
        ahead[0] += 10
    assert client.get("/api/paper", params={"id": SEED}).status_code == 200
    assert client.get("/readyz").status_code == 200
    guarded.close()
