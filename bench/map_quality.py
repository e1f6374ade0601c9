"""How true a map is: held-out citations, areas and texts, for our map and for maps drawn from less.

    python bench/map_quality.py [FILE | DATA DIRECTORY]      default: openalex-small.jsonl.gz of the shared records

One citation in ten is hidden (never the last link of a paper); everything sees the rest alone. All maps hold the same papers and are
drawn by the same engine, so that only what they are drawn from differs; the last one is ours by umap-learn, as a check of the
engine, and most of its seconds are compilation.

auc       chance that a paper is nearer to one it cites (a hidden citation) than to a random one
hits@10   share of hidden citations whose cited paper is among the ten nearest of the citing one; hits@1% likewise
area      share of papers whose first area is the most frequent one among their ten nearest
text@15   share of the 15 nearest by text that are among the 15 nearest on the map
cover     share of the cells of a 64 x 64 grid that hold a paper
"""

from __future__ import annotations

import dataclasses
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from corpus.store import Store
from corpus.stores import open_store
from ingest.run import ingest
from layout.arrays import Corpus, read_corpus
from layout.eligibility import judge
from layout.embedding import embed, fit_to_square, principal_axes
from layout.parameters import Parameters
from layout.quality import measure
from layout.similarity import fuse, memberships, nearest
from layout.smoothing import Links, links_of, smooth, with_link_vectors
from layout.text_vectors import reduce, texts_of, weigh_terms

SHARED = Path(os.environ.get("PAPERATLAS_SHARED", Path(__file__).resolve().parents[1].parent / "shared"))
HIDDEN = 0.1
"""Share of the citations that is hidden."""

Floats = NDArray[np.float32]
Pairs = NDArray[np.int64]


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    """The store of a data directory, or a new one with the records of a file."""
    with tempfile.TemporaryDirectory() as made:
        data = path if path.is_dir() else Path(made)
        store = open_store("sqlite", data, create=not path.is_dir())
        if not path.is_dir():
            ingest([path], store, data)
        yield store
        store.close()


def hide(corpus: Corpus, rows: NDArray[np.int64], seed: int = 0) -> tuple[Corpus, Pairs]:
    """Take one in ten of the citations among the papers `rows` away, from both directions; return what is left, and the pairs.

    Pairs are int64 (h, 2), positions in `rows`, citing first.
    """
    at = np.full(corpus.nodes, -1, np.int64)
    at[rows] = np.arange(len(rows))
    pairs = np.stack([at[corpus.citing], at[corpus.cited]], 1)
    inner = np.flatnonzero((pairs >= 0).all(axis=1))
    degree = np.bincount(pairs[inner].ravel(), minlength=len(rows))
    hidden: set[tuple[int, int]] = set()
    wanted = round(HIDDEN * len(inner))
    for one in np.random.default_rng(seed).permutation(inner):
        low, high = sorted(pairs[one].tolist())
        if len(hidden) == wanted:
            break
        if (low, high) not in hidden and degree[low] > 1 and degree[high] > 1:
            hidden.add((low, high))
            degree[[low, high]] -= 1
    gone = np.array([(min(pair), max(pair)) in hidden for pair in pairs.tolist()], bool)
    left = dataclasses.replace(corpus, citing=corpus.citing[~gone], cited=corpus.cited[~gone])
    return left, pairs[gone]


def hits(xy: Floats, hidden: Pairs) -> tuple[float, float]:
    """Share of hidden citations whose target is among the ten nearest, and among the nearest hundredth."""
    far = np.linalg.norm(xy[hidden[:, 0]] - xy[hidden[:, 1]], axis=1)
    nearer = cKDTree(xy).query_ball_point(xy[hidden[:, 0]], far * (1 - 1e-6), return_length=True) - 1
    return float(np.mean(nearer < 10)), float(np.mean(nearer < 0.01 * len(xy)))


def drawn(vectors: Floats, citations: sp.csr_matrix, parameters: Parameters) -> Floats:
    """A map of these vectors and citations by our engine, in map units."""
    neighbours, distances = nearest(vectors, min(parameters.neighbours, len(vectors) - 1))
    return embed(fuse(neighbours, memberships(distances), citations, parameters), vectors, parameters)


def maps(text: Floats, links: Links, parameters: Parameters) -> dict[str, Callable[[], Floats]]:
    """The maps that are compared, by name."""
    k = len(text)
    nothing = sp.csr_matrix((k, k), dtype=np.float32)
    unlinked = Links(nothing, sp.csr_matrix((k, 0), dtype=np.float32))
    both = with_link_vectors(smooth(text, links, parameters), links, parameters)
    linked = with_link_vectors(np.zeros((k, 1), np.float32), links, parameters)
    return {
        "random": lambda: np.random.default_rng(1).random((k, 2), dtype=np.float32),
        "text only": lambda: drawn(with_link_vectors(text, unlinked, parameters), nothing, parameters),
        "citations only": lambda: drawn(linked, links.direct, parameters),
        "ours, start": lambda: fit_to_square(principal_axes(both, parameters.seed)),
        "ours": lambda: drawn(both, links.direct, parameters),
        "ours, umap-learn": lambda: drawn(both, links.direct, dataclasses.replace(parameters, engine="umap")),
    }


def report(corpus: Corpus, parameters: Parameters) -> None:
    """Print the table of one corpus."""
    terms = weigh_terms(texts_of(corpus.titles, corpus.abstracts))
    rows = np.flatnonzero(judge(corpus, np.diff(terms.indptr).astype(np.int32), parameters).placeable)
    left, hidden = hide(corpus, rows)
    if len(hidden) < 10:
        sys.exit(f"only {len(hidden)} citations could be hidden: too few to measure anything")
    text = reduce(terms[rows], parameters.dimensions, parameters.seed)
    similar, _ = nearest(text, min(15, len(rows) - 1))
    areas = [corpus.areas[row][0] if corpus.areas[row] else None for row in rows]
    shape = (len(rows), len(rows))
    pairs = sp.csr_matrix((np.ones(len(hidden), np.float32), (hidden[:, 0], hidden[:, 1])), shape=shape)
    print(f"{len(rows):,} papers on the map, {len(hidden):,} citations hidden")
    print(f"{'map':<18}{'auc':>7}{'hits@10':>9}{'hits@1%':>9}{'area':>7}{'text@15':>9}{'cover':>7}{'seconds':>9}")
    for name, draw in maps(text, links_of(left, rows, parameters.hub), parameters).items():
        begun = time.monotonic()
        xy = draw()
        seconds = time.monotonic() - begun
        figures = measure(xy, pairs.maximum(pairs.T).tocsr(), areas, similar, 0)
        ten, hundredth = hits(xy, hidden)
        cells = (
            _cell(figures["citation_auc_seen"], 7),  # of the citations handed over: here those that nobody has seen
            _cell(ten, 9),
            _cell(hundredth, 9),
            _cell(figures["area_accuracy_10"], 7),
            _cell(figures["neighbour_recall_15"], 9),
            _cell(figures["coverage_64"], 7),
        )
        print(f"{name:<18}{''.join(cells)}{seconds:>9.1f}")


def _cell(value: float | None, width: int) -> str:
    return f"{'-' if value is None else f'{value:.3f}':>{width}}"


def main() -> None:
    """Measure the corpus that is named."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "openalex" / "openalex-small.jsonl.gz"
    if not path.exists():
        sys.exit(f"{path} does not exist")
    with opened(path) as store:
        corpus = read_corpus(store)
    report(corpus, Parameters())


if __name__ == "__main__":
    main()
