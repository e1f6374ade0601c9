"""What a map does when papers come in: how far the others move, and how well the new ones stand.

The newest 5 % of the papers come in. Each way of the layout to make the next map gets the same map before, and the same graph.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bench.corpora import Given
from bench.hiding import inner_pairs
from bench.measures import SEED, Figures
from bench.texts import weighed
from layout.arrays import Corpus
from layout.embedding import embed
from layout.measures import Floats, Ints, any_papers, area_accuracy, auc, nearest_on_map, on_map, shared
from layout.movement import movement
from layout.parameters import Parameters, Start
from layout.positions import positions
from layout.similarity import fuse, memberships, nearest
from layout.smoothing import links_of, smooth, with_link_vectors
from layout.text_vectors import reduce

NEW: Final = 0.05
"""Share of the papers that come in."""
HIDDEN: Final = 0.3
"""Share of the new papers' citations to and from others that nobody sees; never the last one of a new paper."""


STARTS: Final[Mapping[str, Start]] = {"layout --scratch": "scratch", "layout": "refit", "layout --add": "add"}
"""The ways to make the next map; the first one is what the places of new papers are compared with."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The papers of the next map, and the map before."""

    given: Given
    rows: Ints
    """int64 (k,) papers of the corpus on the next map."""
    new: Ints
    """Positions in `rows` of those that come in, ascending."""
    hidden: Ints
    """int64 (h, 2): hidden citations, the new paper first."""
    before: Floats
    """float32 (k, 2) places on the map before; NaN for new ones."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the old papers, and of the new ones."""

    moved: dict[str, float | int | None]
    """Shares of the map's diameter: mean, median, 95th percentile; share that moved far; share of the 15 nearest kept."""
    papers: int
    """That came in."""
    placed: int
    hidden: int
    """Of their citations."""
    figures: Figures
    """Held-out citations and labels of those that were placed; `overlap`: 15 nearest that are the same on the first map of `STARTS`."""


def next_editions(given: Given, rows: Ints, parameters: Parameters) -> dict[str, Outcome]:
    """Movement of the old papers, and accuracy of the new ones, by the way the next map is made."""
    lot = np.random.default_rng(SEED).permutation(
        len(rows)
    )  # of a year, any; by address it would be those of one archive
    order = np.lexsort((lot, given.corpus.years[rows]))
    new = np.sort(order[len(order) - round(NEW * len(order)) :])
    old = np.setdiff1d(np.arange(len(rows)), new)
    corpus, hidden = hide_from_new(given.corpus, rows, new)
    before = np.full((len(rows), 2), np.nan, np.float32)
    before[old] = embed(*_similar(given, corpus, rows[old], parameters), parameters)
    edition = Edition(given, rows, new, hidden, before)
    graph, vectors = _similar(given, corpus, rows, parameters)
    maps = {
        name: positions(graph, vectors, dataclasses.replace(parameters, start=start), before)
        for name, start in STARTS.items()
    }
    full = next(iter(maps.values()))
    return {name: _outcome(edition, after, full) for name, after in maps.items()}


def _similar(given: Given, corpus: Corpus, rows: Ints, parameters: Parameters) -> tuple[sp.csr_matrix, Floats]:
    """The graph and the vectors of the papers `rows`, with a vocabulary of their own."""
    text = reduce(weighed(given, rows), parameters.dimensions, parameters.seed)
    links = links_of(corpus, rows, parameters.hub, np.asarray(text.any(axis=1)))
    vectors = with_link_vectors(smooth(text, links, parameters), links, parameters)
    neighbours, distances = nearest(vectors, min(parameters.neighbours, len(rows) - 1))
    return fuse(neighbours, memberships(distances), links.direct, parameters), vectors


def hide_from_new(corpus: Corpus, rows: Ints, new: Ints, *, seed: int = SEED) -> tuple[Corpus, Ints]:
    """Take three in ten of the citations between new and old papers away; return what is left, and the pairs (new, other)."""
    fresh = np.zeros(len(rows), bool)
    fresh[new] = True
    pairs = inner_pairs(corpus, rows)
    inner = (pairs >= 0).all(axis=1)
    crossing = np.flatnonzero(inner & (fresh[pairs[:, 0]] != fresh[pairs[:, 1]]))
    owners = np.where(fresh[pairs[crossing]], pairs[crossing], -1).max(axis=1)
    ends = pairs[inner].ravel()
    left = np.bincount(ends, minlength=len(rows)).tolist()
    chosen: list[int] = []
    for at in np.random.default_rng(seed).permutation(len(crossing)).tolist():
        owner = int(owners[at])
        if len(chosen) < round(HIDDEN * len(crossing)) and left[owner] > 1:
            left[owner] -= 1
            chosen.append(at)
    picked = np.sort(np.array(chosen, np.int64))
    kept = np.ones(len(pairs), bool)
    kept[crossing[picked]] = False
    others = pairs[crossing[picked]].sum(axis=1) - owners[picked]
    return (
        dataclasses.replace(corpus, citing=corpus.citing[kept], cited=corpus.cited[kept]),
        np.stack([owners[picked], others], 1),
    )


def _outcome(edition: Edition, after: Floats, full: Floats) -> Outcome:
    """Who has no place is not asked."""
    old = np.setdiff1d(np.arange(len(edition.rows)), edition.new)
    placed: NDArray[np.bool_] = np.asarray(np.isfinite(after).all(axis=1))
    at, seats = np.cumsum(placed) - 1, after[placed]
    pairs = at[edition.hidden[placed[edition.hidden].all(axis=1)]]
    asked = at[edition.new[placed[edition.new]]]
    near = nearest_on_map(seats, asked, 15)
    figures: Figures = {
        "auc": auc(on_map(seats), pairs, any_papers(pairs, len(seats), SEED)),
        "overlap": shared(near, nearest_on_map(full[placed], asked, 15)),
    }
    for name, labels in edition.given.labels.items():
        figures[name] = area_accuracy(asked, near[:, :10], labels[edition.rows][placed])
    moved = movement(edition.before[old], after[old], SEED)
    return Outcome(moved, len(edition.new), len(asked), len(pairs), figures)
