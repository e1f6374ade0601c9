"""The stores that the contract suite runs on. A new backend is one more line in `STORES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corpus.store import Store
from corpus.stores import open_store

STORES: dict[str, Callable[[Path], Store]] = {"sqlite": lambda data: open_store("sqlite", data)}


@pytest.fixture(params=sorted(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()
