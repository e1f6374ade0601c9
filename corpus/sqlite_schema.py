"""The tables of the embedded store, and the opening of its file.

Edges stand in a WITHOUT ROWID table with a covering index the other way round; what only a paper page needs stands apart from
the rows of lists, so that a page of 5,000 citers reads few pages of the file. Local disk only: WAL does not work over NFS.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from corpus.errors import ForeignStore, StoreError

APPLICATION_ID: Final = 0x50415431
"""`PAT1` in the header of the file: it is ours."""
SCHEMA_VERSION: Final = 1
sqlite_version: Final = sqlite3.sqlite_version
BUSY_MILLISECONDS: Final = 30_000
_NEEDED: Final = (3, 38, 0)
"""UPDATE FROM came with 3.33, JSON as a matter of course with 3.38."""

_TABLES: Final = """
CREATE TABLE node(
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stub INTEGER NOT NULL, title TEXT, sort_title TEXT,
  authors TEXT NOT NULL DEFAULT '[]', authors_total INTEGER NOT NULL DEFAULT 0, date TEXT, year INTEGER,
  areas TEXT NOT NULL DEFAULT '[]', citations INTEGER NOT NULL DEFAULT 0);
CREATE INDEX node_year ON node(year) WHERE stub = 0;
CREATE TABLE identifier(id TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX identifier_n ON identifier(n);
CREATE TABLE content(n INTEGER PRIMARY KEY, paper BLOB NOT NULL);
CREATE TABLE cites(citing INTEGER NOT NULL, cited INTEGER NOT NULL, PRIMARY KEY(citing, cited)) WITHOUT ROWID;
CREATE INDEX cites_cited ON cites(cited, citing);
CREATE VIRTUAL TABLE words USING fts5(title, authors, prefix='1 2 3', tokenize="unicode61 remove_diacritics 2");
CREATE TABLE run(id TEXT PRIMARY KEY, started TEXT NOT NULL, finished TEXT, files TEXT NOT NULL, tally TEXT NOT NULL);
CREATE TABLE verdict(id TEXT PRIMARY KEY, x REAL, y REAL, region TEXT, unplaced TEXT) WITHOUT ROWID;
CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO fact VALUES('version', '0');
"""


def connect(file: Path, *, readonly: bool) -> sqlite3.Connection:
    """Open one connection; transactions are begun and ended by hand."""
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=BUSY_MILLISECONDS / 1000)
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"busy_timeout={BUSY_MILLISECONDS}", "cache_size=-65536"):
        connection.execute(f"PRAGMA {pragma}")
    if readonly:
        connection.execute("PRAGMA query_only=ON")
    return connection


def has_full_text() -> bool:
    """Whether Python's SQLite can search text (FTS5)."""
    connection = sqlite3.connect(":memory:")
    try:
        return ("ENABLE_FTS5",) in connection.execute("PRAGMA compile_options").fetchall()
    finally:
        connection.close()


def prepare(file: Path, *, create: bool) -> None:
    """Make the tables where the file is new; raise `StoreError` or `ForeignStore` where it cannot be used."""
    if sqlite3.sqlite_version_info < _NEEDED:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old; Python needs one of at least 3.38")
    if not has_full_text():
        raise StoreError("Python's SQLite has no full-text search (FTS5); use a Python that has, such as Debian's")
    if not file.exists() and not create:
        raise StoreError(f"there is no corpus at {file}; run `paperatlas ingest FILE` first")
    try:
        connection = connect(file, readonly=False)
    except sqlite3.DatabaseError as error:
        raise ForeignStore(f"{file} is not a corpus ({error}); move it away or choose another --data") from error
    except sqlite3.Error as error:
        raise StoreError(f"{file} cannot be opened: {error}") from error
    try:
        _check(connection, file)
    finally:
        connection.close()


def _check(connection: sqlite3.Connection, file: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables and not owner:
            for statement in _TABLES.strip().split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        elif owner != APPLICATION_ID:
            raise ForeignStore(f"{file} is somebody else's SQLite file; move it away or choose another --data")
        elif version != SCHEMA_VERSION:
            raise ForeignStore(
                f"{file} has schema {version}, this version of Paper Atlas reads {SCHEMA_VERSION}; "
                "export its papers with the version that wrote it and ingest them again"
            )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
