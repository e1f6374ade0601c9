"""How seconds and memory of a layout grow with the papers, stage by stage, and what the map is worth.

    python bench/scale.py [--papers 10000 50000 170000] [--million] [--counts] [--json]

Papers of a planted tree (`bench/topic_tree.py`), about 9 citations each. Every size runs in a process of its own, BLAS on one thread,
compiled code warm. `terms` reads real texts; with `--counts`, and above 200,000 papers, term counts stand in for it, and regions have
no names.
The goals are for the stages from `vectors` to `polish`, in seconds of the processor and peak memory; seconds are noisy, so compare those
of one run. One citation in ten is hidden to measure quality.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from bench.baselines import warm_up
from bench.hiding import hide
from bench.measures import Exam, of_map, tree_distance
from bench.spaces import Sphere
from bench.stopwatch import Spent, Stopwatch
from bench.texts import weighed
from bench.threads import with_one_blas_thread
from bench.topic_tree import plant
from corpus.reasons import Policy
from layout.eligibility import judge
from layout.embedding import fit_to_square, principal_axes
from layout.gazetteer import sampled
from layout.kernel import optimise
from layout.measures import Ints, area_accuracy
from layout.names import name_regions
from layout.parameters import Parameters
from layout.phrases import phrases_of, prose
from layout.polish import polish
from layout.regions import nested_regions, region_key
from layout.similarity import fuse, memberships, nearest
from layout.smoothing import links_of, smooth, with_link_vectors
from layout.text_vectors import reduce

SIZES: Final = (10_000, 50_000, 170_000)
_MILLION: Final = 1_000_000
_NO_TEXTS: Final = 200_000
"""Papers above which texts are left out: pairs of made-up words are far more diverse than real ones."""
_COUNTED: Final = ("vectors", "smoothing", "nearest", "fuse", "kernel", "polish")
"""Stages that the goals are for."""
_GOALS: Final = {50_000: (30.0, 1_000.0), 170_000: (120.0, None), _MILLION: (1_200.0, 9_000.0)}
"""Seconds of the processor and megabytes."""


def one(papers: int, *, counts: bool) -> dict[str, Any]:
    """Lay one corpus out in this process."""
    parameters = Parameters(policy=Policy.SIGNALS)
    warm_up(parameters)
    watch = Stopwatch(tell=_tell)
    with watch.stage("(corpus)"):
        given = plant(papers, counts=counts)
    with watch.stage("terms"):
        terms = weighed(given, workers=parameters.threads)
        rows = np.flatnonzero(judge(given.corpus, np.diff(terms.indptr).astype(np.int32), parameters).placeable)
    hiding = hide(given.corpus, rows)
    with watch.stage("vectors"):
        text = reduce(terms[rows], parameters.dimensions, parameters.seed, parameters.threads)
    del terms
    with watch.stage("smoothing"):
        links = links_of(hiding.left, rows, parameters.hub, np.asarray(text.any(axis=1)))
        vectors = with_link_vectors(smooth(text, links, parameters), links, parameters)
    with watch.stage("nearest"):
        neighbours, distances = nearest(vectors, parameters.neighbours, parameters.threads)
    with watch.stage("fuse"):
        graph = fuse(neighbours, memberships(distances), links.direct, parameters)
    with watch.stage("kernel"):
        raw = optimise(graph, principal_axes(vectors, parameters.seed), parameters)
    with watch.stage("polish"):
        xy = fit_to_square(polish(graph, raw, parameters))
    with watch.stage("regions"):
        levels = nested_regions(graph, parameters.seed)
    if given.counts is None:
        with watch.stage("names"):
            read = sampled(len(rows), parameters.seed)
            titles, abstracts = (
                [of[row] for row in rows[read]] for of in (given.corpus.titles, given.corpus.abstracts)
            )
            fallbacks = [[region_key(depth, at) for at in range(level.max() + 1)] for depth, level in enumerate(levels)]
            name_regions(levels, phrases_of(titles, abstracts), prose(titles, abstracts), fallbacks, read=read)
    exam = Exam(len(rows), hiding.seen, hiding.hidden, {name: of[rows] for name, of in given.labels.items()}, text)
    with watch.stage("(exam)"):
        figures = of_map(exam, xy)
    told = {name: figure.value for name, figure in figures.items() if figure is not None}
    assert given.topics is not None  # noqa: S101  planted
    ceilings = {
        "vectors auc": exam.citations(Sphere(vectors).distance)["auc"],
        "tree auc": exam.citations(tree_distance(given.topics[rows]))["auc"],
        "vectors leaf": area_accuracy(_some(rows), neighbours[_some(rows), :10].astype(np.int64), exam.labels["leaf"]),
    }
    told |= {name: figure.value for name, figure in ceilings.items() if figure is not None}
    told["kept leaf"] = told["leaf"] / told["vectors leaf"]
    return {
        "papers": papers,
        "placed": len(rows),
        "hidden": len(hiding.hidden),
        "edges": graph.nnz // 2,
        "texts": not counts,
        "regions": [int(level.max()) + 1 for level in levels],
        "stages": {name: asdict(spent) for name, spent in watch.stages.items()},
        "quality": told,
    }


def _tell(name: str, spent: Spent) -> None:
    """To stderr, as the largest size takes half an hour."""
    print(f"{name}: {spent.cpu:.1f} CPU s, {spent.wall:.1f} s, {spent.megabytes:,.0f} MB", file=sys.stderr, flush=True)


def _some(rows: Ints) -> Ints:
    """Positions of a sample, as many as the exam looks at."""
    return np.sort(np.random.default_rng(0).permutation(len(rows))[:5_000])


def print_scale(runs: list[dict[str, Any]]) -> None:
    """Write the sizes side by side: seconds of the processor, seconds by the clock, peak megabytes."""
    print(f"{'':<14}" + "".join(f"{run['papers']:>15,} papers" + " " * 2 for run in runs))
    print(f"{'':<14}" + f"{'CPU s':>8}{'wall s':>8}{'MB':>8}" * len(runs))
    for name in dict.fromkeys(name for run in runs for name in run["stages"]):
        cells = (_spent(run["stages"].get(name)) for run in runs)
        print(f"{name:<14}" + "".join(cells))
    print(f"{'for the goal':<14}" + "".join(_spent(_together(run)) for run in runs))
    for run in runs:
        print(_verdict(run))
    print(f"{'':<14}" + "".join(f"{run['papers']:>12,}" for run in runs))
    for name in ("placed", "hidden", "edges"):
        print(f"{name:<14}" + "".join(f"{run[name]:>12,}" for run in runs))
    for name in runs[0]["quality"]:
        print(f"{name:<14}" + "".join(f"{run['quality'].get(name, float('nan')):>12.3f}" for run in runs))


def _spent(spent: dict[str, float] | None) -> str:
    return f"{spent['cpu']:>8.1f}{spent['wall']:>8.1f}{spent['megabytes']:>8,.0f}" if spent else f"{'-':>8}" * 3


def _together(run: dict[str, Any]) -> dict[str, float]:
    stages = [run["stages"][name] for name in _COUNTED]
    summed = {key: sum(stage[key] for stage in stages) for key in ("cpu", "wall")}
    return summed | {"megabytes": max(stage["megabytes"] for stage in stages)}


def _verdict(run: dict[str, Any]) -> str:
    goal, took = _GOALS.get(run["papers"]), _together(run)
    if goal is None:
        return f"{run['papers']:,} papers: no goal"
    seconds, megabytes = goal
    met = took["cpu"] <= seconds and (megabytes is None or took["megabytes"] <= megabytes)
    wanted = f"{seconds:,.0f} s" + (f" and {megabytes:,.0f} MB" if megabytes else "")
    return f"{run['papers']:,} papers: goal of {wanted} {'met' if met else 'MISSED'}"


def main() -> None:
    """Measure the sizes that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", nargs="+", type=int, default=list(SIZES), help="sizes")
    parser.add_argument("--million", action="store_true", help="a million papers too; takes about half an hour")
    parser.add_argument("--counts", action="store_true", help="term counts in place of texts")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    with_one_blas_thread()
    if asked.one:
        print(json.dumps(one(asked.one, counts=asked.counts)))
        return
    runs = []
    for papers in [*asked.papers, *([_MILLION] if asked.million else [])]:
        bare = ["--counts"] if asked.counts or papers > _NO_TEXTS else []
        command = [sys.executable, __file__, "--one", str(papers), *bare]
        runs.append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
    if asked.json:
        print(json.dumps(runs, indent=1))
    else:
        print_scale(runs)


if __name__ == "__main__":
    main()
