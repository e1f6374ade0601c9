"""From the setting `store` to an opened store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from corpus.errors import BadSetting
from corpus.sqlite import SqliteStore
from corpus.store import Store

FILE: Final = "corpus.sqlite"


def open_store(url: str, data: Path, *, create: bool = True, readonly: bool = False) -> Store:
    """Open the store that `url` names; `data` is the data directory.

    Raises `BadSetting` for an unknown kind, `StoreError` where it is absent and must not be made, `ForeignStore` for a file
    that is not ours.
    """
    if url == "sqlite":
        return SqliteStore(data / FILE, create=create, readonly=readonly)
    raise BadSetting(f"store '{url}' is not known; this version keeps papers in 'sqlite'")
