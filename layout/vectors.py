"""Vectors of texts: latent semantic analysis of the corpus itself, or whatever function an operator names.

A plug-in is a function `texts -> float32 (n, d)`, named `package.module:function` in `layout.vectors`. It is given what can be read of
each paper, title and abstract, never an empty text, and returns a row for each in the same order. Rows are scaled to unit length; a
row of zeros says that nothing is known of a text. `layout.wordllama:vectors` is one that works without a network.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Final, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from corpus.errors import BadSetting
from layout.text_vectors import Texts, reduce
from layout.unit_rows import unit_rows

LSA: Final = "lsa"
"""The default: TF-IDF and a truncated SVD."""

Vectors = Callable[[list[str]], NDArray[np.float32]]


def vectors_of(
    name: str, texts: Sequence[str], terms: sp.csr_matrix, dimensions: int, seed: int, threads: int = 1
) -> NDArray[np.float32]:
    """Unit vectors float32 (k, d) of k texts; zeros for those that say nothing.

    `terms` are their TF-IDF rows (k, terms): a text without a known term gets no vector, whoever makes them. Raises `BadSetting` where
    the plug-in cannot be loaded, fails, or returns what is no finite float array of k rows.
    """
    if name == LSA:
        return reduce(terms, dimensions, seed, threads)
    said = np.flatnonzero(np.diff(terms.indptr) > 0)
    if not len(said):
        return np.zeros((len(texts), 1), np.float32)
    given = _asked(name, plug_in(name), [texts[at] for at in said.tolist()])
    result = np.zeros((len(texts), given.shape[1]), np.float32)
    largest = np.abs(given).max(axis=1, keepdims=True)  # squares of very large or small numbers are no numbers any more
    result[said] = unit_rows(given / np.where(largest > 0, largest, 1))
    return result


def plain_texts(titles: Sequence[str | None], abstracts: Sequence[str | None]) -> Texts:
    """What can be read of each paper: title and abstract without notices; "" for neither."""
    return Texts(titles, abstracts)


def plug_in(name: str) -> Vectors:
    """The function of that name. Raises `BadSetting`."""
    module, colon, function = name.partition(":")
    if not (colon and module and function):
        raise BadSetting(f"layout.vectors: '{name}' is neither {LSA} nor file:PATH nor package.module:function")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise BadSetting(f"layout.vectors: '{name}' cannot be loaded: {error}") from error
    if not callable(found):
        raise BadSetting(f"layout.vectors: '{name}' is no function")
    return cast("Vectors", found)


def _asked(name: str, function: Vectors, texts: list[str]) -> NDArray[np.float32]:
    try:
        given = np.asarray(function(list(texts)))
    except BadSetting:
        raise
    except Exception as error:
        raise BadSetting(f"layout.vectors: '{name}' failed: {type(error).__name__}: {error}") from error
    if given.ndim != 2 or len(given) != len(texts) or not given.shape[1] or given.dtype.kind != "f":
        raise BadSetting(
            f"layout.vectors: '{name}' returned {given.dtype} {given.shape} for {len(texts):,} texts; "
            "a float array with a row for each is needed"
        )
    with np.errstate(over="ignore"):
        given = given.astype(np.float32)
    bad = np.flatnonzero(~np.isfinite(given).all(axis=1))
    if len(bad):
        raise BadSetting(
            f"layout.vectors: '{name}' returned no finite numbers for {len(bad):,} texts, the first: {texts[bad[0]][:80]!r}"
        )
    return given
