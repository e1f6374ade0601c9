"""The tables of the embedded store, and the opening of its file.

Edges stand in a WITHOUT ROWID table with a covering index the other way round; what only a paper page needs stands apart from
the rows of lists, so that a page of 5,000 citers reads few pages of the file. How often each work is cited stands in a table of
10 bytes a row, since each batch changes it all over. Words are folded before they come here: the tokenizer need only part them.
Local disk only: WAL does not work over NFS.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from struct import Struct
from typing import Final

from corpus.errors import ForeignStore, NoCorpus, StoreError, StoreUnavailable

APPLICATION_ID: Final = 0x50415431
"""`PAT1` in the header of the file: it is ours."""
SCHEMA_VERSION: Final = 3
_HEADER: Final = Struct(">60xi4xi")
"""`user_version` and `application_id` in an SQLite file; `_make` leaves both in the file itself, not in the log."""
sqlite_version: Final = sqlite3.sqlite_version
PATIENCE: Final = 30.0
"""Seconds that a connection waits for a lock of another process."""
_READER_KIB: Final = 8_192
_WRITER_KIB: Final = 65_536
"""Page cache of a connection; a server has one for each of its 40 or so threads."""
_LOG_PAGES: Final = 16_000
"""Of 4 KiB: how far the log grows before it is folded into the file. The pages that each batch touches are folded in once."""
_WRITING: Final = ("journal_mode=WAL", "synchronous=NORMAL", f"wal_autocheckpoint={_LOG_PAGES}")
_NEEDED: Final = (3, 38, 0)
"""UPDATE FROM came with 3.33, JSON as a matter of course with 3.38."""

_TABLES: Final = """
CREATE TABLE node(
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stub INTEGER NOT NULL, title TEXT, sort_title TEXT,
  authors TEXT NOT NULL DEFAULT '[]', authors_total INTEGER NOT NULL DEFAULT 0, date TEXT, year INTEGER,
  areas TEXT NOT NULL DEFAULT '[]');
CREATE TABLE cited(n INTEGER PRIMARY KEY, citations INTEGER NOT NULL);
CREATE INDEX node_year ON node(year) WHERE stub = 0;
CREATE TABLE identifier(id TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX identifier_n ON identifier(n);
CREATE TABLE content(n INTEGER PRIMARY KEY, paper BLOB NOT NULL);
CREATE TABLE cites(citing INTEGER NOT NULL, cited INTEGER NOT NULL, PRIMARY KEY(citing, cited)) WITHOUT ROWID;
CREATE INDEX cites_cited ON cites(cited, citing);
CREATE VIRTUAL TABLE words USING fts5(text, detail=none, columnsize=0, tokenize=ascii);
CREATE TABLE run(id TEXT PRIMARY KEY, started TEXT NOT NULL, finished TEXT, files TEXT NOT NULL, tally TEXT NOT NULL);
CREATE TABLE verdict(id TEXT PRIMARY KEY, x REAL, y REAL, region TEXT, unplaced TEXT) WITHOUT ROWID;
CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO fact VALUES('version', '0');
"""


def connect(file: Path, *, readonly: bool, patience: float = PATIENCE) -> sqlite3.Connection:
    """Open one connection to a corpus that is there; transactions are begun and ended by hand."""
    connection = _plain(file, "rw", patience)
    try:
        connection.execute(f"PRAGMA cache_size=-{_READER_KIB if readonly else _WRITER_KIB}")
        for pragma in ("query_only=ON",) if readonly else _WRITING:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def has_full_text() -> bool:
    """Whether Python's SQLite can search text (FTS5)."""
    connection = sqlite3.connect(":memory:")
    try:
        return ("ENABLE_FTS5",) in connection.execute("PRAGMA compile_options").fetchall()
    finally:
        connection.close()


def prepare(file: Path, *, create: bool) -> None:
    """Make the file where it is absent; raise `StoreError` or `ForeignStore` where it cannot be used.

    Nothing is written to a file that is there, and no lock is taken: a server opens it while an ingest is at work.
    """
    if sqlite3.sqlite_version_info < _NEEDED:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old; Python needs one of at least 3.38")
    if not has_full_text():
        raise StoreError("Python's SQLite has no full-text search (FTS5); use a Python that has, such as Debian's")
    if _is_empty(file):
        if not create:
            raise NoCorpus(f"at {file}")
        try:
            _make(file)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{file} cannot be made: {error}") from error
    _check(file)


def _plain(file: Path, mode: str, seconds: float = PATIENCE) -> sqlite3.Connection:
    uri = f"{file.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=seconds)


def _is_empty(file: Path) -> bool:
    return not file.exists() or (file.is_file() and file.stat().st_size == 0)


def _make(file: Path) -> None:
    """Make the tables in a file beside, then move it into place: nobody sees it half made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    directory = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)  # of two processes that make it, one does
        if not _is_empty(file):
            return
        new = file.with_name(f".{file.name}.new")
        for left in (*file.parent.glob(f"{new.name}*"), *(file.with_name(file.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)  # of a process that was killed here, or of a corpus that was deleted
        with closing(_plain(new, "rwc")) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            for statement in _TABLES.strip().split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode=WAL")
        new.replace(file)
        os.fsync(directory)
    finally:
        os.close(directory)


def _check(file: Path) -> None:
    """Look at the header alone: opening a file of somebody else's with SQLite may already change it or leave files beside."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEADER.size)
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be opened: {error.strerror}") from error
    if len(head) < _HEADER.size or not head.startswith(b"SQLite format 3\0"):
        raise ForeignStore(f"{file} is not a corpus, nor any SQLite file; move it away or choose another --data")
    version, owner = _HEADER.unpack(head)
    if owner != APPLICATION_ID:
        raise ForeignStore(f"{file} is somebody else's SQLite file; move it away or choose another --data")
    if version > SCHEMA_VERSION:
        raise ForeignStore(
            f"{file} has schema {version}, this version of Paper Atlas reads {SCHEMA_VERSION}; use the newer version that wrote it"
        )
    if version < SCHEMA_VERSION:
        raise ForeignStore(
            f"{file} has schema {version}, this version of Paper Atlas reads {SCHEMA_VERSION}; "
            "export its papers with the version that wrote it and ingest them again"
        )
