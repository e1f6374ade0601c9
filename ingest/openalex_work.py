"""One OpenAlex work, whatever it was written as, into a record.

OpenAlex writes [] both for "no list was obtained" and for "the list is empty": that is unknown, not empty. Dates of 1 January
are mostly years in disguise (822 of 7,518 works of a systematic-review collection): only the year is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from corpus.errors import BadInput
from corpus.identifiers import recognise, sort_ids
from corpus.model import Author, PartialDate, Record, Status
from corpus.neutral import FIRST_YEAR, LAST_YEAR, NoIdentifier

SOURCE: Final = "openalex"
_AUTHORS_CUT: Final = 100
"""List answers of OpenAlex cut authorships here."""


@dataclass(slots=True)
class Work:
    """The parts of a work that we use, before they are checked."""

    id: object
    ids: Sequence[object] = ()
    """DOI, PMID, PMCID, links to arXiv: whatever identifies it besides `id`."""
    title: str | None = None
    abstract: str | None = None
    authors: Sequence[tuple[object, object]] = ()
    """Name and ORCID."""
    publication_date: object = None
    publication_year: object = None
    venue: object = None
    language: object = None
    type: object = None
    is_paratext: bool = False
    is_retracted: bool = False
    areas: Sequence[object] = ()
    """The primary one first."""
    referenced_works: Sequence[object] = ()
    referenced_works_count: object = None
    cited_by_count: object = None
    updated_date: object = None
    flags: list[str] = field(default_factory=list)


def record_of(work: Work) -> Record:
    """Turn the parts into a record. Raises `NoIdentifier`; anything else that is odd becomes unknown and is counted in `flags`."""
    own = recognise(work.id) if isinstance(work.id, str) else None
    if own is None or own.scheme != "openalex":
        raise NoIdentifier("no OpenAlex identifier in 'id'")
    others = [found for text in work.ids if isinstance(text, str) and (found := recognise(text))]
    references, unresolved = _references(work.referenced_works)
    declared = _count(work.referenced_works_count)
    if len(work.authors) == _AUTHORS_CUT:
        work.flags.append("authors_cut_at_100")
    return Record(
        key=str(own),
        ids=sort_ids(str(one) for one in (own, *others)),
        title=work.title or None,
        abstract=work.abstract,
        authors=tuple(_authors(work.authors)),
        date=_date(work),
        venue=_text(work.venue),
        language=_text(work.language),
        type="paratext" if work.is_paratext else _text(work.type),
        areas=tuple(dict.fromkeys(area for area in map(_text, work.areas) if area)),
        status=Status.RETRACTED if work.is_retracted else Status.NORMAL,
        references=references if references or unresolved else None,
        unresolved=unresolved,
        references_declared=declared or None,
        cited_by_counts={} if (cited := _count(work.cited_by_count)) is None else {SOURCE: cited},
        source=SOURCE,
        updated=_updated(work),
    )


def rebuilt_abstract(index: object, flags: list[str]) -> str | None:
    """Put an `abstract_inverted_index` (word to positions) back in order; None where there is none.

    Positions may have gaps; of two words at one position the first wins; both are counted in `flags`.
    """
    if not isinstance(index, Mapping) or not index:
        return None
    words: dict[int, str] = {}
    for word, positions in index.items():
        for position in positions if isinstance(positions, list) else ():
            if type(position) is not int or not 0 <= position < MAX_POSITION:
                _note(flags, "abstract_position_out_of_range")
            elif position in words:
                _note(flags, "abstract_position_twice")
            else:
                words[position] = str(word)
    if words and len(words) <= max(words):
        _note(flags, "abstract_gaps")
    return " ".join(words[position] for position in sorted(words)) or None


MAX_POSITION: Final = 100_000
"""Words of an abstract that are kept."""


def _note(flags: list[str], flag: str) -> None:
    if flag not in flags:
        flags.append(flag)


def _references(works: Iterable[object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found: dict[str, None] = {}
    left: dict[str, None] = {}
    for text in works:
        if isinstance(text, str) and text.strip():
            identifier = recognise(text)
            (found if identifier else left).setdefault(str(identifier or text))
    return tuple(found), tuple(left)


def _authors(authors: Iterable[tuple[object, object]]) -> Iterable[Author]:
    for name, orcid in authors:
        if isinstance(name, str) and name.strip():
            short = orcid.rsplit("/", 1)[-1] if isinstance(orcid, str) and orcid not in {"None", "nan", ""} else None
            yield Author(" ".join(name.split()), short)


def _date(work: Work) -> PartialDate | None:
    date = _day(work.publication_date)
    year = _count(work.publication_year)
    if date is not None and (date.month, date.day) == (1, 1):
        date = PartialDate(date.year)
    for one in (date, None if year is None else PartialDate(year)):
        if one is not None and FIRST_YEAR <= one.year <= LAST_YEAR:
            return one
        if one is not None:
            _note(work.flags, "date_implausible")
    return None


def _updated(work: Work) -> PartialDate | None:
    date = _day(work.updated_date)
    if date is None or FIRST_YEAR <= date.year <= LAST_YEAR:
        return date
    work.flags.append("updated_implausible")
    return None


def _day(text: object) -> PartialDate | None:
    try:
        return PartialDate.parse(text.strip()[:10]) if isinstance(text, str) and text.strip() else None
    except BadInput:
        return None


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _count(value: Any) -> int | None:  # noqa: ANN401  whatever stands in the source
    if isinstance(value, str):
        value = int(value) if value.isascii() and value.isdigit() and len(value) < 16 else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
