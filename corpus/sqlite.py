"""The embedded store: one SQLite file, WAL, full-text search by FTS5. All of its SQL stands in the `sqlite*` modules."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from corpus.model import Paper, PartialDate
from corpus.sqlite_batch import write
from corpus.sqlite_connections import Connections
from corpus.sqlite_rows import COUNT, ENDS, FILTER, ORDER, ROW, STORED, filters, row_of, stored_of
from corpus.sqlite_schema import PATIENCE, prepare
from corpus.store import Direction, Edition, Page, Row, Run, Size, Sort, Stored, Tally, Verdict
from corpus.words import search_words

_CHUNK: Final = 20_000
_EDGES: Final = 200_000
_PAPERS: Final = 1_000


class SqliteStore:
    """The `corpus.store.Store` in one file. Reads from any thread; writes from one process at a time."""

    kind: str = "sqlite"
    batch: int = 2_500

    def __init__(self, file: Path, *, create: bool = True, readonly: bool = False, patience: float = PATIENCE) -> None:
        """Make the file where it is absent; `patience` is how many seconds a page waits for a lock of another process.

        Raises `StoreError`, `StoreUnavailable` or `ForeignStore` where the file cannot be used.
        """
        prepare(file, create=create)
        self._db = Connections(file, readonly=readonly, patience=patience)

    def put(self, papers: Sequence[Paper], run: Run) -> None:
        """Write one batch and the run's totals in one transaction."""
        self._db.become_writer()
        with self._db.transaction() as connection:
            write(connection, papers)
            _note_run(connection, run)

    def settle(self, run: Run, data_date: PartialDate | None) -> None:
        """Write the end of a run, and the later of the data dates."""
        self._db.become_writer()
        with self._db.transaction() as connection:
            _note_run(connection, run)
            if data_date is not None:
                connection.execute(
                    "INSERT INTO fact VALUES('data_date', :date) ON CONFLICT(name) DO UPDATE SET value = max(value, excluded.value)",
                    {"date": str(data_date)},
                )
        self._db.checkpoint()

    def runs(self) -> list[Run]:
        """All ingest runs, oldest first."""
        rows = self._db.read("SELECT id, started, finished, files, tally FROM run ORDER BY started, rowid")
        return [
            Run(id, started, finished, tuple(json.loads(files)), msgspec.json.decode(tally, type=Tally))
            for id, started, finished, files, tally in rows  # noqa: A001
        ]

    def resolve(self, ids: Iterable[str]) -> dict[str, str]:
        """Map each known identifier to its address."""
        found: dict[str, str] = {}
        wanted = list(dict.fromkeys(ids))
        for start in range(0, len(wanted), _CHUNK):
            found.update(
                self._db.read(
                    "SELECT i.id, p.id FROM json_each(:ids) w JOIN identifier i ON i.id = w.value JOIN node p ON p.n = i.n",
                    ids=json.dumps(wanted[start : start + _CHUNK]),
                )
            )
        return found

    def identifiers(self) -> Iterator[tuple[str, str]]:
        """Every identifier that leads to a paper and is not its address, with that address."""
        text = "SELECT i.id, p.id FROM identifier i JOIN node p ON p.n = i.n WHERE p.stub = 0 AND i.id <> p.id ORDER BY i.id"
        for chunk in self._db.chunks(text, _CHUNK):
            yield from chunk

    def paper(self, address: str) -> Stored | None:
        """The paper at an address."""
        rows = self._db.read(f"{STORED} WHERE p.id = :id", id=address)
        return stored_of(rows[0]) if rows else None

    def papers(self, addresses: Sequence[str]) -> list[Stored]:
        """The papers at these addresses, in this order."""
        rows = self._db.read(
            f"{STORED} JOIN json_each(:ids) w ON w.value = p.id ORDER BY w.key",
            ids=json.dumps(list(addresses)),
        )
        return [stored_of(row) for row in rows]

    def stream(self) -> Iterator[Stored]:
        """Every paper, in order of address."""
        for chunk in self._db.chunks(f"{STORED} ORDER BY p.id", _PAPERS):
            yield from map(stored_of, chunk)

    def rows(self, addresses: Sequence[str]) -> list[Row]:
        """Rows for these addresses, in this order."""
        rows = self._db.read(
            f"SELECT {ROW} FROM json_each(:ids) w JOIN node p ON p.id = w.value ORDER BY w.key",  # noqa: S608
            ids=json.dumps(list(addresses)),
        )
        return [row_of(row) for row in rows]

    def neighbours(
        self,
        address: str,
        direction: Direction,
        *,
        sort: Sort = Sort.CITATIONS,
        area: str | None = None,
        year: int | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Page:
        """References or citers, sorted, filtered, paged."""
        chosen = {"id": address} | filters(area, year)
        where = ENDS[direction] + FILTER
        counting = COUNT[direction] if area is None and year is None else f"SELECT count(*) {where}"
        with self._db.snapshot():
            (total,) = self._db.read(counting, **chosen)[0]
            rows = self._db.read(
                f"SELECT {ROW} {where} ORDER BY {ORDER[sort]} LIMIT :limit OFFSET :offset",
                **chosen,
                limit=limit,
                offset=offset,
            )
        return Page(tuple(row_of(row) for row in rows), total)

    def citers_per_year(self, address: str) -> dict[int | None, int]:
        """How many papers of each year cite it."""
        return dict(
            self._db.read(
                "SELECT p.year, count(*) FROM cites e JOIN node p ON p.n = e.citing"
                " WHERE e.cited = (SELECT n FROM node WHERE id = :id) GROUP BY 1 ORDER BY 1",
                id=address,
            )
        )

    def search(self, words: Sequence[str], limit: int) -> list[Row]:
        """Papers whose title or authors hold every word, the last one as a prefix."""
        wanted = search_words(" ".join(words))
        if not wanted:
            return []
        quoted = [f'"{word}"' for word in dict.fromkeys(wanted[:-1])] + [f'"{wanted[-1]}"*']
        rows = self._db.read(
            f"SELECT {ROW} FROM words JOIN node p ON p.n = words.rowid WHERE words MATCH :match"  # noqa: S608
            " ORDER BY citations DESC, p.id LIMIT :limit",
            match=" AND ".join(quoted),
            limit=limit,
        )
        return [row_of(row) for row in rows]

    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Citations as (citing, cited), int32 (m,) each, sorted."""
        chunks = self._db.chunks("SELECT citing, cited FROM cites ORDER BY citing, cited", _EDGES)
        both = np.concatenate([np.empty((0, 2), np.int32), *(np.array(chunk, np.int32) for chunk in chunks)])
        return both[:, 0].copy(), both[:, 1].copy()

    def publish(self, edition: Edition, verdicts: Iterable[Verdict]) -> None:
        """Mirror the verdicts of a build in one transaction."""
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM verdict")
            connection.executemany(
                "INSERT INTO verdict VALUES(:id, :x, :y, :region, :unplaced)",
                (
                    {"id": one.id, "x": one.x, "y": one.y, "region": one.region, "unplaced": one.unplaced}
                    for one in verdicts
                ),
            )
            connection.execute("INSERT OR REPLACE INTO fact VALUES('build', :build)", {"build": edition.hash})

    def published(self) -> str | None:
        """The build whose verdicts were mirrored last."""
        return self._fact("build")

    def size(self) -> Size:
        """Papers, stubs and citations held."""
        rows = self._db.read(
            "SELECT (SELECT count(*) FROM node WHERE stub = 0), (SELECT count(*) FROM node WHERE stub = 1), (SELECT count(*) FROM cites)"
        )
        return Size(*rows[0])

    def years(self) -> Mapping[int | None, int]:
        """How many papers of the corpus are of each year."""
        return dict(self._db.read("SELECT year, count(*) FROM node WHERE stub = 0 GROUP BY 1 ORDER BY 1"))

    def data_date(self) -> PartialDate | None:
        """The newest date that a source vouches for."""
        text = self._fact("data_date")
        return PartialDate.parse(text) if text else None

    def version(self) -> int:
        """A number that grows with every change of papers or citations."""
        return int(self._fact("version") or 0)

    def server_version(self) -> str:
        """SQLite's version."""
        return sqlite3.sqlite_version

    def edition(self) -> str | None:
        """SQLite has but one."""
        return None

    def close(self) -> None:
        """Close every connection and let go of the writer's lock."""
        self._db.close()

    def _fact(self, name: str) -> str | None:
        rows = self._db.read("SELECT value FROM fact WHERE name = :name", name=name)
        return str(rows[0][0]) if rows else None


def _note_run(connection: sqlite3.Connection, run: Run) -> None:
    connection.execute(
        "INSERT INTO run VALUES(:id, :started, :finished, :files, :tally)"
        " ON CONFLICT(id) DO UPDATE SET finished = excluded.finished, files = excluded.files, tally = excluded.tally",
        {
            "id": run.id,
            "started": run.started,
            "finished": run.finished,
            "files": json.dumps(run.files),
            "tally": msgspec.json.encode(run.tally).decode(),
        },
    )
