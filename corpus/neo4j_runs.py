"""The ingest runs in the graph, each with what became of its records."""

from __future__ import annotations

from typing import Final

import msgspec

from corpus.neo4j_connection import Connection, Transaction
from corpus.store import Run, Tally

_RUN: Final = (
    "MATCH (r:IngestRun {id: $id}) SET r.finished = $finished, r.files = $files, r.tally = $tally RETURN r.id",
    (
        "MATCH (c:Corpus {name: 'paperatlas'}) SET c.runs = coalesce(c.runs, 0) + 1"
        " CREATE (:IngestRun {id: $id, seq: c.runs, started: $started, finished: $finished, files: $files, tally: $tally})"
        " RETURN $id"
    ),
)
_ALL: Final = (
    "MATCH (r:IngestRun) RETURN r.id, r.started, r.finished, coalesce(r.files, []), r.tally ORDER BY r.started, r.seq"
)


def read_runs(connection: Connection) -> list[Run]:
    """All runs, oldest first."""
    return [
        Run(id, started, finished, tuple(files), msgspec.json.decode(tally, type=Tally))
        for id, started, finished, files, tally in connection.read(_ALL)  # noqa: A001
    ]


def note_run(transaction: Transaction, run: Run) -> None:
    """Write a run as it stands now."""
    tally = msgspec.json.encode(run.tally).decode()
    for text in _RUN:
        if transaction.run(
            text, id=run.id, started=run.started, finished=run.finished, files=list(run.files) or None, tally=tally
        ):
            return
