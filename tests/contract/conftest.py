"""The store under test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.store import Store
from tests.contract.making import STORES


@pytest.fixture(params=sorted(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()
