"""From the records about a paper to the paper: a pure function, independent of the order of arrival.

| field | taken from |
|---|---|
| ids | all records together |
| status | withdrawn or retracted, if any record says so (retracted wins) |
| references, unresolved | the best record with a list that is not empty, else with an empty one, else unknown |
| references_declared | the record that the list is from, else the best record that has it |
| cited_by_counts | all; for one source, from its best record |
| title, abstract, authors, date, venue, language, type, areas | the best record that has a value |

"Best" is: the source that stands first in `SOURCES` (all others after them), then the newest `updated` (none is the oldest),
then the larger canonical JSON. A date with more precision beats a coarser
one that it agrees with. Names are cleaned as titles are; what is nothing but markup is no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

import msgspec

from corpus.identifiers import sort_ids
from corpus.model import Author, Paper, PartialDate, Record, Status
from corpus.text import clean_abstract, clean_title

T = TypeVar("T")
SOURCES: Final = ("arxiv", "crossref", "pubmed", "openalex", "s2")
"""Who is believed first: those to whom authors and publishers deliver, before those who gather from them. The gatherers stamp
all their records anew every few weeks, so that by date alone they would always win."""
_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
_STATUSES: Final = (Status.NORMAL, Status.WITHDRAWN, Status.RETRACTED)


def canonical_json(record: Record) -> bytes:
    """The record as JSON in a fixed order: equal records, equal bytes."""
    return _ENCODER.encode(record)


def fold(records: Sequence[Record]) -> Paper:
    """Fold all records about one paper. Raises `ValueError` without a record."""
    if not records:
        raise ValueError("a paper needs at least one record")
    best = sorted(records, key=_rank, reverse=True)
    abstract, abstract_source = _abstract(best)
    listed = _listed(best)
    declared = listed.references_declared if listed else None
    return Paper(
        ids=sort_ids(identifier for record in best for identifier in record.ids),
        title=_first(best, lambda record: clean_title(record.title)),
        abstract=abstract,
        abstract_source=abstract_source,
        authors=_first(best, lambda record: _authors(record) or None) or (),
        date=_date(best),
        venue=_first(best, lambda record: clean_title(record.venue)),
        language=_first(best, lambda record: clean_title(record.language)),
        type=_first(best, lambda record: clean_title(record.type)),
        areas=_first(best, lambda record: _areas(record) or None) or (),
        status=max((record.status for record in best), key=_STATUSES.index),
        references=listed.references if listed else None,
        unresolved=listed.unresolved if listed else (),
        references_declared=_first(best, lambda record: record.references_declared) if declared is None else declared,
        cited_by_counts=_counts(best),
        records=tuple(sorted(records, key=lambda record: (record.source or "", record.key, canonical_json(record)))),
    )


def list_source(records: Sequence[Record]) -> str | None:
    """The source whose reference list the paper has; None where no list was obtained, or its source is not named."""
    listed = _listed(sorted(records, key=_rank, reverse=True))
    return listed.source if listed else None


def _listed(best: Sequence[Record]) -> Record | None:
    """The best record with a list that is not empty, else the best with an empty one."""
    full = next((record for record in best if record.references or record.unresolved), None)
    return full or next((record for record in best if record.references is not None), None)


def _abstract(best: Sequence[Record]) -> tuple[str | None, str | None]:
    """Clean text and source: of the best record that has any text, else of the best that is known to have none."""
    none: tuple[str | None, str | None] = (None, None)
    for record in best:
        text = clean_abstract(record.abstract)
        if text:
            return text, record.source
        if record.abstract == "" and none[0] is None:
            none = "", record.source
    return none


def _authors(record: Record) -> tuple[Author, ...]:
    return tuple(Author(name, author.orcid) for author in record.authors if (name := clean_title(author.name)))


def _areas(record: Record) -> tuple[str, ...]:
    return tuple(dict.fromkeys(area for raw in record.areas if (area := clean_title(raw))))


def _counts(best: Sequence[Record]) -> dict[str, int]:
    counts = {source: count for record in reversed(best) for source, count in record.cited_by_counts.items()}
    return dict(sorted(counts.items()))


def _rank(record: Record) -> tuple[int, str, bytes]:
    first = -SOURCES.index(record.source) if record.source in SOURCES else -len(SOURCES)
    return (first, str(record.updated) if record.updated else "", canonical_json(record))


def _first(records: Iterable[Record], value: Callable[[Record], T | None]) -> T | None:
    return next((found for record in records if (found := value(record)) is not None), None)


def _date(best: Sequence[Record]) -> PartialDate | None:
    date = _first(best, lambda record: record.date)
    finer = [r.date for r in best if r.date and date and str(r.date).startswith(str(date))]
    return max(finer, key=lambda one: len(str(one)), default=date)
