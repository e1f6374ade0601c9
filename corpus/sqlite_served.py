"""The embedded store for a server that goes on without it: its file may be moved away, replaced, locked or damaged meanwhile."""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from corpus.breaker import Guarded
from corpus.errors import BadInput, StoreError, StoreUnavailable
from corpus.sqlite import SqliteStore
from corpus.sqlite_connections import Connections

PATIENCE: Final = 1.5
"""Seconds that a page of the server waits for a lock of another process; an answer itself may take longer."""
UNREADABLE: Final = (StoreError, BadInput, sqlite3.Error, zlib.error, msgspec.MsgspecError, ValueError, TypeError)
"""What comes out of a file that is absent, foreign or damaged: SQLite has no checksums, so that bytes which were altered
may be seen only where they are unpacked."""


def served_file(file: Path, clock: Callable[[], float] = time.monotonic, *, patience: float = PATIENCE) -> Guarded:
    """Guard the corpus in a file as a database server is guarded; `patience` is how many seconds a page waits for a lock.

    Raises `StoreError` where there is none now, and `ForeignStore` where it is not ours.
    """
    SqliteStore(file, create=False, readonly=True).close()
    return Guarded("sqlite", lambda: _Served(file, patience), clock, mark=lambda: _which(file), lost=UNREADABLE)


class _Served(SqliteStore):
    """The store, read by a server."""

    def __init__(self, file: Path, patience: float) -> None:
        super().__init__(file, create=False, readonly=True)
        self._db = _Impatient(file, patience)

    def server_version(self) -> str:
        """SQLite's version, where the file can be read: it is no sign of life otherwise."""
        self.version()
        return super().server_version()


class _Impatient(Connections):
    """Connections that wait no longer for a lock than a page may take."""

    def __init__(self, file: Path, patience: float) -> None:
        super().__init__(file, readonly=True)
        self._patience = patience

    @property
    def here(self) -> sqlite3.Connection:
        """The connection of this thread."""
        fresh = getattr(self._local, "connection", None) is None
        if fresh:  # its very opening reads the file, and would wait for a writer's patience
            uri = f"{self.file.absolute().as_uri()}?mode=rw"
            with self._naming("opened"), closing(sqlite3.connect(uri, uri=True, timeout=self._patience)) as trial:
                trial.execute("PRAGMA schema_version").fetchall()
        connection = super().here
        if fresh:
            connection.execute(f"PRAGMA busy_timeout={int(self._patience * 1000)}")
        return connection


def _which(file: Path) -> tuple[int, int]:
    """Which file is there: a connection goes on reading one that was moved away or replaced."""
    try:
        there = file.stat()
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be opened: {error.strerror}") from error
    return there.st_dev, there.st_ino
