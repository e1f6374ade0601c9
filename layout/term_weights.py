"""How much each term says of each paper: TF-IDF, bit for bit what scikit-learn's `TfidfTransformer(sublinear_tf=True)` gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.term_counts import Longs, Terms, count
from layout.words import Ints

_INT32: Final = 2**31 - 1


def rarity(papers: Longs, n: int) -> NDArray[np.float32]:
    """Inverse document frequency, smoothed: float32 (k,) of terms that `papers`, int64 (k,), of n papers have."""
    having = papers.astype(np.float32)
    having += 1.0
    scarce = np.full_like(having, n + 1)
    scarce /= having
    np.log(scarce, out=scarce)
    scarce += 1.0
    return scarce


def weigh(words: Ints, ends: Longs, codes: Longs, weights: NDArray[np.float32], width: int) -> sp.csr_matrix:
    """(1 + log of how often) times the weight of the term, float32 (n, k), rows of unit length; arguments as those of `count`."""
    matrix = count(words, ends, codes, width)
    np.log(matrix.data, out=matrix.data)
    matrix.data += 1.0
    matrix.data *= weights[matrix.indices]
    rows = np.repeat(np.arange(len(ends)), np.diff(matrix.indptr))
    length = np.sqrt(np.bincount(rows, weights=matrix.data * matrix.data, minlength=len(ends)))
    matrix.data = (matrix.data / length[rows]).astype(np.float32)
    return matrix


def stacked(parts: Iterable[sp.csr_matrix], n: int, terms: Terms) -> sp.csr_matrix:
    """The parts of n rows in all, one below the other: there is no second copy of them at any time."""
    cells = int(terms.papers.sum())
    index = np.int32 if cells <= _INT32 else np.int64
    indptr, indices, data = np.zeros(n + 1, index), np.empty(cells, index), np.empty(cells, np.float32)
    row = cell = 0
    for part in parts:
        indptr[row + 1 : row + 1 + part.shape[0]] = cell + part.indptr[1:]
        indices[cell : cell + part.nnz], data[cell : cell + part.nnz] = part.indices, part.data
        row, cell = row + part.shape[0], cell + part.nnz
    return sp.csr_matrix((data, indices, indptr), shape=(n, len(terms.codes)))
