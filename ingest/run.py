"""One ingest run: files to records to papers in the store, in batches that are written whole or not at all."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from corpus.errors import BooksDoNotBalance
from corpus.model import PartialDate
from corpus.store import Run, Store, Tally
from ingest.formats import reader_of
from ingest.ledger import RejectsFile, write_ledger
from ingest.match import MERGED, Matcher, Outcome
from ingest.opening import Opened, open_file
from ingest.records import Found, Reader, Rejected

BATCH: Final = 1_000
TRIAL: Final = 10_000
"""Records after which a file with too many rejects is given up."""
TOO_MANY: Final = 0.2
"""Share of rejects among the first `TRIAL` that says: this is not what it seems."""
_FLAGS: Final = 200
"""Distinct oddities counted by name; the rest go under `other`."""


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


def ingest(
    files: Sequence[Path],
    store: Store,
    data: Path,
    *,
    format: str | None = None,
    data_date: PartialDate | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Report:
    """Read files into the store.

    Every file is opened and recognised before the first is read: `BadInput` and `UnknownFormat` come before any work. After that
    no bad record stops the run; each is counted, and kept with its line in the rejects. Interrupted, it keeps what was written.
    Raises `BooksDoNotBalance` if a record is not accounted for.
    """
    readers: list[Reader] = []
    for path in files:
        with open_file(path) as opened:
            readers.append(reader_of(opened, format))
    run = _Running(store, data, files, data_date, progress)
    with run.rejects:
        try:
            for path, reader in zip(files, readers, strict=True):
                run.read(path, reader)
        finally:
            run.settle()
    return run.report()


@dataclass(slots=True)
class _Running:
    """The state of a run."""

    store: Store
    data: Path
    files: Sequence[Path]
    given_date: PartialDate | None
    progress: Callable[[Progress], None]
    tally: Tally = field(default_factory=Tally)
    reports: list[FileReport] = field(default_factory=list)
    newest: PartialDate | None = None
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    begun: float = field(default_factory=time.monotonic)
    read_before: int = 0
    id: str = ""
    rejects: RejectsFile = field(init=False)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        self.id = f"{self.started:%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:6]}"
        self.rejects = RejectsFile(self.data, self.id)
        self.total = sum(path.stat().st_size for path in self.files)

    def read(self, path: Path, reader: Reader) -> None:
        """Read one file to its end, or to where it proves to be something else."""
        with open_file(path) as opened:
            batch: list[Found] = []
            count = bad = 0
            for found in reader.records(opened):
                count += 1
                self.tally.read += 1
                if isinstance(found, Rejected):
                    bad += 1
                    _add(self.tally.rejected, found.code)
                    self.rejects.write(path, found)
                else:
                    batch.append(found)
                if len(batch) == BATCH:
                    self._write(batch)
                    self._tell(opened)
                    batch = []
                if count == TRIAL and bad > TOO_MANY * TRIAL:
                    opened.trouble.incomplete = (
                        f"{bad:,} of its first {TRIAL:,} records are rejected: is it {reader.TITLE}?"
                    )
                    break
            self._write(batch)
            self._tell(opened)
            self._finish(opened, reader, count, bad)

    def _write(self, batch: Sequence[Found]) -> None:
        """Match and write one batch together with the totals up to it."""
        matcher = Matcher(self.store, [found.record for found in batch])
        for found in batch:
            outcome = matcher.add(found.record)
            if outcome is Outcome.ACCEPTED:
                self.tally.accepted += 1
            elif outcome is Outcome.DUPLICATE:
                self.tally.duplicates += 1
            else:
                assert outcome in MERGED  # noqa: S101  the enumeration is closed
                _add(self.tally.merged, outcome.value)
            for flag in found.flags:
                _add(self.tally.flags, flag if flag in self.tally.flags or len(self.tally.flags) < _FLAGS else "other")
            updated = found.record.updated
            if updated and (self.newest is None or str(updated) > str(self.newest)):
                self.newest = updated
        self.store.put(matcher.papers(), self._run(None))

    def settle(self) -> None:
        """Write the end of the run: what was counted but not written, because it was interrupted, is taken back."""
        accounted = self.tally.accepted + self.tally.duplicates
        accounted += sum(self.tally.rejected.values()) + sum(self.tally.merged.values())
        self.tally.read = min(self.tally.read, accounted)
        self.store.settle(self._run(datetime.now(UTC)), self.given_date or self.newest)

    def _run(self, finished: datetime | None) -> Run:
        return Run(
            self.id,
            self.started.isoformat(timespec="seconds"),
            finished.isoformat(timespec="seconds") if finished else None,
            tuple(str(path) for path in self.files),
            self.tally,
        )

    def _tell(self, opened: Opened) -> None:
        seconds = max(time.monotonic() - self.begun, 1e-3)
        self.progress(
            Progress(self.tally.read, self.read_before + opened.bytes_read, self.total, self.tally.read / seconds)
        )

    def _finish(self, opened: Opened, reader: Reader, count: int, bad: int) -> None:
        trouble = opened.trouble
        self.read_before += opened.size
        self.reports.append(
            FileReport(
                str(opened.path), reader.NAME, count, bad, trouble.incomplete is None, trouble.incomplete, trouble.flags
            )
        )

    def report(self) -> Report:
        """The books of the run; also writes the ledger."""
        if not self.tally.balanced:
            raise BooksDoNotBalance(
                f"run {self.id} read {self.tally.read:,} records and cannot account for all of them"
            )
        size, date = self.store.size(), self.store.data_date()
        rejects = self.rejects.close()
        report = Report(
            schema="ingest/1",
            run=self.id,
            started=self.started.isoformat(timespec="seconds"),
            finished=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - self.begun, 3),
            files=tuple(self.reports),
            tally=self.tally,
            rejected=sum(self.tally.rejected.values()),
            incomplete=sum(not file.complete for file in self.reports),
            rejects_file=str(rejects) if rejects else None,
            data_date=str(date) if date else None,
            papers=size.papers,
            stubs=size.stubs,
            citations=size.citations,
        )
        write_ledger(self.data, self.id, report)
        return report


def _add(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
