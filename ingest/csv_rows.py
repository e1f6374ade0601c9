"""Rows of a CSV file as mappings, bounded; a quote that is never closed costs its own line, not the rows after it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from corpus.errors import BadInput
from ingest.opening import CHUNK, Opened
from ingest.records import SHOWN_BYTES, Rejected

MAX_ROW: Final = 16 << 20
"""Characters of one row, however many lines it has."""
_RECOVERY: Final = 64 << 20
"""Characters that are read again for the sake of bad rows, in a whole file."""


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row with as many cells as the header."""

    place: int
    """The line on which it begins, counted from 1."""
    cells: Mapping[str, str]
    flags: tuple[str, ...] = ()
    start: bytes = b""
    """Its first bytes, as they are shown where it is rejected after all."""


def rows(opened: Opened, longest: int = MAX_ROW) -> Iterator[CsvRow | Rejected]:
    """Yield every row behind the header, in order; blank lines are nothing."""
    csv.field_size_limit(longest)
    text = io.TextIOWrapper(opened.stream, encoding="utf-8", errors="replace", newline="")
    lines = _Lines(text, longest)
    try:
        header = next(csv.reader(lines), [])
    except (csv.Error, _TooLong) as error:
        raise BadInput(f"{opened.path}: its header row cannot be read ({str(error) or 'it does not end'})") from error
    yield from _Rows(opened, lines, header)
    text.detach()


class _TooLong(Exception):
    """A row goes on and on."""


class _Lines:
    """The lines of the file; those of the current row can be put back."""

    def __init__(self, text: io.TextIOWrapper, longest: int) -> None:
        self.text, self.longest = text, longest
        self.place = 0
        """Lines taken so far."""
        self.row: list[str] = []
        """The lines of the current row."""
        self._back: list[str] = []
        self._held = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._back.pop() if self._back else self._read()
        if not line:
            raise StopIteration
        self.row.append(line)
        self.place += 1
        self._held += len(line)
        if self._held > self.longest:
            raise _TooLong
        return line.replace("\0", "")

    def _read(self) -> str:
        """The next line; of one that is too long the beginning, and the rest is not held."""
        line = rest = self.text.readline(self.longest + 1)
        while len(line) > self.longest and rest and not rest.endswith(("\n", "\r")):
            rest = self.text.readline(CHUNK)
        return line

    def begin(self) -> None:
        """A new row begins."""
        self.row, self._held = [], 0

    def put_back(self) -> int:
        """Put all but the first line of the row back; return how many characters that are."""
        self._back += reversed(self.row[1:])
        self.place -= len(self.row) - 1
        back = self._held - len(self.row[0])
        self.row, self._held = self.row[:1], len(self.row[0])
        return back


class _Rows:
    """Reads rows one at a time, and goes back to the second line of a bad one: a good row may begin there."""

    def __init__(self, opened: Opened, lines: _Lines, header: list[str]) -> None:
        self.opened, self.lines, self.header = opened, lines, header
        self.budget = _RECOVERY

    def __iter__(self) -> Iterator[CsvRow | Rejected]:
        reader = csv.reader(self.lines, strict=True)
        while True:
            self.lines.begin()
            place = self.lines.place + 1
            try:
                cells = next(reader)
                problem = self._problem(cells)
            except StopIteration:
                return
            except (csv.Error, _TooLong) as error:
                cells, problem = (
                    [],
                    ("bad_csv", str(error) or f"the row is longer than {self.lines.longest:,} characters"),
                )
            if problem is not None:
                self._go_back()
                reader = csv.reader(self.lines, strict=True)
                yield Rejected(place, *problem, self._start())
            elif len(cells) == len(self.header):
                yield self._row(place, cells)

    def _go_back(self) -> None:
        if len(self.lines.row) < 2:
            return
        if self.budget > 0:
            self.budget -= self.lines.put_back()
        else:
            self.opened.trouble.incomplete = "too many of its quotes are never closed: rows between them were lost"

    def _problem(self, cells: list[str]) -> tuple[str, str] | None:
        incomplete = self.opened.trouble.incomplete
        if incomplete and self.lines.row and not self.lines.row[-1].endswith(("\n", "\r")):
            return "cut", f"the record is cut: {incomplete}"
        if not "".join(self.lines.row).strip():
            return None
        if len(cells) != len(self.header):
            return "wrong_columns", f"{len(cells)} cells, the header has {len(self.header)}"
        return None

    def _row(self, place: int, cells: list[str]) -> CsvRow:
        odd = any("\N{REPLACEMENT CHARACTER}" in cell for cell in cells)
        return CsvRow(place, dict(zip(self.header, cells, strict=True)), ("bad_utf8",) if odd else (), self._start())

    def _start(self) -> bytes:
        return "".join(self.lines.row)[:SHOWN_BYTES].encode("utf-8", "replace")
