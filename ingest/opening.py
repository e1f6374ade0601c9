"""Opening a file of records: regular files only, gzip by its first bytes, bounded, and honest about an early end."""

from __future__ import annotations

import io
import os
import stat
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Self

from typing_extensions import Buffer

from corpus.errors import BadInput

GZIP: Final = b"\x1f\x8b"
CHUNK: Final = 1 << 16
BOMB_BYTES: Final = 64 << 20
"""Bytes unpacked before the ratio is looked at."""
BOMB_RATIO: Final = 200
"""A gzip file that unpacks to more than 200 times its size is a bomb; 1,028 is what zeros reach."""


@dataclass(slots=True)
class Trouble:
    """What is wrong with the bytes of a file."""

    incomplete: str | None = None
    """Why the file ends too early, or None."""
    flags: dict[str, int] = field(default_factory=dict)
    """Oddities that lost nothing."""

    def flag(self, name: str) -> None:
        """Count an oddity."""
        self.flags[name] = self.flags.get(name, 0) + 1


class Counted(io.RawIOBase):
    """The bytes of a file as they stand on disk, counted."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self.file, self.count = file, 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Read what is there."""
        view = memoryview(buffer)
        data = self.file.read(len(view))
        view[: len(data)] = data
        self.count += len(data)
        return len(data)

    def close(self) -> None:
        """Close the file too."""
        self.file.close()
        super().close()


class Gunzip(io.RawIOBase):
    """The content of a gzip file of one or more members; an early end is noted, not raised, so that nothing before it is lost."""

    def __init__(self, source: Counted, trouble: Trouble) -> None:
        super().__init__()
        self.source, self.trouble = source, trouble
        self._member = zlib.decompressobj(wbits=31)
        self._pending, self._made, self._ended = b"", 0, False
        self._step = CHUNK

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Unpack a buffer full; less only at the end, so that whoever peeks sees the beginning of the file, however it was packed."""
        view = memoryview(buffer)
        filled = 0
        while filled < len(view) and not self._ended:
            data = self._unpack(len(view) - filled)
            view[filled : filled + len(data)] = data
            filled += len(data)
        return filled

    def _unpack(self, most: int) -> bytes:
        if not self._pending:
            self._pending = self.source.read(CHUNK) or b""
            if not self._pending:
                return self._rest(most)
        if self._member.eof and not self._next_member():
            return b""
        before = self._member.copy()
        try:
            data = self._member.decompress(self._pending[: self._step], most)
        except zlib.error as error:
            self._come_closer(before, error)
            return b""
        self._pending = (self._member.unconsumed_tail or self._member.unused_data) + self._pending[self._step :]
        self._made += len(data)
        if self._made > BOMB_BYTES and self._made > BOMB_RATIO * self.source.count:
            self._stop(f"it unpacks to more than {BOMB_RATIO} times its size")
        return data

    def _rest(self, most: int) -> bytes:
        """What zlib still holds when the file has ended in the middle of a member."""
        if self._member.eof:
            self._stop(None)
            return b""
        data = self._member.decompress(b"", most)
        if not data:
            self._stop("the gzip stream ends in the middle")
        return data

    def _come_closer(self, before: zlib._Decompress, error: zlib.error) -> None:
        """Unpack the piece that failed again in smaller ones: zlib gives nothing of a piece that holds damage."""
        self._member, self._step = before, self._step // 16
        if not self._step:
            self._stop(f"the gzip stream is damaged ({error})")

    def _next_member(self) -> bool:
        self._pending = self._pending.lstrip(b"\0")
        if len(self._pending) == 1:
            self._pending += self.source.read(CHUNK) or b""
        if self._pending.startswith(GZIP):
            self._member = zlib.decompressobj(wbits=31)
            return True
        if self._pending == GZIP[:1]:
            self._stop("the gzip stream ends in the middle")
        elif self._pending:
            self.trouble.flag("junk_after_gzip")
            self._stop(None)
        return False

    def _stop(self, why: str | None) -> None:
        self._ended = True
        self.trouble.incomplete = self.trouble.incomplete or why

    def close(self) -> None:
        """Close the file too."""
        self.source.close()
        super().close()


@dataclass(slots=True)
class Opened:
    """A file of records, opened at its beginning."""

    path: Path
    size: int
    """Bytes on disk."""
    stream: io.BufferedReader[Any]
    trouble: Trouble
    _counted: Counted

    @property
    def bytes_read(self) -> int:
        """Bytes read from disk so far."""
        return self._counted.count

    def close(self) -> None:
        """Close the file."""
        self.stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_file(path: Path) -> Opened:
    """Open a file; raise `BadInput` for what is no regular readable file, is empty, or is UTF-16."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO without a writer must not hang us
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    facts = os.fstat(handle)
    if not stat.S_ISREG(facts.st_mode):
        os.close(handle)
        kind = "a directory: name the files in it" if stat.S_ISDIR(facts.st_mode) else "no regular file"
        raise BadInput(f"{path} is {kind}")
    if not facts.st_size:
        os.close(handle)
        raise BadInput(f"{path} is empty")
    counted, trouble = Counted(os.fdopen(handle, "rb", buffering=0)), Trouble()
    first = counted.file.read(2)
    counted.file.seek(0)
    raw: Gunzip | Counted = Gunzip(counted, trouble) if first == GZIP else counted
    stream = io.BufferedReader(raw, CHUNK * 4)
    _skip_mark(stream, path)
    return Opened(path, facts.st_size, stream, trouble, counted)


def _skip_mark(stream: io.BufferedReader[Any], path: Path) -> None:
    """Skip a UTF-8 byte order mark; name UTF-16, which no source writes on purpose."""
    start = stream.peek(4)[:4]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or (len(start) == 4 and b"\0\0" in (start[::2], start[1::2])):
        stream.close()
        raise BadInput(f"{path} is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8")
    if start.startswith(b"\xef\xbb\xbf"):
        stream.read(3)
