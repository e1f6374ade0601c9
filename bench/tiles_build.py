"""How long the tiles of a map take, and how large they are.

    python bench/tiles_build.py [PAPERS...]      default: 10000 200000

Synthetic papers: 22 areas of 14 fields of 8 topics, sizes and citations log-normal, titles of 60 to 80 characters. Each
size runs in a process of its own. Prints a table; compare only figures of one run on one machine.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus.build import Region
from layout.tiles import TilePapers, write_tiles

WORDS = [
    "adaptive",
    "analysis",
    "atlas",
    "bounds",
    "citation",
    "clustering",
    "coherent",
    "data",
    "decay",
    "deep",
    "dense",
    "detection",
    "dynamics",
    "energy",
    "field",
    "flow",
    "graph",
    "inference",
    "kernel",
    "lattice",
    "learning",
    "limit",
    "map",
    "measurement",
    "method",
    "model",
    "network",
    "optimal",
    "phase",
    "quantum",
    "random",
    "robust",
    "sparse",
    "spectral",
    "states",
    "structure",
    "survey",
    "systems",
    "theory",
    "transport",
]


def synthetic(papers: int) -> tuple[TilePapers, list[Region]]:
    """Make papers around topics around fields around areas, and the regions that go with them."""
    rng = np.random.default_rng(papers)
    areas = rng.uniform(0.12, 0.88, (22, 2))
    fields = (areas[:, None] + rng.normal(0, 0.045, (22, 14, 2))).reshape(-1, 2)
    topics = (fields[:, None] + rng.normal(0, 0.012, (308, 8, 2))).reshape(-1, 2)
    size = rng.lognormal(0, 1, len(topics))
    topic = rng.choice(len(topics), papers, p=size / size.sum())
    xy = np.clip(topics[topic] + rng.normal(0, 0.004, (papers, 2)), 0, 1).astype(np.float32)
    words = rng.integers(len(WORDS), size=(papers, 9))
    made = TilePapers(
        n=rng.permutation(papers).astype(np.int32),
        x=xy[:, 0],
        y=xy[:, 1],
        area=(topic // 112).astype(np.int16),
        citations=np.floor(rng.lognormal(1.5, 1.4, papers)).astype(np.int32),
        year=rng.integers(1960, 2025, papers).astype(np.int16),
        region=[f"2-{key:04d}" for key in topic.tolist()],
        title=[" ".join([WORDS[word] for word in row]).capitalize() for row in words.tolist()],
    )
    regions = [
        Region(f"{level}-{row:04d}", f"{WORDS[row % len(WORDS)]} {row}", level, None, float(x), float(y), 100)
        for level, places in enumerate((areas, fields, topics))
        for row, (x, y) in enumerate(np.clip(places, 0, 1))
    ]
    return made, regions


def measure(papers: int) -> None:
    """Write one archive and print its line."""
    made, regions = synthetic(papers)
    before = resource.getrusage(resource.RUSAGE_SELF)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiles.pmtiles"
        facts = write_tiles(path, made, regions, name="bench")
        seconds, size = time.monotonic() - begun, path.stat().st_size
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{papers:>9}{facts.maxzoom:>6}{facts.tiles:>9}{size / 1e6:>10.2f}{facts.largest / 1e3:>12.1f}"
        f"{seconds:>9.1f}{cpu:>9.1f}{after.ru_maxrss / 1024:>9.0f}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    print(f"{'papers':>9}{'zooms':>6}{'tiles':>9}{'MB':>10}{'largest kB':>12}{'seconds':>9}{'CPU s':>9}{'peak MB':>9}")
    sys.stdout.flush()
    for papers in [int(argument) for argument in sys.argv[1:]] or [10_000, 200_000]:
        child = os.fork()
        if child == 0:
            measure(papers)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
            sys.exit(f"{papers} papers: failed")


if __name__ == "__main__":
    main()
