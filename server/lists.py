"""Lists of neighbours: references and citers of a paper, sorted, filtered, paged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corpus.atlas import Atlas
from corpus.briefs import Brief, brief_of_row
from corpus.library import Found
from corpus.model import Paper, ReferencesState
from corpus.store import Direction, Sort, Store, Stored
from server.answers import MAX_LIMIT, read_cursor, whole, write_cursor
from server.problems import BadParameter

MAX_AREA = 100
DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class Wish:
    """How a list is wanted, checked."""

    sort: Sort = Sort.CITATIONS
    area: str | None = None
    year: int | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None

    @classmethod
    def read(cls, sort: str | None, area: str | None, year: str | None, limit: str | None, cursor: str | None) -> Wish:
        """Check the parameters of a list; raise `BadParameter` naming the one that cannot be used."""
        if sort is not None and sort not in set(Sort):
            raise BadParameter("'sort' is " + ", ".join(Sort))
        if area is not None and not 0 < len(area) <= MAX_AREA:
            raise BadParameter(f"'area' is the name of an area, 1 to {MAX_AREA} characters")
        return cls(
            sort=Sort.CITATIONS if sort is None else Sort(sort),
            area=area,
            year=None if year is None else whole(year, "year", 0, 9999, 0),
            limit=whole(limit, "limit", 1, MAX_LIMIT, DEFAULT_LIMIT),
            cursor=cursor,
        )


@dataclass(frozen=True, slots=True)
class Slice:
    """A page of a list, and how to go on."""

    items: tuple[Brief, ...]
    total: int
    next: str | None
    offset: int


def neighbours(store: Store, atlas: Atlas | None, address: str, direction: Direction, wish: Wish) -> Slice:
    """Ask the store for one page; raise `StoreError` where it does not answer, `BadCursor` for one of another list."""
    question = "\n".join((address, direction, wish.sort, wish.area or "", str(wish.year)))
    offset = read_cursor(wish.cursor, question)
    page = store.neighbours(
        address, direction, sort=wish.sort, area=wish.area, year=wish.year, limit=wish.limit, offset=offset
    )
    following = offset + len(page.rows)
    more = bool(page.rows) and following < page.total
    return Slice(
        items=tuple(brief_of_row(row, atlas) for row in page.rows),
        total=page.total,
        next=write_cursor(following, question) if more else None,
        offset=offset,
    )


def reference_counts(stored: Stored | None) -> dict[str, Any]:
    """Say how long the reference list is on each step from the source to the corpus; None is unknown."""
    paper: Paper | None = None if stored is None else stored.paper
    if stored is None or paper is None or paper.references is None:
        declared = None if paper is None else paper.references_declared
        return {"declared": declared, "parsed": None, "resolved": None, "in_corpus": None}
    return {
        "declared": paper.references_declared,
        "parsed": len(paper.references) + len(paper.unresolved),
        "resolved": len(paper.references),
        "in_corpus": stored.references_in_corpus,
    }


def references_state(found: Found) -> ReferencesState:
    """Say whether a reference list was ever obtained; of a stub, none was."""
    return ReferencesState.UNKNOWN if found.stored is None else found.stored.paper.references_state
