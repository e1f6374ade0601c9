"""The writing half of the embedded store: one batch of papers, inside a transaction that the caller holds."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from corpus.model import Paper
from corpus.packing import holds, pack
from corpus.words import search_words

_CHUNK: Final = 20_000
"""Identifiers that one statement looks up."""


def numbers(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, int]:
    """Map the identifiers that are known to their nodes."""
    wanted = list(dict.fromkeys(ids))
    found: dict[str, int] = {}
    for start in range(0, len(wanted), _CHUNK):
        rows = connection.execute(
            "SELECT i.id, i.n FROM json_each(:ids) w JOIN identifier i ON i.id = w.value",
            {"ids": json.dumps(wanted[start : start + _CHUNK])},
        )
        found.update(rows)
    return found


def write(connection: sqlite3.Connection, papers: Sequence[Paper]) -> bool:
    """Write the papers that differ from what is held; return whether any did."""
    batch = _Batch(connection)
    held = numbers(connection, (identifier for paper in papers for identifier in paper.ids))
    for paper in papers:
        batch.node(paper, held)
    if batch.changed:
        batch.cite()
        batch.finish()
    return bool(batch.changed)


class _Batch:
    """One batch on its way into the tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.next = int(connection.execute("SELECT coalesce(max(n), 0) + 1 FROM node").fetchone()[0])
        self.changed: dict[int, Paper] = {}
        self.recount: set[int] = set()
        self.orphans: set[int] = set()

    def node(self, paper: Paper, held: dict[str, int]) -> None:
        """Write a paper's own row and identifiers, unless they are held already."""
        run = self.connection.execute
        found = sorted({held[identifier] for identifier in paper.ids if identifier in held})
        if len(found) == 1:
            row = run("SELECT paper FROM content WHERE n = :n", {"n": found[0]}).fetchone()
            if row and holds(row[0], paper):
                return
        n = self._target(found)
        for other in found:
            if other != n:
                self._absorb(n, other)
                held.update({identifier: n for identifier, node in held.items() if node == other})
        self._row(n, paper)
        run("INSERT OR REPLACE INTO content VALUES(:n, :paper)", {"n": n, "paper": pack(paper)})
        self.connection.executemany(
            "INSERT OR REPLACE INTO identifier VALUES(:id, :n)",
            [{"id": identifier, "n": n} for identifier in paper.ids],
        )
        held.update(dict.fromkeys(paper.ids, n))
        self.changed[n] = paper

    def _target(self, found: list[int]) -> int:
        if not found:
            self.next += 1
            return self.next - 1
        rows = self.connection.execute(
            "SELECT n FROM node WHERE stub = 0 AND n IN (SELECT value FROM json_each(:ns)) ORDER BY n",
            {"ns": json.dumps(found)},
        ).fetchall()
        return int(rows[0][0]) if rows else found[0]

    def _absorb(self, n: int, other: int) -> None:
        """Let `n` take over what cites `other`, and its identifiers; its own list goes."""
        run, pair = self.connection.execute, {"n": n, "other": other}
        self.orphans.update(row[0] for row in run("SELECT cited FROM cites WHERE citing = :other", pair))
        run("INSERT OR IGNORE INTO cites SELECT citing, :n FROM cites WHERE cited = :other", pair)
        run("DELETE FROM cites WHERE citing = :other OR cited = :other", pair)
        run("UPDATE identifier SET n = :n WHERE n = :other", pair)
        run("DELETE FROM node WHERE n = :other", pair)
        run("DELETE FROM content WHERE n = :other", pair)
        run("DELETE FROM words WHERE rowid = :other", pair)
        self.recount.add(n)
        self.changed.pop(other, None)

    def _row(self, n: int, paper: Paper) -> None:
        run = self.connection.execute
        names = [author.name for author in paper.authors]
        values = {
            "n": n,
            "id": paper.address,
            "title": paper.title,
            "sort_title": None if paper.title is None else " ".join(search_words(paper.title)),
            "authors": json.dumps(names[:3], ensure_ascii=False),
            "authors_total": len(names),
            "date": None if paper.date is None else str(paper.date),
            "year": paper.year,
            "areas": json.dumps(paper.areas, ensure_ascii=False),
        }
        run(
            "INSERT INTO node(n, id, stub, title, sort_title, authors, authors_total, date, year, areas)"
            " VALUES(:n, :id, 0, :title, :sort_title, :authors, :authors_total, :date, :year, :areas)"
            " ON CONFLICT(n) DO UPDATE SET id = excluded.id, stub = 0, title = excluded.title, sort_title = excluded.sort_title,"
            " authors = excluded.authors, authors_total = excluded.authors_total, date = excluded.date, year = excluded.year,"
            " areas = excluded.areas",
            values,
        )
        run("DELETE FROM words WHERE rowid = :n", {"n": n})
        text = {"n": n, "title": values["sort_title"] or "", "authors": " ".join(search_words(" ".join(names)))}
        run("INSERT INTO words(rowid, title, authors) VALUES(:n, :title, :authors)", text)

    def cite(self) -> None:
        """Replace the reference lists of the changed papers; a cited work that nothing has becomes a stub."""
        wanted = {identifier for paper in self.changed.values() for identifier in paper.references or ()}
        known = numbers(self.connection, sorted(wanted))
        fresh = sorted(wanted - known.keys())
        made = dict(zip(fresh, range(self.next, self.next + len(fresh)), strict=True))
        self.next += len(fresh)
        rows = [{"n": n, "id": identifier} for identifier, n in made.items()]
        self.connection.executemany("INSERT INTO node(n, id, stub) VALUES(:n, :id, 1)", rows)
        self.connection.executemany("INSERT INTO identifier VALUES(:id, :n)", rows)
        known |= made
        gone, come = [], []
        for n, paper in self.changed.items():
            after = {known[identifier] for identifier in paper.references or ()}
            before = {row[0] for row in self.connection.execute("SELECT cited FROM cites WHERE citing = :n", {"n": n})}
            gone += [{"n": n, "cited": cited} for cited in before - after]
            come += [{"n": n, "cited": cited} for cited in sorted(after - before)]
        self.connection.executemany("DELETE FROM cites WHERE citing = :n AND cited = :cited", gone)
        self.connection.executemany("INSERT INTO cites VALUES(:n, :cited)", come)
        self.orphans.update(edge["cited"] for edge in gone)
        self.recount.update(edge["cited"] for edge in (*gone, *come))
        self.recount.update(self.changed)

    def finish(self) -> None:
        """Count anew what was touched; remove stubs that nothing cites any more; raise the version."""
        run = self.connection.execute
        orphans = {"ns": json.dumps(sorted(self.orphans))}
        lonely = (
            "(SELECT n FROM node WHERE stub = 1 AND n IN (SELECT value FROM json_each(:ns))"
            " AND NOT EXISTS (SELECT 1 FROM cites WHERE cited = node.n))"
        )
        run(f"DELETE FROM identifier WHERE n IN {lonely}", orphans)  # noqa: S608  a constant
        run(f"DELETE FROM node WHERE n IN {lonely}", orphans)  # noqa: S608  a constant
        run(
            "UPDATE node SET citations = (SELECT count(*) FROM cites WHERE cited = n) WHERE n IN (SELECT value FROM json_each(:ns))",
            {"ns": json.dumps(sorted(self.recount | self.orphans))},
        )
        run("UPDATE fact SET value = CAST(value AS INTEGER) + 1 WHERE name = 'version'")
