"""Rows of unit length."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def unit_rows(matrix: NDArray[np.floating]) -> NDArray[np.float32]:
    """Scale each row of (n, d) to Euclidean length 1, float32; a row of zeros stays one. n and d may be 0."""
    length = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None]
    scaled: NDArray[np.float32] = (matrix / np.where(length > 0, length, 1)).astype(np.float32)
    return scaled


def unit_sparse_rows(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """The same for a sparse matrix, float32 (n, d)."""
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = sp.diags((1 / np.where(length > 0, length, 1)).astype(np.float32))
    return (scale @ matrix).tocsr().astype(np.float32)
