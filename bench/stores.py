"""Both stores at one size in one run: load, pages, search, whole graph, upsert, publishing a map.

    python bench/stores.py [--papers 170000] [--batch 2500] [--stores sqlite,neo4j] [--only load]

`--batch 2500,5000` loads once with each, every time into a new store; the rest is measured on the last one.

The papers are made from a seed: 7.5 references each by a power law, one paper that every 33rd cites, abstracts of 1 kB, 40 areas.
The last columns are Neo4j over SQLite, and the targets for 170,000 papers that are missed (MISSED) or met. Loads are held against
the plain loads of `bench/plain.py` in this run, as ratios (docs/decisions/0009). Timings are noisy: compare the columns of one run.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench import plain
from bench.synthetic import HUB, make_papers
from corpus.access import Access
from corpus.local_neo4j import Place, endpoint
from corpus.local_neo4j.admin import import_files
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.process import start, stop
from corpus.model import Paper
from corpus.neo4j_bulk import DELIMITER, finish_import, import_arguments, write_import_files
from corpus.neo4j_connection import Connection
from corpus.store import Direction, Edition, MapRegion, Run, Sort, Store, Tally, Verdict
from corpus.stores import open_store

RUN = Run("bench", "2026-12-01T00:00:00+00:00", None, (), Tally())
REGIONS = 57
PAPERS = 170_000
REPEATS, WARM = 100, 10
WIDTH = 32
PLAIN_LOAD, PLAIN_IMPORT = "plain load, no blobs", "plain bulk import"
TARGETS: dict[str, dict[str, float]] = {
    "load, batches": {"sqlite": 1.1, "neo4j": 1.25},
    "bulk import": {"neo4j": 1.5},
    "all citations out": {"neo4j": 4},
    "citers of the hub by": {"sqlite": 20, "neo4j": 60},
    "those of one area": {"sqlite": 20, "neo4j": 60},
}
"""At most, for `PAPERS`, by the beginning of the row: loads over the plain load, else seconds, and ms of the p99."""
YARDSTICKS = {"load, batches": PLAIN_LOAD, "bulk import": PLAIN_IMPORT}


@contextmanager
def opened(kind: str, data: Path) -> Iterator[Store]:
    """An empty store, with a server of its own where it needs one."""
    data.mkdir()
    if kind == "neo4j":
        start(data, Configuration(bolt_port=0))
    store = open_store(kind, data)
    try:
        yield store
    finally:
        store.close()
        if kind == "neo4j":
            stop(data)


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, as text, and as the number that is compared: of percentiles the p99."""

    text: str
    value: float | None = None


def seconds(work: Callable[[], object]) -> Figure:
    """How long it takes once."""
    begun = time.perf_counter()
    work()
    return Figure(f"{(took := time.perf_counter() - begun):.1f} s", took)


def percentiles(work: Callable[[], object]) -> Figure:
    """p50 and p99 of many calls, once warm."""
    times = []
    for _ in range(REPEATS + WARM):
        begun = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - begun))
    warm = sorted(times[WARM:])
    p50, p99 = warm[len(warm) // 2], warm[int(len(warm) * 0.99)]
    return Figure(f"{p50:.1f} / {p99:.1f} ms", p99)


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


def measure(kind: str, papers: list[Paper], batches: list[int], *, only_load: bool) -> dict[str, Figure]:
    """Every figure of one store."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the most memory is counted from here on
    figures = yardsticks(kind, papers)
    for batch in batches:
        with tempfile.TemporaryDirectory() as folder, opened(kind, data := Path(folder, "data")) as store:
            figures[f"load, batches of {batch:,}"] = seconds(partial(load, store, papers, batch))
            if batch != batches[-1] or only_load:
                continue
            figures |= in_bulk(kind, store, Path(folder))
            figures |= pages(store, papers)
            figures |= whole(store, papers, batch)
            size = store.size()
            figures["papers, citations"] = Figure(f"{size.papers:,}, {size.citations:,}")
            figures["memory of the server, most"] = memory(server_of(data)) if kind == "neo4j" else Figure("-")
            figures["memory of the client, most"] = memory(os.getpid())
            held = sum(file.stat().st_size for file in data.rglob("*") if file.is_file()) / 1e6
            figures["on disk"] = Figure(f"{held:,.0f} MB", held)
    return figures


def yardsticks(kind: str, papers: list[Paper]) -> dict[str, Figure]:
    """What the plain loads take."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            figure = seconds(lambda: plain.load_sqlite(papers, Path(folder)))
            return {PLAIN_LOAD: figure, PLAIN_IMPORT: Figure("-")}
        data = Path(folder, "data")
        data.mkdir()
        start(data, Configuration(bolt_port=0))
        try:
            figures = {PLAIN_LOAD: seconds(lambda: plain.load_neo4j(papers, data))}
        finally:
            stop(data)
        plain.write_files(papers, Path(folder))
        return figures | {PLAIN_IMPORT: seconds(lambda: plain.import_neo4j(Path(folder), data))}


def in_bulk(kind: str, store: Store, folder: Path) -> dict[str, Figure]:
    """The corpus of a store as import files; with Neo4j these into a new database, as `paperatlas neo4j import` does it."""
    figures = {"import files written": seconds(lambda: write_import_files(store, folder / "files"))}
    if kind != "neo4j":
        return figures | {"bulk import": Figure("-"), "its indexes too": Figure("-")}
    data = folder / "bulk"
    start(data, Configuration(bolt_port=0))
    stop(data)
    figures["bulk import"] = seconds(
        lambda: import_files(data, *import_arguments(folder / "files"), delimiter=DELIMITER)
    )
    start(data, Configuration(bolt_port=0))
    try:
        place = endpoint(data)
        with closing(Connection(place.url, Access(place.user, place.password))) as connection:
            indexes = seconds(lambda: finish_import(connection, folder / "files"))
    finally:
        stop(data)
    shutil.rmtree(data)
    both = (figures["bulk import"].value or 0) + (indexes.value or 0)
    return figures | {"its indexes too": Figure(f"{both:.1f} s", both)}


def pages(store: Store, papers: list[Paper]) -> dict[str, Figure]:
    """What a visitor waits for."""
    title = (papers[3].title or "").split()
    figures = {
        "paper": percentiles(lambda: store.paper(papers[777].address)),
        "references": percentiles(lambda: store.neighbours(papers[777].address, Direction.REFERENCES)),
    }
    for sort in (Sort.CITATIONS, Sort.NEWEST, Sort.TITLE):
        figures[f"citers of the hub by {sort}"] = percentiles(
            partial(store.neighbours, HUB, Direction.CITATIONS, sort=sort)
        )
        figures[f"those of one area by {sort}"] = percentiles(
            partial(store.neighbours, HUB, Direction.CITATIONS, sort=sort, area="area 4")
        )
    figures["citers of the hub per year"] = percentiles(lambda: store.citers_per_year(HUB))
    figures["search, a word and a prefix"] = percentiles(lambda: store.search([title[0], title[1][:3]], 20))
    return figures


def whole(store: Store, papers: list[Paper], batch: int) -> dict[str, Figure]:
    """What goes over the whole corpus."""
    changed = [replace(paper, title=f"{paper.title} again") for paper in papers[::100]]
    return {
        "papers per year": seconds(store.years),
        "all citations out": seconds(store.edges),
        "all papers out": seconds(lambda: sum(1 for _ in store.stream())),
        "1 % upsert": seconds(lambda: load(store, changed, batch)),
        "publish a map": seconds(lambda: publish(store, papers)),
    }


def server_of(data: Path) -> int:
    """The process of a server that runs."""
    running = Place.under(data).running()
    assert running is not None  # noqa: S101  it is asked while it runs
    return running.holder.pid


def memory(pid: int) -> Figure:
    """The most that a process ever held (VmHWM)."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    held = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000
    return Figure(f"{held:,.0f} MB", held)


def verdict(row: str, columns: Mapping[str, Mapping[str, Figure]]) -> str:
    """The targets of a row, and whether they are met."""
    parts = []
    for begin, targets in TARGETS.items():
        for kind, most in targets.items():
            value = columns[kind][row].value if row.startswith(begin) and kind in columns else None
            if value is not None:
                value /= plain_seconds(YARDSTICKS.get(begin), columns[kind])
                parts.append(f"{'met' if value <= most else 'MISSED'}: {kind} {value:.2f} <= {most}")
    return ", ".join(parts)


def plain_seconds(yardstick: str | None, figures: Mapping[str, Figure]) -> float:
    """What the plain load took in this run; 1 for rows that have none."""
    if yardstick is None:
        return 1.0
    took = figures[yardstick].value
    assert took is not None  # noqa: S101  every store with a target has its yardstick
    return took


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=PAPERS)
    parser.add_argument("--batch", default="2500")
    parser.add_argument("--stores", default="sqlite,neo4j")
    parser.add_argument("--only", choices=["load"], help="leave out what comes after the load")
    chosen = parser.parse_args()
    papers = make_papers(chosen.papers)
    gc.freeze()  # or Python would look through all of them again and again while they are loaded
    batches = [int(size) for size in chosen.batch.split(",")]
    load_before = os.getloadavg()[0]
    columns = {
        kind: measure(kind, papers, batches, only_load=chosen.only == "load") for kind in chosen.stores.split(",")
    }
    print(f"{len(papers):,} papers; load of the machine {load_before:.1f} before, {os.getloadavg()[0]:.1f} after\n")
    print("".join(part.ljust(WIDTH) for part in ("", *columns, "ratio, targets")))
    for row in next(iter(columns.values())):
        figures = {kind: column[row] for kind, column in columns.items()}
        values = [figure.value for figure in figures.values()]
        ratio = f"{values[1] / values[0]:.1f}  " if len(values) == 2 and values[0] and values[1] else "     "
        texts = (
            row,
            *(figure.text for figure in figures.values()),
            ratio + (verdict(row, columns) if len(papers) == PAPERS else ""),
        )
        print("".join(text.ljust(WIDTH) for text in texts))


if __name__ == "__main__":
    main()
