"""Small corpora for the tests of the layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from corpus.folding import fold
from corpus.identifiers import sort_ids
from corpus.model import Paper, PartialDate, Record, Status
from corpus.store import Run, Store, Stored, Tally
from corpus.stores import open_store
from layout.arrays import Corpus, read_corpus
from layout.parameters import Parameters
from layout.stages import Clock, Laid, lay_out_corpus

FAST = Parameters(epochs=30, polish=5, threads=1)
TOPICS = (
    "growth of galaxies and dark matter haloes in simulations",
    "folding of proteins and the stability of enzymes in solution",
    "monetary policy and inflation expectations of households",
    "training of neural networks by stochastic gradient descent",
)


def paper(
    name: str,
    references: Sequence[str] | None = (),
    *,
    title: str | None = None,
    abstract: str | None = None,
    areas: Sequence[str] = (),
    status: Status = Status.NORMAL,
    kind: str | None = None,
    declared: int | None = None,
    unresolved: Sequence[str] = (),
    language: str | None = None,
) -> Paper:
    """A paper of one record; names are short for `openalex:W<name>`."""
    return fold(
        [
            Record(
                key=address(name),
                ids=sort_ids([address(name)]),
                title=title,
                abstract=abstract,
                areas=tuple(areas),
                status=status,
                type=kind,
                references=None if references is None else tuple(map(address, references)),
                references_declared=declared,
                unresolved=tuple(unresolved),
                date=PartialDate(2020),
                language=language,
            )
        ]
    )


def address(name: str) -> str:
    """The address of a paper of that name."""
    return f"openalex:W{name}"


@dataclass
class Shelf:
    """A store that only has what the layout reads; `order` is the order in which the papers came in."""

    papers: Sequence[Paper]
    numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.papers:
            for name in (one.address, *(one.references or ())):
                self.numbers.setdefault(name, len(self.numbers))

    def stream(self) -> Iterator[Stored]:
        held = {one.address for one in self.papers}
        cites = [(one.address, cited) for one in self.papers for cited in one.references or ()]
        for one in sorted(self.papers, key=lambda one: one.address):
            inside = sum(cited in held for cited in one.references or ())
            citers = sum(cited == one.address for _, cited in cites)
            yield Stored(self.numbers[one.address], one, citers, inside)

    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        pairs = [
            (self.numbers[one.address], self.numbers[cited]) for one in self.papers for cited in one.references or ()
        ]
        pairs.sort()
        both = np.array(pairs, np.int32).reshape(-1, 2)
        return both[:, 0], both[:, 1]


def corpus(papers: Sequence[Paper]) -> Corpus:
    """The papers as arrays."""
    return read_corpus(cast("Store", Shelf(papers)))


def many(n: int, *, text: bool = True, links: bool = True, topics: int = 4) -> list[Paper]:
    """Papers of a few topics in turn; each cites the two before it of its topic and a work without a record."""
    made = []
    for i in range(n):
        topic = i % topics
        cited = [f"{i - back * topics:04d}" for back in (1, 2) if i >= back * topics]
        made.append(
            paper(
                f"{i:04d}",
                [*cited, f"9{topic}"] if links else [f"8{i:04d}"],
                title=f"{TOPICS[topic]}: part {_ordinal(i)}" if text else None,
                abstract=f"We look at {TOPICS[topic]} with care." if text else None,
                areas=[f"Area {topic}"],
            )
        )
    return made


def _ordinal(i: int) -> str:
    return ("alpha beta gamma delta epsilon zeta eta theta".split())[i * 5 // 7 % 8]


def laid(papers: Sequence[Paper], parameters: Parameters = FAST) -> tuple[Corpus, Laid]:
    """Lay the papers out in this process."""
    arrays = corpus(papers)
    return arrays, lay_out_corpus(arrays, parameters, Clock(lambda _name, _done: None))


def seeded(seed: int) -> Parameters:
    """The fast parameters with another seed."""
    return replace(FAST, seed=seed)


def filled(data: Path, papers: Sequence[Paper]) -> Path:
    """A data directory with these papers in its store."""
    data.mkdir(parents=True)
    store = open_store("sqlite", data)
    run = Run(
        "r1", "2026-12-01T10:00:00+00:00", "2026-12-01T10:01:00+00:00", ("a.jsonl",), Tally(len(papers), len(papers))
    )
    store.put(papers, run)
    store.settle(run, None)
    store.close()
    return data
