"""What the text stage gives, written as plainly as it can be: one text after the other, every term spelt, scikit-learn's weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

WORD = re.compile(r"[^\W\d_][\w-]*[^\W_]")
SPACELESS = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003134f]+")


def plain_words(text: str) -> list[str]:
    """The words of a text."""
    found = [word for word in WORD.findall(SPACELESS.sub(" ", text.lower())) if says_something(word)]
    return found + [run[at : at + 2] for run in SPACELESS.findall(text) for at in range(len(run) - 1)]


def says_something(word: str) -> bool:
    """Whether a word is a term."""
    korean = "\uac00" <= word[0] <= "\ud7a3"
    return (len(word) > 2 or korean) and word not in ENGLISH_STOP_WORDS


def plain_terms(text: str) -> list[str]:
    """Its words and pairs of words."""
    found = plain_words(text)
    return found + [f"{left} {right}" for left, right in pairwise(found)]


def plain_weights(texts: Sequence[str], limit: int = 60_000) -> sp.csr_matrix:
    """TF-IDF, float32 (n, terms), columns of each row ascending."""
    n = len(texts)
    vectorizer = TfidfVectorizer(
        analyzer=plain_terms,
        sublinear_tf=True,
        min_df=1 if n < 20 else 2 if n < 100 else 3 if n < 20_000 else 5,
        max_df=1.0 if n < 100 else 0.25,
        max_features=limit,
        dtype=np.float32,
    )
    try:
        matrix: sp.csr_matrix = vectorizer.fit_transform(texts)
    except ValueError:
        return sp.csr_matrix((n, 0), dtype=np.float32)
    matrix.sort_indices()
    return matrix


def same_bits(one: sp.csr_matrix, other: sp.csr_matrix) -> bool:
    """Whether two matrices are the same, to the last bit."""
    parts = ((one.indptr, other.indptr), (one.indices, other.indices), (one.data, other.data))
    return one.shape == other.shape and one.dtype == other.dtype and all(np.array_equal(a, b) for a, b in parts)
