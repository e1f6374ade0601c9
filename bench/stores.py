"""Both stores at one size in one run: load, pages, search, whole graph, upsert, publishing a map.

    python bench/stores.py [--papers 170000] [--batch 2500] [--stores sqlite,neo4j]

The papers are made from a seed: 7.5 references each by a power law, one paper that every 33rd cites, abstracts of 1 kB, 40 areas.
Targets for 170,000 papers: Neo4j loads in 60 s, gives all citations in 4 s and a page of 5,000 citers in 50 ms; SQLite in 15 s
and 10 ms. Timings are noisy: compare the columns of one run.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from corpus.folding import fold
from corpus.local_neo4j import Place
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.process import start, stop
from corpus.model import Author, Paper, PartialDate, Record
from corpus.store import Direction, Edition, MapRegion, Run, Sort, Store, Tally, Verdict
from corpus.stores import open_store

RUN = Run("bench", "2026-12-01T00:00:00+00:00", None, (), Tally())
REGIONS = 57
REPEATS = 40
HUB = "openalex:W1000000000"


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


@contextmanager
def opened(kind: str, data: Path) -> Iterator[Store]:
    """An empty store, with a server of its own where it needs one."""
    if kind == "neo4j":
        start(data, Configuration(bolt_port=0))
    store = open_store(kind, data)
    try:
        yield store
    finally:
        store.close()
        if kind == "neo4j":
            stop(data)


def seconds(work: Callable[[], object]) -> str:
    """How long it takes once."""
    begun = time.perf_counter()
    work()
    return f"{time.perf_counter() - begun:.1f} s"


def percentiles(work: Callable[[], object]) -> str:
    """p50 and p99 of many calls, once warm."""
    times = []
    for _ in range(REPEATS + 5):
        begun = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - begun))
    warm = sorted(times[5:])
    return f"{warm[len(warm) // 2]:.1f} / {warm[int(len(warm) * 0.99)]:.1f} ms"


def load(store: Store, papers: list[Paper], batch: int) -> None:
    """All papers, a batch in a transaction."""
    for start_ in range(0, len(papers), batch):
        store.put(papers[start_ : start_ + batch], RUN)
    store.settle(RUN, None)


def publish(store: Store, papers: list[Paper]) -> None:
    """A map in which every paper is placed."""
    regions = tuple(MapRegion(f"0-{n:02}", f"Region {n}", 0, None, 1) for n in range(REGIONS))
    verdicts = (Verdict(p.address, 0.5, 0.25, f"0-{n % REGIONS:02}", None) for n, p in enumerate(papers))
    store.publish(Edition("b" * 64, "2026-12-01T00:00:00+00:00", regions), verdicts)


def measure(kind: str, papers: list[Paper], batch: int) -> dict[str, str]:
    """Every figure of one store."""
    with tempfile.TemporaryDirectory() as folder, opened(kind, data := Path(folder)) as store:
        figures = {"load, batches": seconds(lambda: load(store, papers, batch))}
        title = (papers[3].title or "").split()
        changed = [replace(paper, title=f"{paper.title} again") for paper in papers[::100]]
        figures["paper"] = percentiles(lambda: store.paper(papers[777].address))
        figures["references"] = percentiles(lambda: store.neighbours(papers[777].address, Direction.REFERENCES))
        for sort in (Sort.CITATIONS, Sort.NEWEST, Sort.TITLE):
            figures[f"citers of the hub by {sort}"] = percentiles(
                lambda sort=sort: store.neighbours(HUB, Direction.CITATIONS, sort=sort)  # type: ignore[misc]
            )
        figures["citers of the hub in one area"] = percentiles(
            lambda: store.neighbours(HUB, Direction.CITATIONS, sort=Sort.NEWEST, area="area 4")
        )
        figures["citers of the hub per year"] = percentiles(lambda: store.citers_per_year(HUB))
        figures["search, a word and a prefix"] = percentiles(lambda: store.search([title[0], title[1][:3]], 20))
        figures["all citations out"] = seconds(store.edges)
        figures["all papers out"] = seconds(lambda: sum(1 for _ in store.stream()))
        figures["1 % upsert"] = seconds(lambda: load(store, changed, batch))
        figures["publish a map"] = seconds(lambda: publish(store, papers))
        size = store.size()
        figures["papers, citations"] = f"{size.papers:,}, {size.citations:,}"
        figures["server memory, most"] = server_memory(data) if kind == "neo4j" else "-"
        figures["on disk"] = f"{sum(file.stat().st_size for file in data.rglob('*') if file.is_file()) / 1e6:,.0f} MB"
    return figures


def server_memory(data: Path) -> str:
    """The most that the server ever held (VmHWM)."""
    running = Place.under(data).running()
    assert running is not None  # noqa: S101  it is asked while it runs
    status = Path(f"/proc/{running.holder.pid}/status").read_text("ascii")
    return next(line.split(":")[1].strip() for line in status.splitlines() if line.startswith("VmHWM"))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=170_000)
    parser.add_argument("--batch", type=int, default=2_500)
    parser.add_argument("--stores", default="sqlite,neo4j")
    chosen = parser.parse_args()
    papers = make_papers(chosen.papers)
    width = shutil.get_terminal_size((100, 24)).columns // 3
    columns = {kind: measure(kind, papers, chosen.batch) for kind in chosen.stores.split(",")}
    print("".join(part.ljust(width) for part in ("", *columns)))
    for row in next(iter(columns.values())):
        print("".join(part.ljust(width) for part in (row, *(figures[row] for figures in columns.values()))))


if __name__ == "__main__":
    main()
