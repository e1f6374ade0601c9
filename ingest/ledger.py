"""What a run leaves behind besides papers: its ledger, and its rejects with the line of each. Written beside, fsynced, renamed."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from ingest.records import Rejected

LEDGER: Final = "ledger"
REJECTS: Final = "rejects"


class RejectsFile:
    """`rejects/<run>.jsonl.gz`, made with the first reject, in place when closed."""

    def __init__(self, data: Path, run: str) -> None:
        self.path = data / REJECTS / f"{run}.jsonl.gz"
        self._beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        self._file: gzip.GzipFile | None = None
        self._placed = False

    def write(self, file: Path, reject: Rejected) -> None:
        """Keep one rejected record."""
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = gzip.GzipFile(self._beside, "wb", mtime=0)
        row = {
            "file": str(file),
            "line": reject.place,
            "reason": reject.code,
            "message": reject.message,
            "start": reject.sample.decode("utf-8", "backslashreplace"),
        }
        self._file.write(msgspec.json.encode(row) + b"\n")

    def close(self) -> Path | None:
        """Put the file in its place; None where nothing was rejected."""
        if self._file is not None:
            self._file.close()
            self._file = None
            _into_place(self._beside, self.path)
            self._placed = True
        return self.path if self._placed else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def write_ledger(data: Path, run: str, report: msgspec.Struct) -> Path:
    """Write `ledger/<run>.json`."""
    path = data / LEDGER / f"{run}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    _into_place(beside, path)
    return path


def _into_place(beside: Path, path: Path) -> None:
    _to_disk(beside)
    beside.replace(path)
    _to_disk(path.parent)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
