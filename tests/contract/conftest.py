"""The store under test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corpus.store import Store
from corpus.stores import open_store
from tests.databases import Database, emptied

Opening = Callable[[Path], Store]


@pytest.fixture(params=["sqlite", "neo4j"])
def opening(request: pytest.FixtureRequest) -> Opening:
    """How a store of each kind is opened in an empty folder: empty itself."""
    if request.param == "sqlite":
        return lambda data: open_store("sqlite", data)
    server: Database = request.getfixturevalue("neo4j")

    def on_the_server(data: Path) -> Store:
        emptied(server)
        return open_store(server.url, data, access=server.access)

    return on_the_server


@pytest.fixture
def store(opening: Opening, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    opened = opening(tmp_path)
    yield opened
    opened.close()
