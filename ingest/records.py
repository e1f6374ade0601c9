"""What passes from a reader to the rest: records, rejects, and the places in a file where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from corpus.model import Record
from ingest.opening import Opened

SAMPLE_BYTES: Final = 1 << 18
"""Content that a format is told from."""
SHOWN_BYTES: Final = 200
"""Of a rejected record that are kept."""


@dataclass(frozen=True, slots=True)
class Found:
    """A record, where it stands and what was odd about it."""

    place: int
    """Line, or item of an array; counted from 1."""
    record: Record
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that cannot be kept, and why."""

    place: int
    code: str
    message: str
    sample: bytes = b""
    """Its first bytes."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file, as a format is told from it."""

    head: bytes
    """Its first `SAMPLE_BYTES`."""
    objects: tuple[dict[str, object], ...] = field(default=())
    """The first few JSON objects in it, if it is JSON."""


class Reader(Protocol):
    """One format. A module of `ingest/` with these names, listed in `ingest.formats`, is all that a new format takes."""

    NAME: str
    """As `--format` has it."""
    TITLE: str
    """As people read it."""

    def recognises(self, sample: Sample) -> bool:
        """Whether the content is in this format."""
        ...

    def records(self, opened: Opened) -> Iterator[Found | Rejected]:
        """Every record of the file, kept or rejected, in order."""
        ...
