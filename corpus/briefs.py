"""A paper in a list, as every list, search and answer shows it: the store's row joined with the build's verdict."""

from __future__ import annotations

import msgspec

from corpus.atlas import Atlas, Entry
from corpus.model import Status
from corpus.reasons import Mark, Reason
from corpus.store import Row, Stored


class RegionName(msgspec.Struct, frozen=True):
    """A region as it is named beside a paper."""

    key: str
    name: str


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """A paper or stub in a list. None is unknown, never 0."""

    id: str
    title: str | None
    authors: tuple[str, ...]
    """The first three names."""
    authors_total: int | None
    """None where the answer comes from a build, which knows no authors."""
    year: int | None
    date: str | None
    """ISO 8601 with the precision that is known."""
    areas: tuple[str, ...]
    citations: int
    """Papers of the corpus that cite it."""
    stub: bool
    on_map: bool
    x: float | None
    y: float | None
    region: RegionName | None
    marks: tuple[str, ...]
    reason: str | None
    """The binding reason; None where placed."""


def brief_of_row(row: Row, atlas: Atlas | None) -> Brief:
    """Join a row of the store with what the map says of it."""
    entry = _entry(atlas, (row.id,))
    return _join(row, entry, atlas, marks=() if entry is None else entry.marks)


def brief_of_stored(stored: Stored, atlas: Atlas | None) -> Brief:
    """Join a paper of the store with what the map says of it; any of its identifiers finds it there."""
    paper = stored.paper
    row = Row(
        number=stored.number,
        id=paper.address,
        title=paper.title,
        authors=tuple(author.name for author in paper.authors[:3]),
        authors_total=len(paper.authors),
        date=paper.date,
        areas=paper.areas,
        citations=stored.citations,
        stub=False,
    )
    entry = _entry(atlas, paper.ids)
    marks = set(() if entry is None else entry.marks)
    if paper.status is Status.RETRACTED:
        marks.add(Mark.RETRACTED.value)
    return _join(row, entry, atlas, marks=tuple(sorted(marks)))


def brief_of_entry(entry: Entry, atlas: Atlas) -> Brief:
    """Say what the build alone knows of a paper: no authors, the year for a date."""
    return Brief(
        id=entry.id,
        title=entry.title,
        authors=(),
        authors_total=None,
        year=entry.year,
        date=None if entry.year is None else f"{entry.year:04d}",
        areas=entry.areas,
        citations=entry.citations,
        stub=False,
        on_map=entry.on_map,
        x=entry.x,
        y=entry.y,
        region=_region(entry, atlas),
        marks=entry.marks,
        reason=entry.reason,
    )


def _entry(atlas: Atlas | None, ids: tuple[str, ...]) -> Entry | None:
    n = None if atlas is None else atlas.find_any(ids)
    return None if atlas is None or n is None else atlas.row(n)


def _join(row: Row, entry: Entry | None, atlas: Atlas | None, *, marks: tuple[str, ...]) -> Brief:
    absent = Reason.KNOWN_ONLY_AS_CITED if row.stub else Reason.NOT_YET_LAID_OUT
    return Brief(
        id=row.id,
        title=row.title,
        authors=row.authors,
        authors_total=row.authors_total,
        year=None if row.date is None else row.date.year,
        date=None if row.date is None else str(row.date),
        areas=row.areas,
        citations=row.citations,
        stub=row.stub,
        on_map=entry is not None and entry.on_map,
        x=None if entry is None else entry.x,
        y=None if entry is None else entry.y,
        region=None if entry is None or atlas is None else _region(entry, atlas),
        marks=marks,
        reason=absent.value if entry is None else entry.reason,
    )


def _region(entry: Entry, atlas: Atlas) -> RegionName | None:
    region = None if entry.region is None else atlas.regions.get(entry.region)
    return None if region is None else RegionName(region.key, region.name)
