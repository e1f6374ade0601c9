"""The writing half of the embedded store: one batch of papers, inside a transaction that the caller holds.

Rows go in by ascending number, a table at a time: full-text search of SQLite begins a new segment whenever a number is below the
one before, which made it five times as slow.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from corpus.joining import Group, differing
from corpus.model import Paper
from corpus.packing import pack
from corpus.sqlite_merge import absorb
from corpus.sqlite_rows import list_text
from corpus.words import search_words

_CHUNK: Final = 20_000
"""Identifiers that one statement looks up."""
_NODE: Final = (
    "INSERT INTO node(n, id, stub, title, sort_title, authors, authors_total, date, year, areas) VALUES(?,?,0,?,?,?,?,?,?,?)"
    " ON CONFLICT(n) DO UPDATE SET id = excluded.id, stub = 0, title = excluded.title, sort_title = excluded.sort_title,"
    " authors = excluded.authors, authors_total = excluded.authors_total, date = excluded.date, year = excluded.year,"
    " areas = excluded.areas"
)
_ADD: Final = "INSERT INTO cited VALUES(?,?) ON CONFLICT(n) DO UPDATE SET citations = citations + excluded.citations"
_RECOUNT: Final = (
    "INSERT OR REPLACE INTO cited SELECT n, (SELECT count(*) FROM cites WHERE cited = n) FROM node"
    " WHERE n IN (SELECT value FROM json_each(:ns))"
)
_LONELY: Final = (
    "SELECT n FROM node WHERE stub = 1 AND n IN (SELECT value FROM json_each(:ns))"
    " AND NOT EXISTS (SELECT 1 FROM cites WHERE cited = node.n)"
)


def numbers(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, int]:
    """Map the identifiers that are known to their nodes."""
    wanted = sorted(set(ids))
    found: dict[str, int] = {}
    for start in range(0, len(wanted), _CHUNK):
        found.update(
            connection.execute(
                "SELECT i.id, i.n FROM json_each(:ids) w JOIN identifier i ON i.id = w.value",
                {"ids": json.dumps(wanted[start : start + _CHUNK])},
            )
        )
    return found


def write(connection: sqlite3.Connection, papers: Sequence[Paper]) -> bool:
    """Write the papers that differ from what is held; return whether any did."""
    batch = _Batch(connection)
    batch.find(papers)
    if batch.groups:
        with ThreadPoolExecutor(1) as beside:  # packing takes half of our own time, and needs the interpreter little
            packed = beside.submit(lambda: [(n, pack(group.paper)) for n, group in batch.groups])
            batch.nodes()
            batch.cite()
            batch.finish(packed)
    return bool(batch.groups)


class _Batch:
    """One batch on its way into the tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.next = int(connection.execute("SELECT coalesce(max(n), 0) + 1 FROM node").fetchone()[0])
        self.blobs: dict[int, bytes] = {}
        """Of papers that were held before; a stub has none."""
        self.groups: list[tuple[int, Group]] = []
        """By ascending number."""
        self.fresh: dict[str, int] = {}
        """Identifiers of this batch's papers."""
        self.added: Counter[int] = Counter()
        self.recount: set[int] = set()
        """Nodes whose citations changed in ways that are not counted one by one."""
        self.orphans: set[int] = set()
        """Nodes that something cites no longer."""

    def find(self, papers: Sequence[Paper]) -> None:
        """Find the nodes of the papers; leave out what is held just so, and let one node take over the others of its paper."""
        held = numbers(self.connection, (identifier for paper in papers for identifier in paper.ids))
        text = "SELECT c.n, c.paper FROM json_each(:ns) w JOIN content c ON c.n = w.value"
        self.blobs = dict(self.connection.execute(text, {"ns": json.dumps(sorted(set(held.values())))}))
        names: list[tuple[str, int]] = []
        for group in differing(papers, held, self.blobs):
            n = group.target(self.blobs)
            if n is None:
                n = self.next
                self.next += 1
            for other in sorted(group.nodes - {n}):
                self.orphans |= absorb(self.connection, n, other)
                self.recount.add(n)
            self.groups.append((n, group))
            self.fresh.update(dict.fromkeys(group.ids, n))
            names += [(identifier, n) for identifier in group.ids if identifier not in held]
        self.groups.sort(key=lambda pair: pair[0])
        self.recount |= self.orphans
        self.connection.executemany("INSERT INTO identifier VALUES(?,?)", sorted(names))

    def nodes(self) -> None:
        """Write the papers' own rows, and their words."""
        rows, words = [], []
        for n, group in self.groups:
            row = _row(n, group.paper)
            rows.append(row)
            names = " ".join(search_words(" ".join(author.name for author in group.paper.authors)))
            words.append((n, f"{row[3] or ''} {names}"))
        many = self.connection.executemany
        many(_NODE, rows)
        many("DELETE FROM words WHERE rowid = ?", [(n,) for n, _ in self.groups if n in self.blobs])
        many("INSERT INTO words(rowid, text) VALUES(?,?)", words)

    def cite(self) -> None:
        """Replace the reference lists of the papers; a cited work that nothing has becomes a stub."""
        known = self._cited()
        before: dict[int, set[int]] = {}
        text = "SELECT e.citing, e.cited FROM json_each(:ns) w JOIN cites e ON e.citing = w.value"
        older = json.dumps([n for n, _ in self.groups if n in self.blobs])
        for citing, cited in self.connection.execute(text, {"ns": older}):
            before.setdefault(citing, set()).add(cited)
        gone, come = [], []
        for n, group in self.groups:
            after = {known[identifier] for identifier in group.paper.references or ()}
            held = before.get(n, set())
            gone += [(n, cited) for cited in sorted(held - after)]
            come += [(n, cited) for cited in sorted(after - held)]
        self.connection.executemany("DELETE FROM cites WHERE citing = ? AND cited = ?", gone)
        self.connection.executemany("INSERT INTO cites VALUES(?,?)", come)
        self.orphans.update(cited for _, cited in gone)
        self.added.update(cited for _, cited in come)
        self.added.subtract(cited for _, cited in gone)

    def _cited(self) -> dict[str, int]:
        """The nodes of all works that are cited, made where there are none."""
        wanted = {identifier for _, group in self.groups for identifier in group.paper.references or ()}
        known = numbers(self.connection, wanted - self.fresh.keys()) | self.fresh
        unknown = sorted(wanted - known.keys())
        made = dict(zip(unknown, range(self.next, self.next + len(unknown)), strict=True))
        self.connection.executemany("INSERT INTO node(id, n, stub) VALUES(?,?,1)", made.items())
        self.connection.executemany("INSERT INTO identifier VALUES(?,?)", made.items())
        return known | made

    def finish(self, packed: Future[list[tuple[int, bytes]]]) -> None:
        """Write the papers whole, count what was touched, remove stubs that nothing cites any more, raise the version."""
        run, many = self.connection.execute, self.connection.executemany
        many("INSERT OR REPLACE INTO content VALUES(?,?)", packed.result())
        many(_ADD, sorted((n, change) for n, change in self.added.items() if change and n not in self.recount))
        run(_RECOUNT, {"ns": json.dumps(sorted(self.recount))})
        lonely = run(_LONELY, {"ns": json.dumps(sorted(self.orphans))}).fetchall()
        for table in ("identifier", "cited", "node"):
            many(f"DELETE FROM {table} WHERE n = ?", lonely)  # noqa: S608  a constant
        run("UPDATE fact SET value = CAST(value AS INTEGER) + 1 WHERE name = 'version'")


def _row(n: int, paper: Paper) -> tuple[Any, ...]:
    names = [author.name for author in paper.authors]
    return (
        n,
        paper.address,
        paper.title,
        None if paper.title is None else " ".join(search_words(paper.title)),
        list_text(names[:3]),
        len(names),
        None if paper.date is None else str(paper.date),
        paper.year,
        list_text(paper.areas),
    )
