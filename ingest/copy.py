"""From one store to another: papers, every identifier that leads to them, runs, and the date of the data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from corpus.errors import BadInput, BooksDoNotBalance
from corpus.identifiers import sort_ids
from corpus.model import Paper
from corpus.store import Run, Store, Tally


@dataclass(frozen=True, slots=True)
class Copying:
    """How far a copy is."""

    papers: int
    total: int
    rate: float
    """Papers a second."""


def copy_corpus(source: Store, target: Store, *, progress: Callable[[Copying], None] = lambda _: None) -> int:
    """Copy a corpus into a store that is empty, or that holds part of the same: a copy that was cut goes on.

    Returns the number of papers. Raises `BadInput` where the target holds what the source does not, `BooksDoNotBalance` where
    the two differ in the end.
    """
    total = source.size().papers
    _check(source, target)
    former: dict[str, list[str]] = {}
    for identifier, address in source.identifiers():
        former.setdefault(address, []).append(identifier)
    begun, done = time.monotonic(), 0
    runs = source.runs()
    marker = runs[0] if runs else Run("copy", "", None, (), Tally())
    papers = (stored.paper for stored in source.stream())
    for batch in _batches(papers, target.batch):
        wider = [_widened(paper, former.get(paper.address, [])) for paper in batch]
        older = [paper for paper in wider if paper is not None]
        if older:  # first with every identifier that it ever had, then as it is: those that it lost still lead to it
            target.put(older, marker)
        target.put(batch, marker)
        done += len(batch)
        progress(Copying(done, total, done / max(time.monotonic() - begun, 1e-3)))
    for run in runs:
        target.settle(run, source.data_date())
    if source.size() != target.size():
        raise BooksDoNotBalance(f"the copy holds {target.size()}, the corpus {source.size()}; copy it again")
    return done


def _check(source: Store, target: Store) -> None:
    if not target.size().papers:
        return
    for stored in target.stream():
        held = source.paper(stored.paper.address)
        if held is None or held.paper != stored.paper:
            raise BadInput(
                f"the store to copy to holds a paper that the other does not have so ({stored.paper.address}); choose an empty one"
            )


def _widened(paper: Paper, identifiers: Sequence[str]) -> Paper | None:
    """The paper with the identifiers that it once had; None where it has them all."""
    lost = set(identifiers) - set(paper.ids)
    return replace(paper, ids=sort_ids([*paper.ids, *lost])) if lost else None


def _batches(papers: Iterator[Paper], size: int) -> Iterator[list[Paper]]:
    while batch := list(islice(papers, size)):
        yield batch
