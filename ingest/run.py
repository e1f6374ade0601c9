"""One ingest run: files to records to papers in the store, in batches that are written whole or not at all."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from corpus.errors import BadInput, BooksDoNotBalance, StoreError
from corpus.model import PartialDate
from corpus.store import Run, Store, Tally
from ingest.formats import reader_of
from ingest.ledger import RejectsFile, write_ledger
from ingest.match import MERGED, Matcher, Outcome
from ingest.opening import Opened, open_file
from ingest.records import Found, Reader, Rejected
from ingest.report import FileReport, Progress, Report

__all__ = ["FileReport", "Progress", "Report", "ingest"]

TRIAL: Final = 10_000
"""Records after which a file with too many rejects is given up."""
TOO_MANY: Final = 0.2
"""Share of rejects among the first `TRIAL` that says: this is not what it seems."""
_FLAGS: Final = 200
"""Distinct oddities counted by name; the rest go under `other`."""


def ingest(
    files: Sequence[Path],
    store: Store,
    data: Path,
    *,
    format: str | None = None,
    data_date: PartialDate | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    batch: int | None = None,
) -> Report:
    """Read files into the store, `batch` records at a time (None: as many as the store likes best).

    Every file is opened and recognised before the first is read: `BadInput` and `UnknownFormat` come before any work. After that
    no bad record stops the run; each is counted, and kept with its line in the rejects. A file that cannot be read to its end is
    reported as incomplete, and the next one is read. Interrupted, or left by the store, the run keeps what was written and closes
    its books over that. Raises `BooksDoNotBalance` if a record is not accounted for.
    """
    readers: list[Reader] = []
    for path in files:
        with open_file(path) as opened:
            readers.append(reader_of(opened, format))
    run = _Running(store, data, files, data_date, progress, batch or store.batch)
    with run.rejects:
        try:
            for path, reader in zip(files, readers, strict=True):
                run.read(path, reader)
            run.settle()
        except BaseException:
            run.break_off()
            raise
    return run.report()


@dataclass(slots=True)
class _Written:
    """How many records of a file are accounted for; what follows was read and not written."""

    records: int = 0
    rejected: int = 0


@dataclass(slots=True)
class _Running:
    """The state of a run."""

    store: Store
    data: Path
    files: Sequence[Path]
    given_date: PartialDate | None
    progress: Callable[[Progress], None]
    batch: int
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
        try:
            opened = open_file(path)
        except BadInput as error:  # it was there when the run began
            self.reports.append(FileReport(str(path), reader.NAME, 0, 0, False, str(error), {}))
            return
        with opened:
            written = _Written()
            try:
                self._read(opened, reader, written)
            except BaseException:
                opened.trouble.incomplete = opened.trouble.incomplete or "the run was broken off"
                raise
            finally:
                self._finish(opened, reader, written)

    def _read(self, opened: Opened, reader: Reader, written: _Written) -> None:
        batch: list[Found] = []
        for count, found in enumerate(_records(opened, reader), start=1):
            self.tally.read += 1
            if isinstance(found, Rejected):
                self._reject(opened.path, found, written)
            else:
                batch.append(found)
            if count == TRIAL and written.rejected > TOO_MANY * TRIAL:
                opened.trouble.incomplete = (
                    f"{written.rejected:,} of its first {TRIAL:,} records are rejected: is it {reader.TITLE}?"
                )
                break
            if len(batch) == self.batch:
                self._write(batch, written)
                batch = []
            if count % self.batch == 0:
                self._tell(opened)
        self._write(batch, written)
        self._tell(opened)

    def _reject(self, path: Path, found: Rejected, written: _Written) -> None:
        self.rejects.write(path, found)
        _add(self.tally.rejected, found.code)
        written.records += 1
        written.rejected += 1

    def _write(self, batch: Sequence[Found], written: _Written) -> None:
        """Match and write one batch together with the totals up to it. If it cannot be written, `break_off` sets them right."""
        tally = self.tally
        matcher = Matcher(self.store, [found.record for found in batch])
        newest = self.newest
        for found in batch:
            _count(tally, matcher.add(found.record))
            for flag in found.flags:
                _add(tally.flags, flag if flag in tally.flags or len(tally.flags) < _FLAGS else "other")
            updated = found.record.updated
            if updated and str(updated) > f"{self.started:%Y-%m-%d}":
                _add(tally.flags, "updated_in_future")
            elif updated and (newest is None or str(updated) > str(newest)):
                newest = updated
        self.store.put(matcher.papers(), self._run(tally, None))
        self.newest = newest
        written.records += len(batch)

    def settle(self) -> None:
        """Write the end of the run."""
        self.store.settle(self._run(self.tally, datetime.now(UTC)), self.given_date or self.newest)

    def break_off(self) -> None:
        """Close the books of a run that does not come to its end, over what the store holds of it.

        The rest was read and not written; it is not part of the sum. Where the store itself has failed, its last batch tells.
        """
        with suppress(StoreError, OSError):
            held = next((run.tally for run in self.store.runs() if run.id == self.id), Tally())
            held.rejected = self.tally.rejected
            held.read = held.accepted + held.duplicates + sum(held.rejected.values()) + sum(held.merged.values())
            self.tally = held
            self.settle()
            self.report()

    def _run(self, tally: Tally, finished: datetime | None) -> Run:
        return Run(
            self.id,
            self.started.isoformat(timespec="seconds"),
            finished.isoformat(timespec="seconds") if finished else None,
            tuple(str(path) for path in self.files),
            deepcopy(tally),
        )

    def _tell(self, opened: Opened) -> None:
        seconds = max(time.monotonic() - self.begun, 1e-3)
        self.progress(
            Progress(self.tally.read, self.read_before + opened.bytes_read, self.total, self.tally.read / seconds)
        )

    def _finish(self, opened: Opened, reader: Reader, written: _Written) -> None:
        trouble = opened.trouble
        self.read_before += opened.size
        self.reports.append(
            FileReport(
                str(opened.path),
                reader.NAME,
                written.records,
                written.rejected,
                trouble.incomplete is None,
                trouble.incomplete,
                trouble.flags,
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


def _count(tally: Tally, outcome: Outcome) -> None:
    if outcome is Outcome.ACCEPTED:
        tally.accepted += 1
    elif outcome is Outcome.DUPLICATE:
        tally.duplicates += 1
    else:
        assert outcome in MERGED  # noqa: S101  the enumeration is closed
        _add(tally.merged, outcome.value)


def _records(opened: Opened, reader: Reader) -> Iterator[Found | Rejected]:
    """The records of a file; where it cannot be read on, that is its end, and the reason is noted."""
    try:
        yield from reader.records(opened)
    except (BadInput, OSError) as error:
        opened.trouble.incomplete = f"it could not be read on: {error}"
