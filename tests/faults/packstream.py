"""PackStream and Bolt's chunks, as much of them as the tests' peer and relay need. Written after the public specification."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

MOST: Final = 0xFFFF
"""Bytes of one chunk, at most."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A tagged list of fields: every Bolt message is one."""

    tag: int
    fields: tuple[object, ...] = ()


class NotPackStream(ValueError):
    """The bytes are no value, or not exactly one."""


def pack(value: object) -> bytes:
    """The bytes of null, a truth value, a number, text, bytes, a list, a map with keys of text, or a structure of these."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return _packed_int(value)
        case float():
            return b"\xc1" + struct.pack(">d", value)
        case str():
            encoded = value.encode()
            return _sized(len(encoded), 0x80, 0xD0) + encoded
        case bytes() | bytearray():
            return _sized(len(value), None, 0xCC) + bytes(value)
        case Structure():
            return bytes([0xB0 + len(value.fields), value.tag]) + b"".join(map(pack, value.fields))
        case Mapping():
            pairs = b"".join(pack(key) + pack(item) for key, item in value.items())
            return _sized(len(value), 0xA0, 0xD8) + pairs
        case Sequence():
            return _sized(len(value), 0x90, 0xD4) + b"".join(map(pack, value))
    raise TypeError(f"{type(value).__name__} has no form in PackStream")


def _packed_int(value: int) -> bytes:
    if -0x10 <= value <= 0x7F:
        return struct.pack(">b", value)
    for marker, form, bits in ((0xC8, ">b", 7), (0xC9, ">h", 15), (0xCA, ">i", 31), (0xCB, ">q", 63)):
        if -(1 << bits) <= value < 1 << bits:
            return bytes([marker]) + struct.pack(form, value)
    raise OverflowError(f"{value} has more than 64 bits")


def _sized(size: int, tiny: int | None, marker: int) -> bytes:
    """The head of a value with a size; `marker` is that of sizes of one byte, the next two of two and four bytes."""
    if tiny is not None and size < 0x10:
        return bytes([tiny + size])
    for step, form, limit in ((0, ">B", 1 << 8), (1, ">H", 1 << 16), (2, ">I", 1 << 32)):
        if size < limit:
            return bytes([marker + step]) + struct.pack(form, size)
    raise OverflowError(f"a size of {size} cannot be written")


def unpack(data: bytes) -> object:
    """The one value that the bytes are. Raises `NotPackStream`."""
    reader = _Reader(data)
    value = reader.value()
    if reader.at != len(data):
        raise NotPackStream(f"{len(data) - reader.at} bytes too many")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        part = self.data[self.at : self.at + size]
        if len(part) < size:
            raise NotPackStream(f"{size - len(part)} bytes too few")
        self.at += size
        return part

    def number(self, form: str) -> int:
        number: int = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return number

    def value(self) -> object:
        marker = self.number(">B")
        high, low = marker & 0xF0, marker & 0x0F
        if marker < 0x80 or marker >= 0xF0:
            return marker - 0x100 if marker >= 0xF0 else marker
        if high in _TINY:
            return self.sized(_TINY[high], low)
        if marker in _PLAIN:
            return _PLAIN[marker]
        if marker == 0xC1:
            return struct.unpack(">d", self.take(8))[0]
        if marker in _INTS:
            return self.number(_INTS[marker])
        if marker in _SIZED:
            kind, form = _SIZED[marker]
            return self.sized(kind, self.number(form))
        raise NotPackStream(f"no value begins with 0x{marker:02X}")

    def sized(self, kind: str, size: int) -> object:
        if kind == "text":
            return self.take(size).decode()
        if kind == "bytes":
            return self.take(size)
        if kind == "list":
            return [self.value() for _ in range(size)]
        if kind == "map":
            return {str(self.value()): self.value() for _ in range(size)}
        tag = self.number(">B")
        return Structure(tag, tuple(self.value() for _ in range(size)))


_TINY: Final = {0x80: "text", 0x90: "list", 0xA0: "map", 0xB0: "structure"}
_PLAIN: Final = {0xC0: None, 0xC2: False, 0xC3: True}
_INTS: Final = {0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}
_SIZED: Final = {
    first + step: (kind, form)
    for first, kind in ((0xCC, "bytes"), (0xD0, "text"), (0xD4, "list"), (0xD8, "map"))
    for step, form in ((0, ">B"), (1, ">H"), (2, ">I"))
}


def chunked(message: bytes) -> bytes:
    """A message as chunks: each with its size before it, and an empty one to end with."""
    parts = (message[start : start + MOST] for start in range(0, len(message), MOST))
    return b"".join(struct.pack(">H", len(part)) + part for part in parts) + b"\0\0"


class Unchunker:
    """Joins chunks to messages as bytes come in, in pieces of any size."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._message = bytearray()
        self._at = 0
        """Where the next chunk begins."""

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Every message that is complete now: itself, and the bytes that brought it, heads and all.

        A chunk is taken when it is whole. An empty one without a message before it is a sign of life, and no message.
        """
        self._waiting += data
        begun = 0
        at = self._at
        while len(self._waiting) >= at + 2:
            size = int.from_bytes(self._waiting[at : at + 2])
            if len(self._waiting) < at + 2 + size:
                break
            self._message += self._waiting[at + 2 : at + 2 + size]
            at += 2 + size
            if size == 0:
                if self._message:
                    yield bytes(self._message), bytes(self._waiting[begun:at])
                self._message.clear()
                begun = at
        del self._waiting[:begun]
        self._at = at - begun
