"""Titles and abstracts to vectors: TF-IDF, then a truncated SVD (latent semantic analysis)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.utils.extmath import randomized_svd

from layout.notices import telling
from layout.term_counts import Chunk, Terms, common_words, most_frequent, tally
from layout.term_weights import rarity, stacked, weigh
from layout.unit_rows import unit_rows
from layout.words import read
from layout.workers import Spread, crew

T = TypeVar("T")

MAX_TERMS: Final = 60_000
_LARGE: Final = 20_000
"""Papers from which on a term needs five of them instead of three."""
_TOO_COMMON: Final = 0.25
"""Share of the papers from which on a term tells nothing; not applied to small corpora."""
_SMALL: Final = 100
_CHUNK: Final = 10_000
"""Papers whose texts are looked at together, whoever does it."""
_WORTH: Final = 50_000
"""Papers from which on more processes pay: to start them takes one to two seconds, to read so many texts alone five."""
_SAMPLE: Final = 100_000
"""Papers that the SVD learns from, at most."""
_BLOCK: Final = 10_000
"""Papers whose vectors are made at once."""


class Texts(Sequence[str]):
    """Texts of n papers, put together when they are asked for: a second copy of all abstracts would take a gigabyte a million."""

    def __init__(self, titles: Sequence[str | None], abstracts: Sequence[str | None], times: int = 1) -> None:
        """`times` is how often the title stands in a text."""
        if len(titles) != len(abstracts):
            raise ValueError(f"{len(titles)} titles and {len(abstracts)} abstracts")
        self._titles, self._abstracts, self._times = titles, abstracts, times

    def __len__(self) -> int:
        return len(self._titles)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        title, abstract = telling(self._titles[at], self._abstracts[at])
        return ". ".join(part for part in (*[title] * self._times, abstract) if part)


def texts_of(titles: Sequence[str | None], abstracts: Sequence[str | None]) -> Texts:
    """Title twice and abstract once, notices left out: a title says more about its paper in fewer words."""
    return Texts(titles, abstracts, 2)


def words(text: str) -> list[str]:
    """Words of three letters or more in lower case, and pairs of characters of scripts without spaces."""
    found = read([text], ENGLISH_STOP_WORDS)
    return [found.words[place] for place in found.places]


def weigh_terms(
    texts: Sequence[str],
    workers: int = 1,
    cluster: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> sp.csr_matrix:
    """TF-IDF of words and pairs of words, float32 (n, terms), rows of unit length; (n, 0) where there is no vocabulary.

    The same bits for any number of `workers`, processes and threads of this machine, and on a Dask `cluster` (`layout.workers.crew`,
    which says what is raised). `progress` takes the share that is done.
    """
    with crew(workers if len(texts) >= _WORTH else 1, cluster) as spread:
        return weigh_terms_by(spread, texts, workers, progress)


def weigh_terms_by(
    spread: Spread,
    texts: Sequence[str],
    threads: int = 1,
    progress: Callable[[float], None] = lambda _: None,
    size: int = _CHUNK,
) -> sp.csr_matrix:
    """The same, the work being spread by `spread`, `size` papers at a time; that changes no bit either.

    Words are read chunk by chunk; then terms are counted, here; then every chunk is looked at again. Beside the texts, this takes about
    1 kB a paper with an abstract of 1 kB, the result included, and 200 MB.
    """
    n = len(texts)
    least, most = (1 if n < 20 else 2, float(n)) if n < _SMALL else (3 if n < _LARGE else 5, _TOO_COMMON * n)
    starts = range(0, n, size)
    taken = ((np.array(texts[at : at + size], object),) for at in starts)
    readings = spread(read, taken, tuple(sorted(ENGLISH_STOP_WORDS)))
    chunks, times = common_words(_told(readings, len(starts), lambda done: progress(0.5 * done)), least)
    found = []
    for done, terms in tally(chunks, times, least, most, threads):
        found.append(terms)
        progress(0.5 + 0.3 * done)
    terms = most_frequent(Terms.together(found), MAX_TERMS)
    parts = spread(weigh, _given_away(chunks), terms.codes, rarity(terms.papers, n), len(times))
    return stacked(_told(parts, len(starts), lambda done: progress(0.8 + 0.2 * done)), n, terms)


def _told(parts: Iterable[T], many: int, tell: Callable[[float], None]) -> Iterator[T]:
    for at, part in enumerate(parts, 1):
        yield part
        tell(at / many)


def _given_away(chunks: list[Chunk]) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """The chunks, each forgotten when it is taken."""
    chunks.reverse()
    while chunks:
        chunk = chunks.pop()
        yield chunk.words, chunk.ends


def reduce(matrix: sp.csr_matrix, dimensions: int, seed: int, threads: int = 1) -> NDArray[np.float32]:
    """Truncated SVD: float32 (n, d), d <= dimensions, rows of unit length; a row of zeros stays one.

    Above 100,000 rows it is learned from as many, drawn by the seed, and applied to all, on some `threads`, which change no bit.
    """
    n, terms = matrix.shape
    seen = matrix if n <= _SAMPLE else matrix[_drawn(n, seed)]
    rank = min(dimensions, seen.shape[0] - 1, terms - 1)
    if rank < 1:
        return unit_rows(matrix.toarray()) if 0 < terms <= dimensions else np.zeros((n, 1), np.float32)
    left, strength, right = randomized_svd(seen, rank, n_iter=4, random_state=seed, flip_sign=False)
    signs = np.sign(right[np.arange(rank), np.abs(right).argmax(axis=1)])
    if seen is matrix:
        vectors = left * (strength * signs)
        vectors[np.diff(matrix.indptr) == 0] = 0  # what rounding leaves there would be scaled up to a direction
        return unit_rows(vectors)
    return _applied(np.ascontiguousarray((right * signs[:, None]).T, np.float32), matrix, threads)


def _drawn(n: int, seed: int) -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(seed).choice(n, _SAMPLE, replace=False))


def _applied(axes: NDArray[np.float32], matrix: sp.csr_matrix, threads: int) -> NDArray[np.float32]:
    """Unit rows of matrix (n, terms) @ axes (terms, d), a block at a time: a product of all would be there three times over."""
    vectors = np.empty((matrix.shape[0], axes.shape[1]), np.float32)

    def fill(at: int) -> None:
        vectors[at : at + _BLOCK] = unit_rows(matrix[at : at + _BLOCK] @ axes)

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(fill, range(0, len(vectors), _BLOCK)):
            pass  # what went wrong in a thread is raised here
    return vectors
