"""Titles and abstracts to vectors: TF-IDF, then a truncated SVD (latent semantic analysis)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.utils.extmath import randomized_svd

from layout.notices import telling
from layout.unit_rows import unit_rows

MAX_TERMS: Final = 60_000
_LARGE: Final = 20_000
"""Papers from which on a term needs five of them instead of three."""
_WORD: Final = re.compile(r"[^\W\d_][\w-]*[^\W_]")
_SPACELESS: Final = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003134f]+")
"""Scripts without spaces between words (Thai, Lao, Khmer, Chinese, Japanese): their pairs of characters are the terms."""
_TOO_COMMON: Final = 0.25
"""Share of the papers from which on a term tells nothing; not applied to small corpora."""
_SMALL: Final = 100


def texts_of(titles: Sequence[str | None], abstracts: Sequence[str | None]) -> list[str]:
    """Title twice and abstract once, notices left out: a title says more about its paper in fewer words."""
    both = (telling(title, abstract) for title, abstract in zip(titles, abstracts, strict=True))
    return [". ".join(part for part in (title, title, abstract) if part) for title, abstract in both]


def words(text: str) -> list[str]:
    """Words of three letters or more in lower case, and pairs of characters of scripts without spaces."""
    spaced = _SPACELESS.sub(" ", text.lower())
    found = [word for word in _WORD.findall(spaced) if _says_something(word)]
    found += [run[at : at + 2] for run in _SPACELESS.findall(text) for at in range(len(run) - 1)]
    return found


def _says_something(word: str) -> bool:
    """A Korean word of two syllables does; elsewhere it takes three letters."""
    korean = "\uac00" <= word[0] <= "\ud7a3"
    return (len(word) > 2 or korean) and word not in ENGLISH_STOP_WORDS


def weigh_terms(texts: Sequence[str]) -> sp.csr_matrix:
    """TF-IDF of words and pairs of words, float32 (n, terms), rows of unit length; (n, 0) where there is no vocabulary."""
    n = len(texts)
    least = 1 if n < 20 else 2 if n < _SMALL else 3 if n < _LARGE else 5
    vectorizer = TfidfVectorizer(
        analyzer=_terms,
        sublinear_tf=True,
        min_df=least,
        max_df=1.0 if n < _SMALL else _TOO_COMMON,
        max_features=MAX_TERMS,
        dtype=np.float32,
    )
    try:
        matrix: sp.csr_matrix = vectorizer.fit_transform(texts)
    except ValueError:  # scikit-learn's word for: no document has a term, or every term is too rare or too common
        return sp.csr_matrix((n, 0), dtype=np.float32)
    return matrix


def _terms(text: str) -> list[str]:
    single = words(text)
    return single + [f"{left} {right}" for left, right in pairwise(single)]


def reduce(matrix: sp.csr_matrix, dimensions: int, seed: int) -> NDArray[np.float32]:
    """Truncated SVD: float32 (n, d), d <= dimensions, rows of unit length; a row of zeros stays one."""
    n, terms = matrix.shape
    rank = min(dimensions, n - 1, terms - 1)
    if rank < 1:
        return unit_rows(matrix.toarray()) if 0 < terms <= dimensions else np.zeros((n, 1), np.float32)
    left, strength, right = randomized_svd(matrix, rank, n_iter=4, random_state=seed, flip_sign=False)
    signs = np.sign(right[np.arange(rank), np.abs(right).argmax(axis=1)])
    vectors: NDArray[np.float32] = unit_rows(left * (strength * signs))
    return vectors
