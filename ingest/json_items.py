"""JSON values out of a stream: lines, or the items of arrays, one at a time and bounded."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Final

from ingest.json_array import ANSWER, array_items
from ingest.json_value import Item, decode
from ingest.opening import CHUNK, Opened
from ingest.records import SHOWN_BYTES, Rejected

MAX_ITEM: Final = 64 << 20
"""Bytes of one record; the longest real one seen has under 5 MB."""
_PRETTY: Final = re.compile(rb'\{[ \t]*\r?\n\s*"')
"""An object over several lines, as APIs and pretty printers write; a line of JSON lines never breaks there."""


def items(opened: Opened, longest: int = MAX_ITEM) -> Iterator[Item | Rejected]:
    """Yield each JSON value of a file: its lines, or the items of its array (bare, or in an API answer's `results`).

    What is longer than `longest` bytes is passed over without being held, and rejected.
    """
    head = opened.stream.peek(CHUNK).lstrip()
    if head.startswith(b"[") or _PRETTY.match(head) or ANSWER.match(head):
        yield from array_items(opened, longest)
        return
    for place, raw in lines(opened, longest):
        if isinstance(raw, Rejected):
            yield raw
        elif raw.strip():
            yield _line(opened, place, raw)


def _line(opened: Opened, place: int, raw: bytes) -> Item | Rejected:
    """Decode a line. The last one of a file that ends too early is kept if it is a whole object."""
    item = decode(place, raw)
    if opened.trouble.incomplete and not raw.endswith(b"\n"):
        whole = isinstance(item, Item) and isinstance(item.value, dict)
        return (
            item
            if whole
            else Rejected(place, "cut", f"the record is cut: {opened.trouble.incomplete}", raw[:SHOWN_BYTES])
        )
    return item


def lines(opened: Opened, longest: int = MAX_ITEM) -> Iterator[tuple[int, bytes | Rejected]]:
    """Yield numbered lines (LF, CRLF or CR); one over `longest` bytes is skipped without being held, and rejected."""
    stream = opened.stream
    place = 0
    head = stream.peek(CHUNK)
    lone_cr = b"\n" not in head and b"\r" in head
    source: io.BufferedReader | io.BytesIO = _CarriageReturns.over(stream) if lone_cr else stream
    while line := source.readline(longest + 1):
        place += 1
        if len(line) <= longest or line.endswith(b"\n"):
            yield place, line
            continue
        sample = line[:SHOWN_BYTES]
        while line and not line.endswith(b"\n"):
            line = source.readline(CHUNK)
        yield place, Rejected(place, "too_long", f"the line is longer than {longest:,} bytes", sample)


class _CarriageReturns(io.RawIOBase):
    """Lines that end in CR alone, as old Macintosh programs wrote them, with LF instead."""

    def __init__(self, stream: io.BufferedReader) -> None:
        super().__init__()
        self.stream = stream

    @classmethod
    def over(cls, stream: io.BufferedReader) -> io.BufferedReader:
        """A buffered reader of the translated bytes."""
        return io.BufferedReader(cls(stream), CHUNK)

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read and translate."""
        data = self.stream.read1(len(buffer)).replace(b"\r", b"\n")
        buffer[: len(data)] = data
        return len(data)
