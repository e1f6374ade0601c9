"""Small papers and runs for the contract suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.folding import fold
from corpus.identifiers import sort_ids
from corpus.model import Author, Paper, PartialDate, Record
from corpus.store import Row, Run, Store, Tally


def paper(
    *ids: str,
    title: str | None = None,
    references: Sequence[str] | None = None,
    date: str | None = None,
    areas: Sequence[str] = (),
    authors: Sequence[str] = (),
) -> Paper:
    """A paper of one record."""
    return fold(
        [
            Record(
                key=ids[0],
                ids=sort_ids(ids),
                title=title,
                references=None if references is None else tuple(references),
                date=PartialDate.parse(date) if date else None,
                areas=tuple(areas),
                authors=tuple(map(Author, authors)),
            )
        ]
    )


def run(id: str = "r1", read: int = 0, *, finished: bool = False) -> Run:  # noqa: A002
    """A run that read so many records and accepted them."""
    tally = Tally(read=read, accepted=read)
    return Run(id, "2026-12-01T10:00:00+00:00", "2026-12-01T10:01:00+00:00" if finished else None, ("a.jsonl",), tally)


def put(store: Store, *papers: Paper) -> None:
    """Write papers as one batch of a run that ends."""
    store.put(papers, run(read=len(papers)))
    store.settle(run(read=len(papers), finished=True), None)


def ids(rows: Iterable[Row]) -> list[str]:
    """Addresses of rows."""
    return [row.id for row in rows]
