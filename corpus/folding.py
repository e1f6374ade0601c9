"""From the records about a paper to the paper: a pure function, independent of the order of arrival.

| field | taken from |
|---|---|
| ids | all records together |
| status | withdrawn or retracted, if any record says so (retracted wins) |
| references, references_declared, unresolved | the best record with a list that is not empty, else with an empty one, else unknown |
| cited_by_counts | all; for one source, from its best record |
| title, abstract, authors, date, venue, language, type, areas | the best record that has a value |

"Best" is: the newest `updated` (none is the oldest), then the larger canonical JSON. A date with more precision beats a coarser
one that it agrees with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import msgspec

from corpus.identifiers import sort_ids
from corpus.model import Paper, PartialDate, Record, Status
from corpus.text import clean_abstract, clean_title

T = TypeVar("T")
_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
_STATUSES: Final = (Status.NORMAL, Status.WITHDRAWN, Status.RETRACTED)


def canonical_json(record: Record) -> bytes:
    """The record as JSON in a fixed order: equal records, equal bytes."""
    return _ENCODER.encode(record)


def says(record: Record) -> bytes:
    """What a record says, apart from the key that it says it under: equal bytes say nothing new."""
    return canonical_json(replace(record, key=""))


def fold(records: Sequence[Record]) -> Paper:
    """Fold all records about one paper. Raises `ValueError` without a record."""
    if not records:
        raise ValueError("a paper needs at least one record")
    best = sorted(records, key=_rank, reverse=True)
    titled = _first(best, lambda record: record.title if clean_title(record.title) else None)
    abstracted = next((record for record in best if record.abstract), None) or next(
        (record for record in best if record.abstract is not None), None
    )
    listed = next((r for r in best if r.references), None) or next((r for r in best if r.references is not None), None)
    return Paper(
        ids=sort_ids(identifier for record in best for identifier in record.ids),
        title=clean_title(titled),
        abstract=clean_abstract(abstracted.abstract) if abstracted else None,
        abstract_source=abstracted.source if abstracted else None,
        authors=_first(best, lambda record: record.authors or None) or (),
        date=_date(best),
        venue=_first(best, lambda record: record.venue),
        language=_first(best, lambda record: record.language),
        type=_first(best, lambda record: record.type),
        areas=_first(best, lambda record: record.areas or None) or (),
        status=max((record.status for record in best), key=_STATUSES.index),
        references=listed.references if listed else None,
        unresolved=listed.unresolved if listed else (),
        references_declared=(listed.references_declared if listed else None)
        or _first(best, lambda record: record.references_declared),
        cited_by_counts={
            source: count for record in reversed(best) for source, count in sorted(record.cited_by_counts.items())
        },
        records=tuple(sorted(records, key=lambda record: (record.source or "", record.key, canonical_json(record)))),
    )


def _rank(record: Record) -> tuple[str, bytes]:
    return (str(record.updated) if record.updated else "", canonical_json(record))


def _first(records: Iterable[Record], value: Callable[[Record], T | None]) -> T | None:
    return next((found for record in records if (found := value(record)) is not None), None)


def _date(best: Sequence[Record]) -> PartialDate | None:
    date = _first(best, lambda record: record.date)
    finer = [r.date for r in best if r.date and date and str(r.date).startswith(str(date))]
    return max(finer, key=lambda one: len(str(one)), default=date)
