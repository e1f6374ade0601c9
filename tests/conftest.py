"""Fixtures for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import Database, database
from tests.leftovers import ended_with_this_run

ROOT = Path(__file__).resolve().parents[1]
# Servers of the tests live for minutes: Java's first compiler alone starts them in half the time.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real records that is never part of the project; the test is skipped where it is absent."""
    folder = Path(os.environ.get("PAPERATLAS_SHARED", ROOT.parent / "shared"))
    if not (folder / "data" / "README.md").is_file():
        pytest.skip(f"{folder} is absent: set PAPERATLAS_SHARED to the folder of real records")
    return folder


@pytest.fixture(scope="session")
def shared_data(shared: Path) -> Path:
    """The real bibliographic data."""
    return shared / "data"


@pytest.fixture(scope="session", autouse=True)
def _no_server_outlives_the_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with ended_with_this_run(tmp_path_factory.getbasetemp()):
        yield


@pytest.fixture(scope="session")
def neo4j(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A real Neo4j server; `tests.databases.emptied` empties it."""
    with database(tmp_path_factory.mktemp("neo4j")) as running:
        yield running
