"""Connections to the embedded store: one a thread, transactions, the writer's lock, and errors in our own words."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from corpus.errors import StoreBusy, StoreError, StoreUnavailable
from corpus.sqlite_schema import PATIENCE, connect

LOCK: Final = "writer.lock"
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Connections:
    """All connections of one process to one file."""

    def __init__(self, file: Path, *, readonly: bool, patience: float = PATIENCE) -> None:
        """`patience` is how many seconds a call waits for a lock of another process."""
        self.file, self.readonly, self._patience = file, readonly, patience
        self._local = threading.local()
        self._open: dict[threading.Thread, sqlite3.Connection] = {}
        self._guard = threading.Lock()
        self._lock: IO[str] | None = None
        self._closed = False

    @property
    def here(self) -> sqlite3.Connection:
        """The connection of this thread, opened at its first use; those of threads that ended are closed then."""
        if self._closed:
            raise StoreUnavailable(f"{self.file} was closed")
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with self._naming("opened"):
                connection = connect(self.file, readonly=self.readonly, patience=self._patience)
            with self._guard:
                for thread in [thread for thread in self._open if not thread.is_alive()]:
                    self._open.pop(thread).close()
                self._open[threading.current_thread()] = connection
            self._local.connection = connection
        return connection

    def read(self, sql: str, **parameters: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        connection = self.here
        with self._naming("read"):
            return connection.execute(sql, parameters).fetchall()

    def chunks(self, sql: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query, `size` at a time, all out of one state of the file.

        It has a connection to itself: it may go on while its thread writes, and from thread to thread.
        """
        with self._naming("read"), closing(connect(self.file, readonly=True)) as connection:
            cursor = connection.execute(sql)
            while chunk := cursor.fetchmany(size):
                yield chunk

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let several queries see one state of the file, whatever a writer commits meanwhile."""
        connection = self.here
        with self._naming("read"):
            connection.execute("BEGIN")
        try:
            yield
        finally:
            if connection.in_transaction:
                connection.execute("COMMIT")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: all of it or nothing, whatever goes wrong inside."""
        connection = self.here
        with self._naming("written"):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # SQLite rolls back on its own when the disk is full
                    connection.execute("ROLLBACK")
                raise

    def checkpoint(self) -> None:
        """Fold the log into the file as far as readers allow it now, without waiting for them."""
        connection = self.here
        with self._naming("written"):
            connection.execute("PRAGMA optimize")
            connection.execute("PRAGMA busy_timeout=0")
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.execute(f"PRAGMA busy_timeout={int(self._patience * 1000)}")

    def become_writer(self) -> None:
        """Take the writer's lock until `close`; the kernel lets go of it when the process dies.

        Raises `StoreBusy` that names the process that holds it.
        """
        with self._guard:
            if self._lock is None:
                self._lock = _locked(self.file)

    def close(self) -> None:
        """Close every connection and let go of the writer's lock."""
        with self._guard:
            self._closed = True
            for connection in self._open.values():
                connection.close()
            self._open.clear()
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    @contextmanager
    def _naming(self, done: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _named(error, self.file, done) from error


def _named(error: sqlite3.Error, file: Path, done: str) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # extended codes keep the primary one in the low byte
    if code in _DAMAGED:
        return StoreError(f"{file} is damaged ({error}); move it away and ingest the files again")
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"the disk of {file} is full; what was written before is kept: make room and run it again")
    kind = (StoreBusy if code in _BUSY else StoreError) if done == "written" else StoreUnavailable
    return kind(f"{file} cannot be {done}: {error}")


def _locked(file: Path) -> IO[str]:
    try:
        handle = file.with_name(LOCK).open("a+", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{file.with_name(LOCK)} cannot be made: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.seek(0)
        holder = handle.read().strip() or "another process"
        handle.close()
        raise StoreBusy(f"{holder} is writing to {file}; wait for it to end, or stop it") from error
    handle.truncate(0)
    handle.write(f"process {os.getpid()} (since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC)\n")
    handle.flush()
    return handle
