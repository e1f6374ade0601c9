"""Papers made from a seed, for benches of any size."""

from __future__ import annotations

import random
from typing import Final

import numpy as np

from corpus.folding import fold
from corpus.model import Author, Paper, PartialDate, Record

HUB: Final = "openalex:W1000000000"
"""The paper that every 33rd one cites."""


def make_papers(count: int) -> list[Paper]:
    """Papers in the order in which they are loaded."""
    rng, numbers = random.Random(7), np.random.default_rng(7)  # noqa: S311
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(5000)]
    weights = np.arange(1, count + 1) ** -0.75
    cited = numbers.permutation(count)[numbers.choice(count, size=8 * count, p=weights / weights.sum())]
    papers = []
    for n in range(count):
        references = set(cited[8 * n : 8 * n + 7 + n % 2].tolist()) - {n} | ({0} if n % 33 == 0 and n else set())
        record = Record(
            key=name(n),
            ids=(name(n),),
            title=" ".join(rng.choices(words, k=rng.randint(6, 14))),
            abstract=" ".join(rng.choices(words, k=160))[:1000],
            authors=(Author(f"Ada Author{n % 9000}"), Author(f"Bob Writer{n % 700}")),
            date=PartialDate(1990 + n % 35),
            areas=(f"area {n % 40}",),
            references=tuple(name(m) for m in sorted(references)),
            source="openalex",
        )
        papers.append(fold([record]))
    return papers


def name(n: int) -> str:
    """The address of a paper."""
    return f"openalex:W{1_000_000_000 + n}"
