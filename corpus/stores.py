"""From the setting `store` to an opened store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from corpus.access import STORES, Access
from corpus.errors import BadSetting
from corpus.sqlite import SqliteStore
from corpus.store import Store

__all__ = ["FILE", "LOCAL", "SQLITE", "STORES", "Access", "check", "open_store"]

FILE: Final = "corpus.sqlite"
SQLITE: Final = "sqlite"
"""The embedded store under the data directory."""
LOCAL: Final = "neo4j"
"""The Neo4j server under the data directory."""


def check(url: str) -> None:
    """Raise `BadSetting` where this names no store."""
    if url in {SQLITE, LOCAL}:
        return
    if ":" not in url:
        raise BadSetting(f"store '{url}' is not known; write {STORES}")
    from corpus.neo4j_connection import checked  # the driver takes .3 s to import

    checked(url)


def open_store(
    url: str,
    data: Path,
    *,
    create: bool = True,
    readonly: bool = False,
    access: Access | None = None,
    patience: float = 15.0,
) -> Store:
    """Open the store that `url` names; `data` is the data directory.

    `access` is what a database server asks for, `patience` the seconds that it has for one page. `url` is `sqlite`, `neo4j`
    (the server under the data directory, whose password is known there), or `bolt://host:port` or `neo4j://host:port` (also `+s`,
    `+ssc`). Raises `BadSetting` for an unknown kind, `NoCorpus` where there is none and it must not be made, `ForeignStore`
    for a file or database that is not ours, `StoreUnavailable` and `StoreDenied` where a server does not answer or does not let
    us in.
    """
    if url == SQLITE:
        return SqliteStore(data / FILE, create=create, readonly=readonly)
    check(url)
    from corpus.neo4j_store import Neo4jStore

    if url == LOCAL:
        from corpus.local_neo4j import endpoint

        place = endpoint(data)
        return Neo4jStore(place.url, place.access, create=create, readonly=readonly, patience=patience)
    return Neo4jStore(url, access or Access(), create=create, readonly=readonly, patience=patience)
