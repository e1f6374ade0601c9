"""How much of the corpus is on the map, and why the rest is not: `papers = placed + unplaced(reason)`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from corpus.errors import BooksDoNotBalance
from corpus.reasons import Reason
from corpus.store import Run, Store, Tally

_CHUNK = 10_000


class Verdicts(Protocol):
    """What is needed of a build: its papers' addresses and binding reasons (None where placed), row by row."""

    def verdicts(self) -> Iterable[tuple[str, str | None]]:
        """Address and binding reason of each paper."""
        ...


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of the corpus as it is now against the current build."""

    papers: int
    placed: int
    unplaced: Mapping[str, int]
    """By binding reason, most first."""


def cover(store: Store, build: Verdicts | None) -> Coverage:
    """Count the store's papers by verdict; those that the build does not know are `not_yet_laid_out`.

    Papers that were merged away since the build was made are counted with the paper that took them over.
    Raises `BooksDoNotBalance` if the store holds fewer papers than it resolves.
    """
    papers = store.size().papers
    reasons: Counter[str | None] = Counter()
    for chunk in _chunks(build.verdicts() if build else ()):
        held = {row.id for row in store.rows([address for address, _ in chunk]) if not row.stub}
        reasons.update(reason for address, reason in chunk if address in held)
    waiting = papers - reasons.total()
    if waiting < 0:
        raise BooksDoNotBalance(f"{papers} papers in the store, but {reasons.total()} of the build found there")
    placed = reasons.pop(None, 0)
    unplaced = Counter({str(reason): count for reason, count in reasons.items()})
    if waiting:
        unplaced[Reason.NOT_YET_LAID_OUT.value] += waiting
    return Coverage(papers, placed, dict(unplaced.most_common()))


def total(runs: Iterable[Run]) -> Tally:
    """Add up the records of all ingest runs."""
    whole = Tally()
    for run in runs:
        whole.read += run.tally.read
        whole.accepted += run.tally.accepted
        whole.duplicates += run.tally.duplicates
        for mine, theirs in (
            (whole.rejected, run.tally.rejected),
            (whole.merged, run.tally.merged),
            (whole.flags, run.tally.flags),
        ):
            for reason, count in theirs.items():
                mine[reason] = mine.get(reason, 0) + count
    if not whole.balanced:
        raise BooksDoNotBalance(f"{whole.read} records were read, but not all of them are accounted for")
    return whole


def _chunks(verdicts: Iterable[tuple[str, str | None]]) -> Iterator[list[tuple[str, str | None]]]:
    rows = iter(verdicts)
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk
