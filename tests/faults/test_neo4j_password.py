"""A real server and a password that is not its own."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import StoreDenied
from corpus.stores import open_store
from tests.databases import Database

SECRET = "never-shown"  # noqa: S105  no server has it


def test_a_wrong_password_is_refused_soon_and_not_shown(neo4j: Database) -> None:
    if neo4j.access.password is None:
        pytest.skip("the server of NEO4J_URI asks for no password")
    begun = time.monotonic()
    with pytest.raises(StoreDenied, match="does not accept the user") as caught:
        open_store(neo4j.url, Path("unused"), access=replace(neo4j.access, password=SECRET))
    assert time.monotonic() - begun < 3
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
