"""What is selected for lists and papers, and how it becomes `Row` and `Stored`. Constant text: values come as parameters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from corpus.model import PartialDate
from corpus.packing import unpack
from corpus.store import Direction, Row, Sort, Stored

_CITATIONS: Final = "coalesce((SELECT citations FROM cited WHERE n = p.n), 0) AS citations"
ROW: Final = f"p.n, p.id, p.title, p.authors, p.authors_total, p.date, p.areas, {_CITATIONS}, p.stub"
STORED: Final = (
    f"SELECT p.n, c.paper, {_CITATIONS},"  # noqa: S608  a constant
    " (SELECT count(*) FROM cites e JOIN node r ON r.n = e.cited WHERE e.citing = p.n AND r.stub = 0)"
    " FROM node p JOIN content c ON c.n = p.n"
)
ORDER: Final[dict[Sort, str]] = {
    Sort.CITATIONS: "citations DESC, p.id",
    Sort.NEWEST: "p.date DESC NULLS LAST, p.id",
    Sort.OLDEST: "p.date ASC NULLS LAST, p.id",
    Sort.TITLE: "p.sort_title ASC NULLS LAST, p.id",
}
ENDS: Final[dict[Direction, str]] = {
    Direction.REFERENCES: "FROM cites e JOIN node p ON p.n = e.cited WHERE e.citing = (SELECT n FROM node WHERE id = :id)",
    Direction.CITATIONS: "FROM cites e JOIN node p ON p.n = e.citing WHERE e.cited = (SELECT n FROM node WHERE id = :id)",
}
COUNT: Final[dict[Direction, str]] = {
    Direction.REFERENCES: "SELECT count(*) FROM cites WHERE citing = (SELECT n FROM node WHERE id = :id)",
    Direction.CITATIONS: "SELECT count(*) FROM cites WHERE cited = (SELECT n FROM node WHERE id = :id)",
}
"""Of a list without a filter: both ends of a citation are always there, so that no paper need be looked at."""
# Taking a list apart costs ten times what looking for the text in it does: only the few that hold it are taken apart.
FILTER: Final = (
    " AND (:year IS NULL OR p.year = :year)"
    " AND (:area IS NULL"
    " OR instr(p.areas, :quoted) AND EXISTS (SELECT 1 FROM json_each(p.areas) WHERE value = :area))"
)


def filters(area: str | None, year: int | None) -> dict[str, object]:
    """The parameters of `FILTER`."""
    return {"area": area, "quoted": None if area is None else list_text([area])[1:-1], "year": year}


def list_text(names: Sequence[str]) -> str:
    """A list as the columns hold it."""
    return msgspec.json.encode(names).decode()


def stored_of(row: tuple[Any, ...]) -> Stored:
    """A paper out of a row of `STORED`."""
    number, blob, citations, inside = row
    return Stored(number, unpack(blob), citations, inside)


def row_of(row: tuple[Any, ...]) -> Row:
    """A list row out of a row of `ROW`."""
    number, address, title, authors, total, date, areas, citations, stub = row
    return Row(
        number=number,
        id=address,
        title=title,
        authors=tuple(json.loads(authors)),
        authors_total=total,
        date=PartialDate.parse(date) if date else None,
        areas=tuple(json.loads(areas)),
        citations=citations,
        stub=bool(stub),
    )
