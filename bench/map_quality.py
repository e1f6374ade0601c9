"""How true a map is: held-out citations, areas and texts, for ours and for maps drawn from less or by others.

    python bench/map_quality.py [--corpus openalex-all|openalex-small|paperscape|cora|synthetic|PATH] [--policy signals]
                                [--papers N] [--quick] [--json]

One citation in ten is hidden (never the last one of a paper); everything sees the rest alone. All maps hold the same papers. What the
figures mean, and what they were when last measured: docs/map-quality.md. `--quick` leaves out the baselines that take longest.

`text`, `links`, `citations` are drawn by our engine from less; `DrL`, `openTSNE`, `umap-learn` are other engines. `*` marks what is
above ours by more than two standard errors, `+` by less. Below the line are no maps, but what maps are drawn from: the ceiling.
Seconds are of the processor, from the text vectors on.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from typing import Final

import numpy as np

from bench.baselines import OURS, Sources, drawings, drawn, warm_up
from bench.cora import read_cora
from bench.corpora import SHARED, Absent, Given, from_records, open_corpus
from bench.editions import next_editions
from bench.hiding import Hiding, hide
from bench.measures import Exam, Figures, of_map, tree_distance
from bench.names import names_of
from bench.paperscape import read_paperscape
from bench.spaces import Sphere
from bench.tables import Table, as_json, print_table
from bench.texts import weighed
from bench.threads import with_one_blas_thread
from bench.topic_tree import plant
from corpus.errors import AtlasError
from corpus.reasons import Policy
from layout.eligibility import judge
from layout.measures import Floats, Ints
from layout.parameters import Parameters
from layout.smoothing import links_of
from layout.text_vectors import reduce

_LEAST: Final = 10
"""Hidden citations below which nothing is measured."""


def measured(given: Given, parameters: Parameters, *, quick: bool) -> Table:
    """Draw and measure all maps of a corpus. Raises `Absent` where too few citations can be hidden."""
    terms = weighed(given)
    rows = np.flatnonzero(judge(given.corpus, np.diff(terms.indptr).astype(np.int32), parameters).placeable)
    hiding = hide(given.corpus, rows)
    if len(hiding.hidden) < _LEAST:
        raise Absent(f"only {len(hiding.hidden)} citations could be hidden: too few to measure anything")
    text = reduce(terms[rows], parameters.dimensions, parameters.seed)
    exam = Exam(len(rows), hiding.seen, hiding.hidden, {name: of[rows] for name, of in given.labels.items()}, text)
    sources = _sources(hiding, rows, text, parameters)
    warm_up(parameters)
    maps: dict[str, Figures] = {}
    seconds: dict[str, float] = {}
    names: dict[str, float | int | None] = {}
    for name, drawing in drawings(sources).items():
        if quick and drawing.slow:
            continue
        _tell(name)
        xy, seconds[name] = drawn(drawing, parameters, len(rows))
        maps[name] = of_map(exam, xy)
        if name == OURS and given.counts is None:
            names = names_of(given.corpus, rows, xy, sources.both.graph, parameters.seed)
    _tell("ceilings, editions")
    ceilings = {"text vectors": exam.ask(Sphere(text)), "smoothed vectors": exam.ask(Sphere(sources.both.vectors))}
    if given.topics is not None:
        ceilings["planted tree"] = exam.citations(tree_distance(given.topics[rows]))
    return Table(
        given=given,
        policy=parameters.policy,
        papers=len(rows),
        hidden=len(hiding.hidden),
        maps=maps,
        seconds=seconds,
        ceilings=ceilings,
        names=names,
        editions={} if quick else next_editions(given, rows, parameters),
    )


def _sources(hiding: Hiding, rows: Ints, text: Floats, parameters: Parameters) -> Sources:
    return Sources(text, links_of(hiding.left, rows, parameters.hub, np.asarray(text.any(axis=1))), parameters)


def _tell(name: str) -> None:
    if sys.stderr.isatty():
        print(f"... {name}", file=sys.stderr)


def main() -> None:
    """Measure the corpus that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="openalex-small", help="a name, a file of records or a data directory")
    parser.add_argument("--policy", default=Policy.SIGNALS, type=Policy, choices=list(Policy), help="who is on the map")
    parser.add_argument("--papers", default=10_000, type=int, help="size of the synthetic corpus")
    parser.add_argument("--quick", action="store_true", help="without the baselines that take longest")
    parser.add_argument("--json", action="store_true", help="for machines")
    asked = parser.parse_args()
    with_one_blas_thread()
    data = SHARED / "data"
    named = {
        "paperscape": partial(read_paperscape, data / "paperscape"),
        "cora": partial(read_cora, data / "cora"),
        "synthetic": partial(plant, asked.papers),
    }
    for name in ("openalex-all", "openalex-small"):
        named[name] = partial(from_records, name, data / "openalex" / f"{name}.jsonl.gz")
    parameters = Parameters(policy=asked.policy)
    try:
        table = measured(open_corpus(asked.corpus, named), parameters, quick=asked.quick)
    except AtlasError as error:
        sys.exit(str(error))
    if asked.json:
        print(json.dumps(as_json(table, parameters), indent=1))
    else:
        print_table(table)


if __name__ == "__main__":
    main()
