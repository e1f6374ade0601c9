"""A server over a small corpus with a real store and a real build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from starlette.testclient import TestClient

from corpus.atlas import Builds
from corpus.store import Store
from server.app import create_app
from tests.server.doubles import StoreDown
from tests.server.making import lay_out_by_hand, open_filled


@dataclass(frozen=True)
class Made:
    """A data directory with a corpus and a build."""

    data: Path
    store: Store
    build: str


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    data = tmp_path_factory.mktemp("data")
    store = open_filled(data)
    yield Made(data, store, lay_out_by_hand(data, store))
    store.close()


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built web map of two files."""
    folder = tmp_path_factory.mktemp("bundle")
    (folder / "index.html").write_text("<!doctype html><title>map</title>", "utf-8")
    (folder / "assets").mkdir()
    (folder / "assets" / "index-abc123.js").write_text("export {};" * 100, "utf-8")
    (folder / "secret-link.txt").symlink_to("/etc/passwd")
    return folder


@pytest.fixture(scope="session")
def client(made: Made, bundle: Path) -> TestClient:
    return TestClient(create_app(made.store, Builds(made.data), bundle=bundle), follow_redirects=False)


@pytest.fixture(scope="session")
def client_without_store(made: Made, bundle: Path) -> TestClient:
    """The same map while the database is away."""
    return TestClient(create_app(cast("Store", StoreDown()), Builds(made.data), bundle=bundle), follow_redirects=False)
