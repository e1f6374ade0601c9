"""JSON values out of a stream: lines, or the items of one array, one at a time and bounded."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

import msgspec

from corpus.errors import BadInput
from ingest.opening import CHUNK, Opened
from ingest.records import SHOWN_BYTES, Rejected

MAX_ITEM: Final = 64 << 20
"""Bytes of one record; the longest real one seen has under 5 MB."""
_STRUCTURE: Final = re.compile(rb'["{}\[\]]')
_STRING_END: Final = re.compile(rb'(?:[^"\\]|\\.)*+"', re.DOTALL)
_LIST_KEYS: Final = (b'"results"', b'"data"')


@dataclass(frozen=True, slots=True)
class Item:
    """A JSON value and where it stands."""

    place: int
    value: object
    flags: tuple[str, ...] = ()


def items(opened: Opened) -> Iterator[Item | Rejected]:
    """Yield each JSON value of a file: its lines, or the items of its array (bare, or in an API answer's `results`)."""
    start = opened.stream.peek(CHUNK).lstrip()[:1]
    head = opened.stream.peek(CHUNK)
    if start == b"[" or _one_object(head):
        yield from _array_items(opened)
        return
    for place, raw in lines(opened):
        if isinstance(raw, Rejected):
            yield raw
        elif raw.strip():
            yield decode(place, raw)


def _one_object(head: bytes) -> bool:
    """Whether the file is one object over several lines, as APIs and pretty printers write."""
    text = head.lstrip()
    if not text.startswith(b"{"):
        return False
    line = text.split(b"\n", 1)[0].strip()
    return line == b"{" or (text.startswith((b'{"meta"', b'{"results"')) and b'"results"' in text)


def lines(opened: Opened) -> Iterator[tuple[int, bytes | Rejected]]:
    """Yield numbered lines (LF, CRLF or CR); a line over `MAX_ITEM` is skipped without being held, and rejected."""
    stream = opened.stream
    place = 0
    lone_cr = b"\n" not in stream.peek(CHUNK) and b"\r" in stream.peek(CHUNK)
    source: io.BufferedReader | io.BytesIO = _CarriageReturns.over(stream) if lone_cr else stream
    while line := source.readline(MAX_ITEM):
        place += 1
        if len(line) == MAX_ITEM and not line.endswith(b"\n"):
            sample = line[:SHOWN_BYTES]
            while line and not line.endswith(b"\n"):
                line = source.readline(MAX_ITEM)
            yield place, Rejected(place, "too_long", f"the line is longer than {MAX_ITEM >> 20} MB", sample)
        elif opened.trouble.incomplete and not line.endswith(b"\n"):
            yield place, Rejected(place, "cut", f"{opened.trouble.incomplete}: the record is cut", line[:SHOWN_BYTES])
        else:
            yield place, line


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


def decode(place: int, raw: bytes) -> Item | Rejected:
    """Decode one JSON value; repair what loses no meaning (bad UTF-8, lone surrogates), reject the rest."""
    try:
        return Item(place, msgspec.json.decode(raw))
    except RecursionError:
        return Rejected(place, "too_deep", "the JSON is nested too deeply", raw[:SHOWN_BYTES])
    except msgspec.DecodeError:
        return _repair(place, raw)


def _repair(place: int, raw: bytes) -> Item | Rejected:
    text = raw.decode("utf-8", "replace")
    flags = ("bad_utf8",) if "\N{REPLACEMENT CHARACTER}" in text else ()
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
        if "\\ud" in text.lower():
            plain = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return Item(place, json.loads(plain), (*flags, "lone_surrogate"))
    except RecursionError:
        return Rejected(place, "too_deep", "the JSON is nested too deeply", raw[:SHOWN_BYTES])
    except ValueError as error:
        return Rejected(place, "bad_json", " ".join(str(error).split())[:SHOWN_BYTES], raw[:SHOWN_BYTES])
    return Item(place, value, flags)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is too large a number")
    return value


def _array_items(opened: Opened) -> Iterator[Item | Rejected]:
    scan = _Scan(opened)
    scan.enter()
    place = 0
    while (raw := scan.item()) is not None:
        place += 1
        yield raw if isinstance(raw, Rejected) else decode(place, raw)
    if scan.unclosed:
        opened.trouble.incomplete = opened.trouble.incomplete or "the JSON array is not closed"


class _Scan:
    """Cuts the items out of a JSON array by its brackets alone, so that one bad item costs no other."""

    def __init__(self, opened: Opened) -> None:
        self.stream, self.data, self.at, self.count, self.unclosed = opened.stream, b"", 0, 0, False
        self.single = False

    def _more(self) -> bool:
        chunk = self.stream.read(CHUNK * 4)
        self.data, self.at = self.data[self.at :] + chunk, 0
        return bool(chunk)

    def enter(self) -> None:
        """Go behind the bracket that opens the array; a lone object is its own only item."""
        self._more()
        first = self.data.lstrip()[:1]
        self.at = len(self.data) - len(self.data.lstrip())
        if first == b"[":
            self.at += 1
            return
        for key in _LIST_KEYS:
            found = re.compile(re.escape(key) + rb"\s*:\s*\[").search(self.data)
            if (
                found
                and self.data.startswith((b'{"meta"', b'{"results"', b"{"), self.at)
                and b'"meta"' in self.data[:CHUNK]
            ):
                self.at = found.end()
                return
        self.single = True

    def item(self) -> bytes | Rejected | None:
        """The next item's bytes; None at the end of the array."""
        if not self._skip_between():
            self.unclosed = not self.single
            return None
        if self.data[self.at : self.at + 1] == b"]" and not self.single:
            return None
        self.count += 1
        end = self._end()
        if end is None:
            return None
        raw, self.at = self.data[self.at : end], end
        return raw

    def _skip_between(self) -> bool:
        while True:
            while self.at < len(self.data) and self.data[self.at] in b" \t\r\n,":
                self.at += 1
            if self.at < len(self.data):
                return True
            if not self._more():
                return False

    def _end(self) -> int | None:
        """Where the value at `at` ends; reads on until it does."""
        if self.data[self.at] not in b'{["':
            return self._scalar_end()
        position, depth = self.at, 0
        while True:
            match = _STRUCTURE.search(self.data, position)
            if match is None:
                position = self._read_on(len(self.data))
            elif match[0] == b'"':
                closed = _STRING_END.match(self.data, match.end())
                if closed is not None:
                    position = closed.end()
                    if not depth:
                        return position
                else:
                    position = self._read_on(match.start())
            else:
                depth += 1 if match[0] in b"{[" else -1
                position = match.end()
                if not depth:
                    return position
            if position < 0:
                return None

    def _scalar_end(self) -> int:
        match = re.compile(rb"[^\s,\]]+|\]").match(self.data, self.at)
        return match.end() if match else self.at + 1

    def _read_on(self, position: int) -> int:
        """Read more while scanning stands at `position`; return where it goes on, -1 at the end of the file."""
        if len(self.data) - self.at > MAX_ITEM:
            raise BadInput(f"item {self.count} of the JSON array is longer than {MAX_ITEM >> 20} MB")
        position -= self.at
        if not self._more():
            self.unclosed = True
            return -1
        return position
