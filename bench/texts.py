"""The text stage of the layout on a corpus of the bench, or its stand-in where the corpus has term counts and no texts."""

from __future__ import annotations

from typing import Final

import numpy as np
import scipy.sparse as sp

from bench.corpora import Given
from layout.measures import Ints
from layout.text_vectors import MAX_TERMS, texts_of, weigh_terms
from layout.unit_rows import unit_sparse_rows

_LEAST: Final = 5
_MOST: Final = 0.25


def weighed(given: Given, rows: Ints | None = None, workers: int = 1) -> sp.csr_matrix:
    """TF-IDF of the papers `rows` (None: of all), float32 (n, terms), rows of unit length; by some `workers` (`weigh_terms`)."""
    rows = np.arange(given.corpus.n) if rows is None else rows
    if given.counts is None:
        titles, abstracts = ([column[row] for row in rows] for column in (given.corpus.titles, given.corpus.abstracts))
        return weigh_terms(texts_of(titles, abstracts), workers)
    counts = given.counts[rows]
    papers = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = np.flatnonzero((papers >= _LEAST) & (papers <= _MOST * counts.shape[0]))
    kept = np.sort(kept[np.argsort(-papers[kept], kind="stable")][:MAX_TERMS])
    terms = counts[:, kept].tocsr()
    terms.data = 1 + np.log(terms.data)
    rarity = np.log((1 + counts.shape[0]) / (1 + papers[kept])) + 1
    return unit_sparse_rows(terms @ sp.diags(rarity.astype(np.float32)))
