"""The stages of a layout, arrays in, arrays out: from the corpus to a map with a verdict for every paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from corpus.build import Region
from corpus.reasons import Reason
from layout.arrangement import arrange, compare
from layout.arrays import Corpus
from layout.carried_vectors import carried, file_of
from layout.checkpoints import Checkpoints
from layout.eligibility import Eligibility, judge
from layout.gazetteer import drawn_regions, grown_regions, renamed
from layout.movement import movement
from layout.parameters import Parameters
from layout.previous import Previous
from layout.quality import measure, measure_names
from layout.smoothing import links_of, smooth, with_link_vectors
from layout.text_vectors import reduce, texts_of, weigh_terms
from layout.vectors import plain_texts, vectors_of
from layout.verdicts import confidence

Tell = Callable[[str, float | None], None]
MAX_LOST: Final = 0.01
"""Share of papers without a finite position from which on a map is no map."""


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


def lay_out_corpus(
    corpus: Corpus,
    parameters: Parameters,
    clock: Clock,
    previous: Previous | None = None,
    names: Mapping[str, str] | None = None,
    kept: Checkpoints | None = None,
) -> Laid:
    """Place every paper that can be placed, and give every other its reasons. Raises `TooManyLost`.

    `previous` is the map that stands, `names` are those that an operator gave regions (`layout.gazetteer.renamed`), `kept` what an
    interrupted layout of the same papers left.
    """
    kept = kept or Checkpoints()
    with clock.stage("reading texts") as done:
        texts = texts_of(corpus.titles, corpus.abstracts)
        terms = kept.matrix("terms", lambda: weigh_terms(texts, parameters.threads, parameters.cluster, done))
        tests = judge(corpus, np.diff(terms.indptr).astype(np.int32), parameters)
    rows = np.flatnonzero(tests.placeable)
    with clock.stage("comparing papers"):
        (text,) = kept.arrays("text", lambda: (_text_vectors(corpus, rows, terms, parameters),))
        links = links_of(corpus, rows, parameters.hub, np.asarray(text.any(axis=1)))
        smoothed = smooth(text, links, parameters)
        vectors = with_link_vectors(smoothed, links, parameters)
        compared = compare(vectors, np.logical_not(smoothed.any(axis=1)), links, parameters, kept)
    with clock.stage("placing papers") as done:
        before = None if previous is None else previous.xy[rows]
        placed = arrange(compared, links, parameters, before, kept, done)
    good: NDArray[np.bool_] = np.asarray(np.isfinite(placed.xy).all(axis=1))
    # New papers without a tie to the map that stands are no fault of it.
    may_be_lost = 1.0 if parameters.start == "add" else MAX_LOST
    if int(np.count_nonzero(~good)) > may_be_lost * len(rows):
        raise TooManyLost(f"{np.count_nonzero(~good):,} of {len(rows):,} papers came out without a position")
    reasons = list(tests.reasons)
    for row in rows[~good]:
        reasons[row] = (Reason.NO_POSITION_RETURNED,)
    rows, xy = rows[good], placed.xy[good]
    with clock.stage("naming regions"):
        graph = placed.graph[good][:, good].tocsr()
        regions, keys = _regions(corpus, rows, xy, graph, placed.landmarks[good], parameters, previous)
        regions = renamed(regions, names or {})
    with clock.stage("measuring"):
        areas = [corpus.areas[row][0] if corpus.areas[row] else None for row in rows]
        near = _among(placed.neighbours, good)
        quality = measure(xy, _directed(corpus, rows), areas, near, parameters.seed, text[good])
        titles, abstracts = [corpus.titles[row] for row in rows], [corpus.abstracts[row] for row in rows]
        quality |= measure_names(regions, keys, titles, abstracts, parameters.seed)
        if previous is not None:
            quality |= moved(previous.xy[rows], xy, parameters.seed)
    return Laid(rows, xy, confidence(placed.distances)[good], keys, regions, tests, reasons, quality)


def _text_vectors(
    corpus: Corpus, rows: NDArray[np.int64], terms: sp.csr_matrix, parameters: Parameters
) -> NDArray[np.float32]:
    file = file_of(parameters.vectors)
    if file is not None:
        own = reduce(terms[rows], parameters.dimensions, parameters.seed, parameters.threads)
        return carried(file, [corpus.ids[row] for row in rows], own, parameters.dimensions)
    texts = plain_texts([corpus.titles[row] for row in rows], [corpus.abstracts[row] for row in rows])
    return vectors_of(
        parameters.vectors, texts, terms[rows], parameters.dimensions, parameters.seed, parameters.threads
    )


def _directed(corpus: Corpus, rows: NDArray[np.int64]) -> sp.csr_matrix:
    """The citations among the papers `rows`, csr (k, k): row cites column."""
    at = np.full(corpus.nodes, -1, np.int64)
    at[rows] = np.arange(len(rows))
    citing, cited = at[corpus.citing], at[corpus.cited]
    inner = (citing >= 0) & (cited >= 0)
    ones = np.ones(np.count_nonzero(inner), np.float32)
    return sp.csr_matrix((ones, (citing[inner], cited[inner])), shape=(len(rows), len(rows)))


def moved(before: NDArray[np.float32], xy: NDArray[np.float32], seed: int) -> dict[str, float | int | None]:
    """The movement report of the papers that are on both maps."""
    both = np.isfinite(before).all(axis=1)
    return {f"moved_{name}": value for name, value in movement(before[both], xy[both], seed).items()}


def _among(neighbours: NDArray[np.int32], good: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Neighbours (k, m), by number among the `good` ones, bool (k,), of those; -1 for others."""
    if not good.any():
        return neighbours[good]
    index = np.cumsum(good) - 1
    near: NDArray[np.int32] = np.where((neighbours >= 0) & good[neighbours], index[neighbours], -1)[good].astype(
        np.int32
    )
    return near


def _regions(
    corpus: Corpus,
    rows: NDArray[np.int64],
    xy: NDArray[np.float32],
    graph: sp.csr_matrix,
    landmarks: NDArray[np.bool_],
    parameters: Parameters,
    previous: Previous | None,
) -> tuple[list[Region], list[str | None]]:
    before = [None] * len(rows) if previous is None else [previous.keys[row] for row in rows.tolist()]
    former = [] if previous is None else previous.regions
    if parameters.start == "add" and former:
        return grown_regions(graph, before, former)
    if landmarks.all():
        return drawn_regions(corpus, rows, xy, graph, parameters.seed, before, former)
    core = np.flatnonzero(landmarks)
    held = [before[at] for at in core.tolist()]
    regions, keys = drawn_regions(
        corpus, rows[core], xy[core], graph[core][:, core].tocsr(), parameters.seed, held, former
    )
    every: list[str | None] = [None] * len(rows)
    for at, key in zip(core.tolist(), keys, strict=True):
        every[at] = key
    return grown_regions(graph, every, regions)
