"""The corpora that maps are measured on, by name, with labels that no map sees (docs/map-quality.md)."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from corpus.errors import AtlasError
from corpus.store import Store
from corpus.stores import open_store
from ingest.run import ingest
from layout.arrays import UNKNOWN, Corpus, read_corpus
from layout.measures import Ints
from layout.quality import numbered

SHARED: Final = Path(os.environ.get("PAPERATLAS_SHARED", Path(__file__).resolve().parents[1].parent / "shared"))
"""Real records, never part of the project."""


class Absent(AtlasError):
    """The files of a corpus are not here."""


@dataclass(frozen=True, slots=True)
class Given:
    """A corpus and what is known of it beside."""

    name: str
    corpus: Corpus
    labels: Mapping[str, Ints]
    """By name: int64 (n,), -1 for unknown; the first one is the areas that citations are compared inside of."""
    topics: Ints | None = None
    """int64 (n, levels): the topics that a synthetic corpus was made from, coarsest first."""
    counts: sp.csr_matrix | None = None
    """Term counts (n, terms) where there are no texts."""
    note: str = field(default="")
    """What speaks for or against the labels."""


def arrays(
    ids: Sequence[str],
    titles: Sequence[str | None],
    abstracts: Sequence[str | None],
    areas: Sequence[tuple[str, ...]],
    years: NDArray[np.int32],
    pairs: Ints,
) -> Corpus:
    """A corpus out of columns. `pairs` is int64 (m, 2), citing and cited; numbers from n up are works without a record."""
    n = len(ids)
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    inner = pairs[:, 1] < n
    listed = np.bincount(pairs[:, 0], minlength=n).astype(np.int32)
    known = np.where(listed > 0, listed, UNKNOWN).astype(np.int32)
    return Corpus(
        ids=[(one,) for one in ids],
        titles=list(titles),
        abstracts=list(abstracts),
        areas=list(areas),
        languages=[None] * n,
        types=[None] * n,
        statuses=["normal"] * n,
        years=years,
        declared=known,
        parsed=known,
        resolved=known,
        citations=np.bincount(pairs[inner, 1], minlength=n).astype(np.int32),
        inside=np.bincount(pairs[inner, 0], minlength=n).astype(np.int32),
        citing=pairs[:, 0].astype(np.int32),
        cited=pairs[:, 1].astype(np.int32),
        nodes=int(max(n, pairs[:, 1].max(initial=-1) + 1)),
    )


def with_stubs(ids: Sequence[str], references: Sequence[Sequence[str]]) -> Ints:
    """Citations by number, int64 (m, 2): works without a record that two papers or more cite are numbered from n up, others left out."""
    at = {one: row for row, one in enumerate(ids)}
    times: dict[str, int] = {}
    for cited in references:
        for one in set(cited) - at.keys():
            times[one] = times.get(one, 0) + 1
    for one in sorted(one for one, citers in times.items() if citers > 1):
        at[one] = len(at)
    pairs = [(row, at[one]) for row, cited in enumerate(references) for one in cited if one in at]
    return np.array(pairs, np.int64).reshape(-1, 2)


def from_records(name: str, path: Path) -> Given:
    """The records of a file, or the store of a data directory; the label is the first area."""
    if not path.exists():
        raise Absent(f"{path} does not exist")
    with _opened(path) as store:
        corpus = read_corpus(store)
    labels = {"area": numbered([areas[0] if areas else None for areas in corpus.areas])}
    if path.is_file() and name.startswith("openalex"):
        labels |= _more_labels(path, corpus)
    return Given(
        name,
        corpus,
        labels,
        note="OpenAlex made area and topic out of titles and abstracts; the journal is nobody's input",
    )


@contextmanager
def _opened(path: Path) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as made:
        data = path if path.is_dir() else Path(made)
        store = open_store("sqlite", data, create=not path.is_dir())
        if not path.is_dir():
            ingest([path], store, data)
        yield store
        store.close()


def _more_labels(path: Path, corpus: Corpus) -> dict[str, Ints]:
    """The best concept of level 2, and the journal, of OpenAlex works as they were before 2025."""
    topics: dict[str, str] = {}
    journals: dict[str, str] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            work: dict[str, Any] = json.loads(line)
            address = f"openalex:{work['id'].rsplit('/', 1)[-1]}"
            concepts = [one for one in work.get("concepts") or () if one["level"] == 2]
            if concepts:
                topics[address] = max(concepts, key=lambda one: (float(one["score"] or 0), one["display_name"]))[
                    "display_name"
                ]
            if journal := (work.get("host_venue") or {}).get("display_name"):
                journals[address] = journal
    return {
        label: numbered([next((of[one] for one in ids if one in of), None) for ids in corpus.ids])
        for label, of in (("topic", topics), ("journal", journals))
    }


def open_corpus(name: str, named: Mapping[str, Callable[[], Given]]) -> Given:
    """The corpus of this name, or of this file or data directory. Raises `Absent`."""
    return named[name]() if name in named else from_records(name, Path(name))
