"""The domain model: what one source says of a paper (`Record`) and what we hold to be true of it (`Paper`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from corpus.errors import BadInput


class ReferencesState(StrEnum):
    """Whether a reference list was ever obtained. Unknown is never the same as empty."""

    UNKNOWN = "unknown"
    LISTED = "listed"


class Status(StrEnum):
    """Whether the paper stands."""

    NORMAL = "normal"
    WITHDRAWN = "withdrawn"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class Author:
    """One author as the source writes the name; never split or guessed."""

    name: str
    orcid: str | None = None


_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True, order=True)
class PartialDate:
    """A date with the precision that is known: a year, a month or a day. `str` gives ISO 8601."""

    year: int
    month: int | None = None
    day: int | None = None

    @classmethod
    def parse(cls, text: str) -> PartialDate:
        """Read `2018`, `2018-02` or `2018-02-26`; raise `BadInput` for anything else."""
        match = _DATE.fullmatch(text.strip())
        if not match:
            raise BadInput(f"'{text[:40]}' is not a date; write YYYY, YYYY-MM or YYYY-MM-DD")
        month, day = (int(part) if part else None for part in match.groups()[1:])
        if month is not None and not 1 <= month <= 12:
            raise BadInput(f"'{text[:40]}' has no month {month}")
        if month is not None and day is not None and not 1 <= day <= _DAYS[month - 1]:
            raise BadInput(f"'{text[:40]}' has no day {day}")
        return cls(int(match[1]), month, day)

    def __str__(self) -> str:
        parts = [f"{self.year:04d}"]
        parts += [f"{part:02d}" for part in (self.month, self.day) if part is not None]
        return "-".join(parts)


@dataclass(frozen=True, slots=True)
class Record:
    """What one source says of one paper, raw text included. Field for field the neutral format.

    `references` is None where no list was ever obtained and () where a source says outright that the
    list is empty. `unresolved` are entries of the list that carry no identifier, as they were written.
    """

    key: str
    """The source's own identifier for the paper, canonical: a later record with the same key replaces this one."""
    ids: tuple[str, ...]
    """Canonical identifiers, distinct, in order of address precedence; at least one."""
    title: str | None = None
    abstract: str | None = None
    authors: tuple[Author, ...] = ()
    date: PartialDate | None = None
    venue: str | None = None
    language: str | None = None
    type: str | None = None
    areas: tuple[str, ...] = ()
    status: Status = Status.NORMAL
    references: tuple[str, ...] | None = None
    """Canonical identifiers, distinct, in the source's order."""
    unresolved: tuple[str, ...] = ()
    references_declared: int | None = None
    cited_by_counts: Mapping[str, int] = field(default_factory=dict)
    source: str | None = None
    updated: PartialDate | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """What we hold to be true of a paper: the fold of all records about it (`corpus.folding.fold`).

    `title` and `abstract` are clean text; the raw text stays in `records`.
    """

    ids: tuple[str, ...]
    """Every identifier, in order of address precedence; `ids[0]` is the address."""
    title: str | None = None
    abstract: str | None = None
    """None = never obtained, "" = known to have none."""
    abstract_source: str | None = None
    authors: tuple[Author, ...] = ()
    date: PartialDate | None = None
    venue: str | None = None
    language: str | None = None
    type: str | None = None
    areas: tuple[str, ...] = ()
    status: Status = Status.NORMAL
    references: tuple[str, ...] | None = None
    unresolved: tuple[str, ...] = ()
    references_declared: int | None = None
    cited_by_counts: Mapping[str, int] = field(default_factory=dict)
    records: tuple[Record, ...] = ()

    @property
    def address(self) -> str:
        """The canonical identifier that the paper is shown under."""
        return self.ids[0]

    @property
    def references_state(self) -> ReferencesState:
        """Unknown where no list was ever obtained."""
        return ReferencesState.UNKNOWN if self.references is None else ReferencesState.LISTED

    @property
    def year(self) -> int | None:
        """The year of `date`, None where it is unknown."""
        return None if self.date is None else self.date.year
