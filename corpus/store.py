"""The store interface: the few primitives that each backend implements, and the rows they answer with.

Graph analysis is written once over `edges()` (`corpus.graph`), never in SQL or Cypher. A `number` is the
store's own dense integer for a paper or stub; it is stable while the store lives and never leaves the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.model import Paper, PartialDate


class Direction(StrEnum):
    """Which neighbours of a paper are meant."""

    REFERENCES = "references"
    CITATIONS = "citations"


class Sort(StrEnum):
    """Orders of a list. Ties, and papers without the value, follow in order of address."""

    CITATIONS = "citations"
    NEWEST = "newest"
    OLDEST = "oldest"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Row:
    """A paper or stub in a list."""

    number: int
    id: str
    title: str | None
    authors: tuple[str, ...]
    """The first three names."""
    authors_total: int
    date: PartialDate | None
    areas: tuple[str, ...]
    citations: int
    """Papers of the corpus that cite it."""
    stub: bool


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list and the length of the whole list."""

    rows: tuple[Row, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Size:
    """How much the store holds."""

    papers: int
    stubs: int
    citations: int


@dataclass(slots=True)
class Tally:
    """What became of the records of one ingest run. `read = accepted + rejected + duplicates + merged`, always."""

    read: int = 0
    accepted: int = 0
    duplicates: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    """By reason."""
    merged: dict[str, int] = field(default_factory=dict)
    """By reason."""
    flags: dict[str, int] = field(default_factory=dict)
    """Oddities of records that were kept, and unknown fields that were left out; not part of the sum."""

    @property
    def balanced(self) -> bool:
        """Whether every record read is accounted for."""
        return self.read == self.accepted + self.duplicates + sum(self.rejected.values()) + sum(self.merged.values())


@dataclass(frozen=True, slots=True)
class Run:
    """One ingest run as the store remembers it."""

    id: str
    started: str
    """ISO 8601, UTC."""
    finished: str | None
    """None while running, or when the run was cut."""
    files: tuple[str, ...]
    tally: Tally


@dataclass(frozen=True, slots=True)
class Stored:
    """A paper with what only the whole corpus knows of it."""

    number: int
    paper: Paper
    citations: int
    """Papers of the corpus that cite it."""
    references_in_corpus: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a paper is on the current map, or why it is not: mirrored into the store for queries there."""

    id: str
    x: float | None
    y: float | None
    region: str | None
    unplaced: str | None


@dataclass(frozen=True, slots=True)
class MapRegion:
    """A named part of a map, for queries in the store."""

    key: str
    name: str
    level: int
    """0 is the coarsest."""
    parent: str | None
    papers: int


@dataclass(frozen=True, slots=True)
class Edition:
    """A map build, for queries in the store."""

    hash: str
    made_at: str
    """ISO 8601, UTC."""
    regions: tuple[MapRegion, ...] = ()


class Store(Protocol):
    """Where the corpus is kept. Reads may come from many threads, writes from one process at a time."""

    kind: str
    """`sqlite` or `neo4j`."""
    batch: int
    """Papers that are best written together."""

    def put(self, papers: Sequence[Paper], run: Run) -> None:
        """Write one batch in one transaction: the papers and the run's new totals, or nothing.

        A paper takes over every paper and stub that has one of its identifiers: their citations are
        re-pointed, their identifiers lead to it. Its reference list replaces the old one; a cited work
        that no paper has becomes a stub, and a stub that nothing cites any more is gone. Every identifier that a paper
        ever had leads to it. A paper that is held just so already is no change.

        The first `put` or `settle` makes this process the writer until `close`; an empty batch will do. Raises `StoreBusy`
        that names the holder where another one is.
        """
        ...

    def settle(self, run: Run, data_date: PartialDate | None) -> None:
        """Write the end of a run; recount citations; keep the later of the data dates."""
        ...

    def runs(self) -> list[Run]:
        """All ingest runs, oldest first."""
        ...

    def resolve(self, ids: Iterable[str]) -> dict[str, str]:
        """Map each canonical identifier that a paper or stub has to its address; the rest is left out."""
        ...

    def identifiers(self) -> Iterator[tuple[str, str]]:
        """Every identifier that leads to a paper and is not its address, with that address, in order of the identifier."""
        ...

    def paper(self, address: str) -> Stored | None:
        """The paper at an address; None for a stub or an unknown one."""
        ...

    def papers(self, addresses: Sequence[str]) -> list[Stored]:
        """The papers at these addresses, in this order; stubs and unknown ones are left out."""
        ...

    def stream(self) -> Iterator[Stored]:
        """Every paper, in order of address (by code point), without loading all."""
        ...

    def rows(self, addresses: Sequence[str]) -> list[Row]:
        """Rows for these addresses, stubs included, in this order; unknown ones are left out."""
        ...

    def neighbours(
        self,
        address: str,
        direction: Direction,
        *,
        sort: Sort = Sort.CITATIONS,
        area: str | None = None,
        year: int | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Page:
        """References (stubs included) or citers, sorted, filtered, paged."""
        ...

    def citers_per_year(self, address: str) -> dict[int | None, int]:
        """How many papers of each year cite it; None is the year unknown."""
        ...

    def search(self, words: Sequence[str], limit: int) -> list[Row]:
        """Papers whose title or authors hold every word, the last one as a prefix; most cited first.

        Words are plain text: no search syntax is ever passed on.
        """
        ...

    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Citations as (citing, cited): int32 (m,) each, store numbers, self-citations included, sorted."""
        ...

    def publish(self, edition: Edition, verdicts: Iterable[Verdict]) -> None:
        """Mirror the verdicts of a build into the store and remember it as the current one, all in one step.

        A paper that the build does not know yet is unplaced, `not_yet_laid_out`.
        """
        ...

    def published(self) -> str | None:
        """The build whose verdicts were mirrored last."""
        ...

    def size(self) -> Size:
        """Papers, stubs and citations held."""
        ...

    def years(self) -> Mapping[int | None, int]:
        """How many papers of the corpus are of each year; None is the year unknown."""
        ...

    def data_date(self) -> PartialDate | None:
        """The newest date that a source vouches for, or the one given at ingest."""
        ...

    def version(self) -> int:
        """A number that grows with every change of papers or citations, and only then."""
        ...

    def server_version(self) -> str:
        """The backend's own version, such as `3.45.1`."""
        ...

    def edition(self) -> str | None:
        """Which edition of the backend it is, such as `community`; None where there is but one."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
