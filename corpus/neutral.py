"""The neutral format: one JSON object a paper, read into a `Record` and written from a `Paper`. docs/papers-format.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from corpus.errors import BadInput
from corpus.identifiers import recognise, sort_ids
from corpus.model import Author, Paper, PartialDate, Record, Status
from corpus.text import clean_abstract, clean_title

T = TypeVar("T")
FIELDS: Final = (
    "ids",
    "title",
    "abstract",
    "authors",
    "date",
    "venue",
    "language",
    "type",
    "areas",
    "status",
    "references",
    "references_declared",
    "cited_by_counts",
    "source",
    "updated",
)
_MOST: Final = 2**53
"""Counts above this are no counts."""
FIRST_YEAR: Final = 1400
LAST_YEAR: Final = 2100
"""Years outside are slips of the source: unknown, and counted."""
_ODD_IN_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]")


class NoIdentifier(BadInput):
    """A record without an identifier that can be used."""


@dataclass(slots=True)
class Reading:
    """Reads the fields of one object, and keeps count of what was odd about them."""

    raw: Mapping[str, Any]
    flags: list[str] = field(default_factory=list)

    def text(self, name: str) -> str | None:
        """A string; anything else that is not null is odd and unknown."""
        return self._typed(name, str)

    def count(self, name: str) -> int | None:
        """A number of things, at least 0."""
        value = self._typed(name, int)
        if value is None or isinstance(value, bool) or not 0 <= value < _MOST:
            self._odd(name, value is not None)
            return None
        return value

    def date(self, name: str) -> PartialDate | None:
        """A date of any precision; one that cannot be is unknown."""
        text = self.text(name)
        try:
            date = PartialDate.parse(text) if text and text.strip() else None
        except BadInput:
            date = None
            self._odd(name, odd=True)
        if date is not None and not FIRST_YEAR <= date.year <= LAST_YEAR:
            self.flags.append(f"{name}_implausible")
            return None
        return date

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, in order, each once."""
        values = self._typed(name, list) or []
        kept = [value for value in values if isinstance(value, str) and value.strip()]
        self._odd(name, len(kept) != len(values))
        return tuple(dict.fromkeys(kept))

    def items(self, name: str, read: Callable[[Any], T | None]) -> tuple[T, ...]:
        """A list of things; those that cannot be read are odd and left out."""
        values = self._typed(name, list) or []
        kept = [item for value in values if (item := read(value)) is not None]
        self._odd(name, len(kept) != len(values))
        return tuple(kept)

    def _typed(self, name: str, kind: type[T]) -> T | None:
        value = self.raw.get(name)
        if value is None or isinstance(value, kind):
            return value
        self._odd(name, odd=True)
        return None

    def _odd(self, name: str, odd: bool) -> None:
        if odd:
            self.flags.append(f"odd_{name}")


def read(raw: Mapping[str, Any]) -> tuple[Record, list[str]]:
    """Read one object; return the record and the oddities. Raises `NoIdentifier`, and nothing for any other field."""
    reading = Reading(raw)
    texts = reading.texts("ids")
    given = [found for text in texts if (found := recognise(text))]
    if not given:
        raise NoIdentifier("no usable identifier in 'ids'; write at least one such as \"doi:10.1000/1\"")
    references, unresolved = _references(reading)
    record = Record(
        key=str(given[0]),
        ids=sort_ids(str(one) for one in given),
        title=reading.text("title"),
        abstract=reading.text("abstract"),
        authors=reading.items("authors", _author),
        date=reading.date("date"),
        venue=reading.text("venue"),
        language=reading.text("language"),
        type=reading.text("type"),
        areas=reading.texts("areas"),
        status=_status(reading),
        references=references,
        unresolved=unresolved,
        references_declared=reading.count("references_declared"),
        cited_by_counts=_counts(reading),
        source=reading.text("source"),
        updated=reading.date("updated"),
    )
    if len(given) < len(texts):
        reading.flags.append("odd_ids")
    reading.flags += [f"unknown_field_{_ODD_IN_NAME.sub('?', name[:40])}" for name in raw if name not in FIELDS]
    return record, list(dict.fromkeys(reading.flags))


def _references(reading: Reading) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Identifiers and other entries of the list. A list of which nothing can be read is unknown: it is not empty."""
    written = reading.raw.get("references")
    texts = reading.texts("references")
    if not isinstance(written, list) or (written and not texts):
        return None, ()
    found: dict[str, None] = {}
    left: dict[str, None] = {}
    for text in texts:
        identifier = recognise(text)
        (found if identifier else left).setdefault(str(identifier or text))
    return tuple(found), tuple(left)


def _author(value: object) -> Author | None:
    if isinstance(value, str):
        return Author(value) if value.strip() else None
    if isinstance(value, dict) and isinstance(value.get("name"), str) and value["name"].strip():
        orcid = value.get("orcid")
        return Author(value["name"], orcid if isinstance(orcid, str) else None)
    return None


def _status(reading: Reading) -> Status:
    text = reading.text("status")
    try:
        return Status(text) if text else Status.NORMAL
    except ValueError:
        reading.flags.append("odd_status")
        return Status.NORMAL


def _counts(reading: Reading) -> dict[str, int]:
    value = reading.raw.get("cited_by_counts")
    counts = value if isinstance(value, dict) else {}
    kept = {
        source: count
        for source, count in counts.items()
        if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < _MOST
    }
    if len(kept) != len(counts) or (value is not None and not isinstance(value, dict)):
        reading.flags.append("odd_cited_by_counts")
    return dict(sorted(kept.items()))


def write(paper: Paper) -> dict[str, Any]:
    """Write a paper as one object, with the raw title and abstract, so that reading it gives the same paper."""
    raw = _Raw(paper)
    references = None if paper.references is None else [*paper.references, *paper.unresolved]
    return {
        "ids": list(paper.ids),
        "title": raw.title(),
        "abstract": raw.abstract(),
        "authors": [
            author.name if author.orcid is None else {"name": author.name, "orcid": author.orcid}
            for author in paper.authors
        ],
        "date": None if paper.date is None else str(paper.date),
        "venue": paper.venue,
        "language": paper.language,
        "type": paper.type,
        "areas": list(paper.areas),
        "status": paper.status.value,
        "references": references,
        "references_declared": paper.references_declared,
        "cited_by_counts": dict(paper.cited_by_counts) or None,
        "source": raw.source(),
        "updated": raw.updated(),
    }


@dataclass(frozen=True, slots=True)
class _Raw:
    """What a paper's records wrote, where the paper holds the cleaned text."""

    paper: Paper

    def title(self) -> str | None:
        """The raw title whose clean text the paper has."""
        return next((r.title for r in self.paper.records if r.title and clean_title(r.title) == self.paper.title), None)

    def abstract(self) -> str | None:
        """The raw abstract whose clean text the paper has."""
        for record in self.paper.records if self.paper.abstract else ():
            if record.abstract and clean_abstract(record.abstract) == self.paper.abstract:
                return record.abstract
        return self.paper.abstract

    def source(self) -> str | None:
        """The source of the abstract; without one, the first source by name."""
        if self.paper.abstract is not None:
            return self.paper.abstract_source
        sources = [record.source for record in self.paper.records if record.source]
        return sources[0] if sources else None

    def updated(self) -> str | None:
        """The newest date that a record carries."""
        dates = [str(record.updated) for record in self.paper.records if record.updated]
        return max(dates, default=None)
