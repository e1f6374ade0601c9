"""The stages of a layout, arrays in, arrays out: from the corpus to a map with a verdict for every paper."""

from __future__ import annotations

import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from corpus.build import Region
from corpus.reasons import Reason
from layout.arrays import Corpus
from layout.eligibility import Eligibility, judge
from layout.embedding import embed
from layout.names import name_regions
from layout.parameters import Parameters
from layout.phrases import phrases_of, prose
from layout.quality import measure, measure_names
from layout.regions import keys_of, label_points, nested_regions, parents_of, region_key
from layout.similarity import fuse, memberships, nearest
from layout.smoothing import links_of, smooth, with_link_vectors
from layout.text_vectors import reduce, texts_of, weigh_terms
from layout.verdicts import confidence

Tell = Callable[[str, float | None], None]
MAX_LOST: Final = 0.01
"""Share of papers without a finite position from which on a map is no map."""


LONGEST_NAME: Final = 60
"""Characters of a region's name that is a title."""


class TooManyLost(Exception):
    """The embedding gave no finite position for more than one paper in a hundred."""


@dataclass(slots=True)
class Clock:
    """Wall seconds by stage, and the word that a stage has begun."""

    tell: Tell
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[float], None]]:
        """Time a stage; yields what takes the share that is done."""
        self.tell(name, None)
        begun = time.monotonic()
        yield lambda done: self.tell(name, done)
        self.seconds[name] = round(time.monotonic() - begun, 3)


@dataclass(frozen=True, slots=True)
class Laid:
    """A map of k papers."""

    rows: NDArray[np.int64]
    """(k,) papers of the corpus that are on the map, ascending."""
    xy: NDArray[np.float32]
    """(k, 2) map units, finite."""
    confidence: NDArray[np.float32]
    """(k,)"""
    keys: list[str | None]
    """k keys of the deepest region."""
    regions: list[Region]
    tests: Eligibility
    reasons: list[tuple[Reason, ...]]
    """n: the binding one first; empty for those on the map."""
    quality: dict[str, float | int | None]


def lay_out_corpus(corpus: Corpus, parameters: Parameters, clock: Clock) -> Laid:
    """Place every paper that can be placed, and give every other its reasons. Raises `TooManyLost`."""
    with clock.stage("reading texts"):
        terms = weigh_terms(texts_of(corpus.titles, corpus.abstracts))
        tests = judge(corpus, np.diff(terms.indptr).astype(np.int32), parameters)
    rows = np.flatnonzero(tests.placeable)
    with clock.stage("comparing papers"):
        text = reduce(terms[rows], parameters.dimensions, parameters.seed)
        links = links_of(corpus, rows, parameters.hub, np.asarray(text.any(axis=1)))
        vectors = with_link_vectors(smooth(text, links, parameters), links, parameters)
        neighbours, distances = nearest(vectors, max(0, min(parameters.neighbours, len(rows) - 1)))
        graph = fuse(neighbours, memberships(distances), links.direct, parameters)
    with clock.stage("placing papers") as done:
        xy = embed(graph, vectors, parameters, done)
    good: NDArray[np.bool_] = np.asarray(np.isfinite(xy).all(axis=1))
    if int(np.count_nonzero(~good)) > MAX_LOST * len(rows):
        raise TooManyLost(f"{np.count_nonzero(~good):,} of {len(rows):,} papers came out without a position")
    reasons = list(tests.reasons)
    for row in rows[~good]:
        reasons[row] = (Reason.NO_POSITION_RETURNED,)
    rows, xy, graph = rows[good], xy[good], graph[good][:, good].tocsr()
    with clock.stage("naming regions"):
        levels = nested_regions(graph, parameters.seed)
        regions = _named(corpus, rows, xy, levels, parameters.seed)
        keys = keys_of(levels, len(rows))
    with clock.stage("measuring"):
        areas = [corpus.areas[row][0] if corpus.areas[row] else None for row in rows]
        index = np.cumsum(good) - 1
        near = np.where(good[neighbours], index[neighbours], -1)[good] if len(rows) else neighbours
        quality = measure(xy, _directed(corpus, rows), areas, near.astype(np.int32), parameters.seed, text[good])
        titles, abstracts = [corpus.titles[row] for row in rows], [corpus.abstracts[row] for row in rows]
        quality |= measure_names(regions, keys, titles, abstracts, parameters.seed)
    return Laid(rows, xy, confidence(distances)[good], keys, regions, tests, reasons, quality)


def _directed(corpus: Corpus, rows: NDArray[np.int64]) -> sp.csr_matrix:
    """The citations among the papers `rows`, csr (k, k): row cites column."""
    at = np.full(corpus.nodes, -1, np.int64)
    at[rows] = np.arange(len(rows))
    citing, cited = at[corpus.citing], at[corpus.cited]
    inner = (citing >= 0) & (cited >= 0)
    ones = np.ones(np.count_nonzero(inner), np.float32)
    return sp.csr_matrix((ones, (citing[inner], cited[inner])), shape=(len(rows), len(rows)))


def _named(
    corpus: Corpus, rows: NDArray[np.int64], xy: NDArray[np.float32], levels: list[NDArray[np.int64]], seed: int
) -> list[Region]:
    if not levels:
        return []
    titles, abstracts = [corpus.titles[row] for row in rows], [corpus.abstracts[row] for row in rows]
    fallbacks = [_fallbacks(corpus, rows, level) for level in levels]
    names = name_regions(levels, phrases_of(titles, abstracts), prose(titles, abstracts), fallbacks)
    regions: list[Region] = []
    for depth, level in enumerate(levels):
        points, sizes = label_points(xy, level, seed), np.bincount(level)
        above = parents_of(level, levels[depth - 1]) if depth else None
        for index, size in enumerate(sizes):
            regions.append(
                Region(
                    key=region_key(depth, index),
                    name=names[depth][index],
                    level=depth,
                    parent=None if above is None else region_key(depth - 1, int(above[index])),
                    x=float(points[index, 0]),
                    y=float(points[index, 1]),
                    papers=int(size),
                )
            )
    return regions


def _fallbacks(corpus: Corpus, rows: NDArray[np.int64], level: NDArray[np.int64]) -> list[str]:
    """What a region is called that no phrase tells apart: its most frequent area unless that is the map's, else its best paper."""
    usual = _most_frequent_area(corpus, rows)
    names = []
    for region in range(int(level.max()) + 1):
        members = rows[level == region]
        best = max(members, key=lambda row: (corpus.citations[row], -row))
        title = textwrap.shorten(corpus.titles[best] or corpus.ids[best][0], LONGEST_NAME, placeholder=" …")
        area = _most_frequent_area(corpus, members)
        names.append(area if area and area != usual else title)
    return names


def _most_frequent_area(corpus: Corpus, rows: NDArray[np.int64]) -> str | None:
    counts = Counter(corpus.areas[row][0] for row in rows if corpus.areas[row])
    return min(counts, key=lambda name: (-counts[name], name)) if counts else None
