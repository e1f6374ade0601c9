"""The embedded store for a server that goes on without it: its file may be moved away, replaced, locked or damaged meanwhile."""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from corpus.breaker import Guarded
from corpus.errors import BadInput, StoreError, StoreUnavailable
from corpus.sqlite import SqliteStore

PATIENCE: Final = 1.5
"""Seconds that a page of the server waits for a lock of another process; an answer itself may take longer."""
UNREADABLE: Final = (StoreError, BadInput, sqlite3.Error, zlib.error, msgspec.MsgspecError, ValueError, TypeError)
"""What comes out of a file that is absent, foreign or damaged: SQLite has no checksums, so that bytes which were altered
may be seen only where they are unpacked."""


def served_file(file: Path, clock: Callable[[], float] = time.monotonic, *, patience: float = PATIENCE) -> Guarded:
    """Guard the corpus in a file as a database server is guarded; `patience` is how many seconds a page waits for a lock.

    Raises `NoCorpus` where there is none now, and `ForeignStore` where it is not ours.
    """
    opening = partial(_Served, file, create=False, readonly=True, patience=patience)
    opening().close()
    return Guarded("sqlite", opening, clock, mark=lambda: _which(file), lost=UNREADABLE)


class _Served(SqliteStore):
    """The store, read by a server."""

    def server_version(self) -> str:
        """SQLite's version, where the file can be read: it is no sign of life otherwise."""
        self.version()
        return super().server_version()


def _which(file: Path) -> tuple[int, int]:
    """Which file is there: a connection goes on reading one that was moved away or replaced."""
    try:
        there = file.stat()
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be opened: {error.strerror}") from error
    return there.st_dev, there.st_ino
