"""The items of JSON arrays, cut out by brackets and quotes alone, so that one bad item costs no other and none is held with the next.

Also read: several arrays or objects one after the other, and API answers (`{"meta": ..., "results": [...]}`), one or many.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from ingest.json_value import Item, decode
from ingest.opening import CHUNK, Opened
from ingest.records import SHOWN_BYTES, Rejected

_SIMPLE: Final = rb'(?:\{[^{}]*+\}|"[^"\\]*+"|[^\s,{}\[\]"]++)'
ANSWER: Final = re.compile(
    rb'\{\s*(?:"(?:meta|total|offset|next|token)"\s*:\s*' + _SIMPLE + rb'\s*,\s*)*+"(?:results|data)"\s*:\s*\['
)
"""The head of an API answer, up to its list."""
_QUIET: Final = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\\n]++|\\[^\n])*+")*+')
"""What does not change the depth: whole strings, and all that is no bracket. A string never holds a line end."""
_IN_STRING: Final = re.compile(rb'(?:[^"\\\n]++|\\[^\n])*+')
_SCALAR: Final = re.compile(rb"[^\s,\[\]{}\"]++|.", re.DOTALL)
_BLANK: Final = re.compile(rb"[ \t\r\n,\xef\xbb\xbf]*+")
_OPENING: Final = (b"{", b"[", b'"')
_ALIKE: Final = 0.25
"""Share of common fields from which two objects are taken for the same kind of record. Between an OpenAlex work and the objects
in it, it is under 0.1."""
_RECOVERY: Final = 64 << 20
"""Bytes that are read again for the sake of bad items, in a whole file."""


def array_items(opened: Opened, longest: int) -> Iterator[Item | Rejected]:
    """Yield the items of a file's arrays; one longer than `longest` bytes is passed over without being held, and rejected."""
    scan = _Scan(opened, longest)
    recover = _Recovery(_RECOVERY)
    place = 0
    for raw in scan:
        place += 1
        item = raw if isinstance(raw, Rejected) else decode(place, raw)
        if isinstance(raw, bytes) and isinstance(item, Rejected) and (again := recover.start_of_next(raw)):
            scan.back(len(raw) - again)
            item = decode(place, raw[:again])
        elif isinstance(raw, bytes) and scan.ended_inside and isinstance(item, Rejected):
            item = Rejected(place, "cut", "the record is cut", raw[:SHOWN_BYTES])
        if isinstance(item, Rejected):
            yield Rejected(place, item.code, item.message, item.sample)
            continue
        recover.see(item)
        yield item
    if scan.unclosed:
        opened.trouble.incomplete = opened.trouble.incomplete or "the JSON is not closed"


class _Recovery:
    """Finds the next good record in an item that is none because its brackets or quotes do not match.

    The work spent on it is bounded for a whole file, so that no file can make it long.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.fields: AbstractSet[str] = frozenset()
        self._decoder = json.JSONDecoder()

    def see(self, item: Item) -> None:
        """Remember what a good record looks like."""
        if isinstance(item.value, dict):
            self.fields = item.value.keys()

    def start_of_next(self, raw: bytes) -> int | None:
        """Where, behind its own beginning, an object begins that looks like the records before."""
        text = raw.decode("latin-1")
        self.budget -= len(text)
        start = text.find("{", 1)
        while start > 0 and self.budget > 0:
            if self._is_record(text, start):
                return start
            start = text.find("{", start + 1)
        return None

    def _is_record(self, text: str, start: int) -> bool:
        try:
            value, end = self._decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            self.budget -= error.pos  # the error counts the lines up to there
            return False
        except (RecursionError, ValueError):
            self.budget -= len(text) - start
            return False
        self.budget -= end - start
        return len(value.keys() & self.fields) >= _ALIKE * len(value.keys() | self.fields) > 0


class _Scan:
    """The bytes of each item, in order."""

    def __init__(self, opened: Opened, longest: int) -> None:
        self.stream, self.longest = opened.stream, longest
        self.data, self.at = b"", 0
        self.unclosed = self.ended_inside = False
        self._passed: bytes | None = None

    def __iter__(self) -> Iterator[bytes | Rejected]:
        while self._skip():
            if self.data[self.at : self.at + 1] == b"[":
                self.at += 1
                yield from self._list()
            elif answer := ANSWER.match(self.data, self.at):
                self.at = answer.end()
                yield from self._list()
                self._passed = b""
                self._pass_over(self._end(depth=1))
            else:
                yield self._item()

    def back(self, count: int) -> None:
        """Take back the last bytes handed out."""
        self.at -= count
        self.ended_inside = self.unclosed = False

    def _list(self) -> Iterator[bytes | Rejected]:
        while self._skip():
            if self.data[self.at : self.at + 1] == b"]":
                self.at += 1
                return
            yield self._item()
        self.unclosed = True

    def _item(self) -> bytes | Rejected:
        end = self._end()
        if self._passed is None and end is not None and end - self.at > self.longest:
            self._passed = self.data[self.at : self.at + SHOWN_BYTES]
        if self._passed is not None:
            sample = self._passed
            self._pass_over(end)
            return Rejected(0, "too_long", f"the item is longer than {self.longest:,} bytes", sample)
        if end is None:
            end, self.ended_inside, self.unclosed = len(self.data), True, True
        raw, self.at = self.data[self.at : end], end
        return raw

    def _pass_over(self, end: int | None) -> None:
        self.unclosed = self.unclosed or end is None
        self.at, self._passed = len(self.data) if end is None else end, None

    def _more(self) -> bool:
        held = self.data[self.at :]
        chunk = self.stream.read(max(CHUNK * 4, len(held)))
        self.data, self.at = held + chunk, 0
        return bool(chunk)

    def _skip(self) -> bool:
        """Skip blanks, commas and byte order marks; say whether anything follows."""
        while True:
            blank = _BLANK.match(self.data, self.at)
            self.at = blank.end() if blank else self.at
            if self.at < len(self.data):
                return True
            if not self._more():
                return False

    def _end(self, depth: int = 0) -> int | None:
        """Where the value at `at` ends, or the one that `depth` brackets were opened of; reads on until it does, None if never."""
        first = self.data[self.at : self.at + 1]
        if not depth and first not in _OPENING:
            return self._scalar_end()
        quoted = not depth and first == b'"'
        position = self.at + quoted
        while True:
            quiet = (_IN_STRING if quoted else _QUIET).match(self.data, position)
            position = quiet.end() if quiet else position
            mark = self.data[position : position + 1]
            if not mark or (quoted and self.data[position:] == b"\\"):
                position = self._read_on(position)
                if position < 0:
                    return None
                continue
            position += 1
            if quoted:
                quoted = mark == b"\\"
            elif mark == b'"':
                quoted = True
            else:
                depth += 1 if mark in b"{[" else -1
            if not quoted and depth <= 0:
                return position

    def _scalar_end(self) -> int:
        position = self.at
        while True:
            found = _SCALAR.match(self.data, position)
            position = found.end() if found else position
            if position < len(self.data):
                return position
            position = self._read_on(position)
            if position < 0:
                return len(self.data)

    def _read_on(self, position: int) -> int:
        """Read more while scanning stands at `position`; return where it goes on, -1 at the end of the file."""
        if self._passed is None and position - self.at > self.longest:
            self._passed = self.data[self.at : self.at + SHOWN_BYTES]
        if self._passed is not None:
            self.at = position
        position -= self.at
        return position if self._more() else -1
