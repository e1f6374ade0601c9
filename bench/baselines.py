"""The maps that ours is held against: drawn from less by the same engine, and from the same by others.

Sources are vectors with the graph that their nearest neighbours and the citations make; each is made once, and its seconds count for
every map that is drawn from it.
"""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import igraph
import numpy as np
import scipy.sparse as sp

from layout.embedding import embed, fit_to_square, principal_axes
from layout.measures import Floats
from layout.parameters import Parameters
from layout.similarity import fuse, memberships, nearest
from layout.smoothing import Links, smooth, with_link_vectors

OURS: Final = "ours"
_FEW: Final = 1_000
"""Papers up to which openTSNE's tree is faster than its grid."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a map is drawn from."""

    vectors: Floats
    graph: sp.csr_matrix
    seconds: float
    """Of processor time that it took."""


class Sources:
    """The four things to draw a map from, made when they are asked for."""

    def __init__(self, text: Floats, links: Links, parameters: Parameters) -> None:
        self._text, self._links, self._parameters = text, links, parameters
        n = len(text)
        self._none = sp.csr_matrix((n, n), dtype=np.float32)
        self._unlinked = Links(self._none, sp.csr_matrix((n, 0), dtype=np.float32))

    @cached_property
    def text(self) -> Source:
        """Texts alone."""
        return self._source(lambda: with_link_vectors(self._text, self._unlinked, self._parameters), self._none)

    @cached_property
    def links(self) -> Source:
        """Citations and shared references alone: neighbours by the vectors that papers without text get, and citations."""
        blank = np.zeros((len(self._text), 1), np.float32)
        return self._source(lambda: with_link_vectors(blank, self._links, self._parameters), self._links.direct)

    @cached_property
    def citations(self) -> Source:
        """Nothing but the citations among the papers of the map, from the same start as `links`."""
        begun = time.process_time()
        n = len(self._text)
        nobody = np.zeros((n, 0), np.int32), np.zeros((n, 0), np.float32)
        graph = fuse(*nobody, self._links.direct, self._parameters)
        return Source(self.links.vectors, graph, time.process_time() - begun)

    @cached_property
    def both(self) -> Source:
        """Ours: texts smoothed over citations, and the citations."""

        def vectors() -> Floats:
            smoothed = smooth(self._text, self._links, self._parameters)
            return with_link_vectors(smoothed, self._links, self._parameters)

        return self._source(vectors, self._links.direct)

    def _source(self, make: Callable[[], Floats], citations: sp.csr_matrix) -> Source:
        begun = time.process_time()
        vectors = make()
        neighbours, distances = nearest(vectors, min(self._parameters.neighbours, len(vectors) - 1))
        graph = fuse(neighbours, memberships(distances), citations, self._parameters)
        return Source(vectors, graph, time.process_time() - begun)


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a map is drawn."""

    source: Callable[[], Source] | None
    """None for what is drawn from nothing."""
    draw: Callable[[Source, Parameters], Floats]
    slow: bool = False


def drawings(sources: Sources) -> dict[str, Drawing]:
    """The maps that are compared, by name; ours is the last one."""
    return {
        "random": Drawing(None, _random),
        "text, unpolished": Drawing(lambda: sources.text, _unpolished),
        "text": Drawing(lambda: sources.text, _ours),
        "text, umap-learn": Drawing(lambda: sources.text, _umap_learn, slow=True),
        "links, unpolished": Drawing(lambda: sources.links, _unpolished),
        "links": Drawing(lambda: sources.links, _ours),
        "citations, unpolished": Drawing(lambda: sources.citations, _unpolished),
        "citations": Drawing(lambda: sources.citations, _ours),
        "citations, DrL": Drawing(lambda: sources.citations, _drl, slow=True),
        "ours by DrL": Drawing(lambda: sources.both, _drl, slow=True),
        "ours by openTSNE": Drawing(lambda: sources.both, _opentsne, slow=True),
        "ours by umap-learn": Drawing(lambda: sources.both, _ours_by_umap, slow=True),
        "ours, start": Drawing(lambda: sources.both, _start),
        "ours, unpolished": Drawing(lambda: sources.both, _unpolished),
        OURS: Drawing(lambda: sources.both, _ours),
    }


def warm_up(parameters: Parameters) -> None:
    """Have everything compiled that our engine compiles: it is told apart from the seconds of the maps."""
    random_vectors = np.random.default_rng(0).normal(size=(200, 8)).astype(np.float32)
    vectors = random_vectors / np.linalg.norm(random_vectors, axis=1, keepdims=True)
    neighbours, distances = nearest(vectors, 15)
    nobody = sp.csr_matrix((200, 200), dtype=np.float32)
    embed(fuse(neighbours, memberships(distances), nobody, parameters), vectors, parameters)


def drawn(drawing: Drawing, parameters: Parameters, papers: int) -> tuple[Floats, float]:
    """A map in the unit square, float32 (n, 2), and the seconds of processor time that it took from the text vectors on."""
    nothing = Source(np.zeros((papers, 1), np.float32), sp.csr_matrix((papers, papers)), 0.0)
    source = drawing.source() if drawing.source else nothing
    begun = time.process_time()
    xy = drawing.draw(source, parameters)
    return xy, source.seconds + time.process_time() - begun


def _random(source: Source, _: Parameters) -> Floats:
    return np.random.default_rng(1).random((len(source.vectors), 2), dtype=np.float32)


def _start(source: Source, parameters: Parameters) -> Floats:
    return fit_to_square(principal_axes(source.vectors, parameters.seed))


def _ours(source: Source, parameters: Parameters) -> Floats:
    return embed(source.graph, source.vectors, parameters)


def _unpolished(source: Source, parameters: Parameters) -> Floats:
    return embed(source.graph, source.vectors, dataclasses.replace(parameters, polish=0))


def _ours_by_umap(source: Source, parameters: Parameters) -> Floats:
    return embed(source.graph, source.vectors, dataclasses.replace(parameters, engine="umap", polish=0))


def _umap_learn(source: Source, parameters: Parameters) -> Floats:
    """umap-learn as it is used: its own neighbours by cosine, its own graph, our start."""
    import umap

    start = principal_axes(source.vectors, parameters.seed)
    fitted = umap.UMAP(
        n_neighbors=parameters.neighbours,
        min_dist=parameters.min_dist,
        n_epochs=parameters.epochs,
        metric="cosine",
        init=start,
        random_state=parameters.seed,
        n_jobs=1,
    ).fit_transform(source.vectors)
    return fit_to_square(np.asarray(fitted, np.float32))


def _drl(source: Source, parameters: Parameters) -> Floats:
    """DrL (OpenOrd) of igraph, by its defaults; it starts at random."""
    upper = sp.triu(source.graph, 1).tocoo()
    graph = igraph.Graph(n=source.graph.shape[0], edges=np.stack([upper.row, upper.col], 1))
    igraph.set_random_number_generator(random.Random(parameters.seed))  # noqa: S311  reproducible, not secret
    placed = graph.layout_drl(weights=upper.data.astype(float).tolist())
    return fit_to_square(np.array(placed.coords, np.float32))


def _opentsne(source: Source, parameters: Parameters) -> Floats:
    """By openTSNE, from our start: 250 iterations of early exaggeration by 12, then 500."""
    from openTSNE import TSNEEmbedding
    from openTSNE.affinity import PrecomputedAffinities

    start = principal_axes(source.vectors, parameters.seed).astype(np.float64)
    affinities = PrecomputedAffinities(sp.csr_matrix(source.graph / source.graph.sum()))
    placed = TSNEEmbedding(
        start / start[:, 0].std() * 1e-4,
        affinities,
        negative_gradient_method="fft" if len(start) > _FEW else "bh",
        n_jobs=parameters.threads,
        random_state=parameters.seed,
        learning_rate="auto",
    )
    placed = placed.optimize(n_iter=250, exaggeration=12, momentum=0.5)
    placed = placed.optimize(n_iter=500, momentum=0.8)
    return fit_to_square(np.asarray(placed, np.float32))
