"""From the setting `store` to an opened store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from corpus.access import Access
from corpus.errors import BadSetting
from corpus.sqlite import SqliteStore
from corpus.store import Store

__all__ = ["FILE", "LOCAL", "SQLITE", "Access", "open_store"]

FILE: Final = "corpus.sqlite"
SQLITE: Final = "sqlite"
"""The embedded store under the data directory."""
LOCAL: Final = "neo4j"
"""The Neo4j server under the data directory."""


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
    `+ssc`). Raises `BadSetting` for an unknown kind, `StoreError` where the corpus is absent and must not be made, `ForeignStore`
    for a file or database that is not ours, `StoreUnavailable` and `StoreDenied` where a server does not answer or does not let
    us in.
    """
    if url == SQLITE:
        return SqliteStore(data / FILE, create=create, readonly=readonly)
    from corpus.neo4j_store import Neo4jStore  # the driver takes .3 s to import

    if url == LOCAL:
        from corpus.local_neo4j import endpoint

        place = endpoint(data)
        return Neo4jStore(place.url, place.access, create=create, readonly=readonly, patience=patience)
    if ":" not in url:
        raise BadSetting(f"store '{url}' is not known; write sqlite, neo4j, bolt://host:port or neo4j://host:port")
    return Neo4jStore(url, access or Access(), create=create, readonly=readonly, patience=patience)
