"""What a run tells while it goes on, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from corpus.store import Tally


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. `rate` is records a second."""

    records: int
    bytes_read: int
    bytes_total: int
    rate: float


class FileReport(msgspec.Struct, frozen=True):
    """What one file came to."""

    path: str
    format: str
    records: int
    rejected: int
    complete: bool
    problem: str | None
    """Why it is not complete."""
    warnings: dict[str, int]


class Report(msgspec.Struct, frozen=True):
    """What a run came to; also the ledger's content."""

    schema: str
    run: str
    started: str
    finished: str
    seconds: float
    files: tuple[FileReport, ...]
    tally: Tally
    rejected: int
    incomplete: int
    """Files that ended too early or were given up."""
    rejects_file: str | None
    data_date: str | None
    papers: int
    stubs: int
    citations: int
    """What the corpus holds afterwards."""
