"""A corpus and its map as plain dictionaries, read from the embedded store: what answers from Neo4j are compared with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.model import Paper
from corpus.store import Edition, MapRegion, Run, Size, Store, Verdict

NOT_LAID_OUT = "not_yet_laid_out"


@dataclass(frozen=True)
class World:
    """Everything that the questions are about."""

    papers: Mapping[str, Paper]
    out: Mapping[str, Sequence[str]]
    """Works on each paper's list, by address, each once; an address that is not in `papers` is a stub."""
    into: Mapping[str, Sequence[str]]
    leads: Mapping[str, str]
    """Every identifier that is asked for, to its address."""
    verdicts: Mapping[str, Verdict]
    regions: Mapping[str, MapRegion]
    edition: Edition
    runs: Sequence[Run]
    data_date: str | None
    size: Size

    @classmethod
    def of(cls, store: Store, edition: Edition, verdicts: Iterable[Verdict], asked: Iterable[str]) -> World:
        """Read a store; its citations are counted a second way."""
        papers = {stored.paper.address: stored.paper for stored in store.stream()}
        cited = {name for paper in papers.values() for name in paper.references or ()}
        at = store.resolve(sorted(cited))
        out = {one: sorted({at[name] for name in paper.references or ()}) for one, paper in papers.items()}
        into: dict[str, list[str]] = defaultdict(list)
        for one, works in out.items():
            for work in works:
                into[work].append(one)
        assert sum(map(len, out.values())) == len(store.edges()[0]) == store.size().citations
        date = store.data_date()
        return cls(
            papers=papers,
            out=out,
            into=into,
            leads=store.resolve(asked),
            verdicts={one.id: one for one in verdicts},
            regions={one.key: one for one in edition.regions},
            edition=edition,
            runs=store.runs(),
            data_date=None if date is None else str(date),
            size=store.size(),
        )

    def references(self, address: str) -> Sequence[str]:
        """What it cites; nothing for a stub."""
        return self.out.get(address, ())

    def citers(self, address: str) -> Sequence[str]:
        """What cites it."""
        return self.into.get(address, ())

    def stubs(self) -> set[str]:
        """Cited works without a record."""
        return self.into.keys() - self.papers.keys()

    def title(self, address: str) -> str | None:
        """None for a stub too."""
        paper = self.papers.get(address)
        return paper.title if paper else None

    def year(self, address: str) -> int | None:
        """None for a stub too."""
        paper = self.papers.get(address)
        return paper.year if paper else None

    def names(self, address: str) -> list[str]:
        """Of its authors."""
        paper = self.papers.get(address)
        return [author.name for author in paper.authors] if paper else []

    def sources(self, address: str) -> list[str | None]:
        """Of its records; one None where they name none."""
        named = {record.source for record in self.papers[address].records if record.source}
        return [*sorted(named)] if named else [None]

    def placed(self, address: str) -> bool:
        """Whether it is on the map."""
        verdict = self.verdicts.get(address)
        return verdict is not None and verdict.unplaced is None

    def reason(self, address: str) -> str | None:
        """Why a paper is not on the map."""
        verdict = self.verdicts.get(address)
        return verdict.unplaced if verdict else NOT_LAID_OUT

    def region(self, address: str) -> str | None:
        """Its deepest region."""
        verdict = self.verdicts.get(address)
        return verdict.region if verdict else None

    def around(self, address: str) -> list[str]:
        """Keys of the regions that it is in, the deepest first."""
        found: list[str] = []
        key = self.region(address)
        while key is not None:
            found.append(key)
            key = self.regions[key].parent
        return found

    def members(self, key: str) -> list[str]:
        """Papers of a region and of its parts."""
        return [one for one in self.papers if key in self.around(one)]

    def chains(self, start: str, goal: str, most: int) -> list[list[str]]:
        """All shortest chains of citations, ends included, of at most so many citations."""
        level, seen = [[start]], {start}
        for _ in range(most):
            longer = [[*chain, work] for chain in level for work in self.references(chain[-1]) if work not in seen]
            arrived = [chain for chain in longer if chain[-1] == goal]
            if arrived:
                return arrived
            seen.update(chain[-1] for chain in longer)
            level = longer
        return []

    def ways(self, start: str, goal: str, most: int) -> tuple[int, int] | None:
        """The fewest citations between two papers in either direction, and the number of ways."""
        level, seen = {start: 1}, {start}
        for step in range(1, most + 1):
            further: dict[str, int] = defaultdict(int)
            for one, count in level.items():
                for other in (*self.references(one), *self.citers(one)):
                    if other not in seen:
                        further[other] += count
            if goal in further:
                return step, further[goal]
            seen |= further.keys()
            level = further
        return None


def ascending(*values: Any) -> tuple[Any, ...]:
    """A key that sorts None last, as Cypher does."""
    return tuple((value is None, 0 if value is None else value) for value in values)
