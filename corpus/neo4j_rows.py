"""What is returned for lists and papers, and how it becomes `Row` and `Stored`. Constant text: values come as parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from corpus.model import PartialDate
from corpus.neo4j_paper import paper_of
from corpus.store import Direction, Row, Sort, Stored

ROW: Final = (
    "p.n, p.id, p.title, coalesce(p.authors[..3], []), size(coalesce(p.authors, [])), p.date, coalesce(p.areas, []),"
    " p.citations, p:Stub"
)
STORED: Final = "p.n, p.paper, p.citations, COUNT { (p)-[:CITES]->(r) WHERE NOT r:Stub }"
# In Cypher null is the largest value: last in ascending order, first in descending. Hence `IS NULL` before a descending key.
ORDER: Final[dict[Sort, str]] = {
    Sort.CITATIONS: "p.citations DESC, p.id",
    Sort.NEWEST: "p.date IS NULL, p.date DESC, p.id",
    Sort.OLDEST: "p.date, p.id",
    Sort.TITLE: "p.title_words, p.id",
}
ENDS: Final[dict[Direction, str]] = {
    Direction.REFERENCES: "MATCH (:Paper {id: $id})-[:CITES]->(p)",
    Direction.CITATIONS: "MATCH (:Paper {id: $id})<-[:CITES]-(p)",
}
# Neo4j has no snapshots: of a batch that is committed just now, a citation may be there before the citing paper is. Such a paper has
# no number yet. It passes the filter, and the caller asks again.
FILTER: Final = " WHERE p.n IS NULL OR (($year IS NULL OR p.year = $year) AND ($area IS NULL OR $area IN p.areas))"


def page_query(direction: Direction, sort: Sort) -> str:
    """The total, how many of them are half there, and one page of a list: all out of the same walk over the citations."""
    return (
        f"{ENDS[direction]}{FILTER} WITH p, p.n AS n ORDER BY {ORDER[sort]}"
        " WITH collect(p) AS found, count(*) AS total, count(n) AS numbered"
        " WITH total, total - numbered AS half, found[$offset..$offset + $limit] AS page"
        f" RETURN total, half, [p IN page | [{ROW}]]"
    )


def stored_of(row: Sequence[Any]) -> Stored:
    """A paper out of a row of `STORED`."""
    number, text, citations, inside = row
    return Stored(number, paper_of(text), citations, inside)


def row_of(row: Sequence[Any]) -> Row:
    """A list row out of a row of `ROW`."""
    number, address, title, authors, total, date, areas, citations, stub = row
    return Row(
        number=number,
        id=address,
        title=title,
        authors=tuple(authors),
        authors_total=total,
        date=PartialDate.parse(date) if date else None,
        areas=tuple(areas),
        citations=citations,
        stub=stub,
    )


def is_text(name: str) -> bool:
    """Whether it can be sent at all: no half of a surrogate pair."""
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)
