"""The corpus as arrays: read once from the store, in an order that does not depend on the order of ingest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.store import Store, Stored

UNKNOWN = -1
"""Stands for None in the integer columns here; it never leaves the process."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Papers in order of address; row i is paper n = i. Nodes n and above are cited works without a record (stubs)."""

    ids: list[tuple[str, ...]]
    titles: list[str | None]
    abstracts: list[str | None]
    areas: list[tuple[str, ...]]
    languages: list[str | None]
    types: list[str | None]
    statuses: list[str]
    years: NDArray[np.int32]
    """int32 (n,), UNKNOWN where unknown."""
    declared: NDArray[np.int32]
    """int32 (n,): references that a source says there are, or UNKNOWN."""
    parsed: NDArray[np.int32]
    """int32 (n,): entries of the list, or UNKNOWN where none was obtained."""
    resolved: NDArray[np.int32]
    """int32 (n,): entries with an identifier, or UNKNOWN."""
    citations: NDArray[np.int32]
    """int32 (n,): papers of the corpus that cite it."""
    inside: NDArray[np.int32]
    """int32 (n,): references that are papers of the corpus."""
    citing: NDArray[np.int32]
    """int32 (m,): paper of each citation, self-citations left out, sorted."""
    cited: NDArray[np.int32]
    """int32 (m,): paper or stub."""
    nodes: int
    """Papers and stubs."""

    @property
    def n(self) -> int:
        """Papers."""
        return len(self.ids)


def read_corpus(store: Store) -> Corpus:
    """Read all papers and citations. Texts are kept once; records and reference lists are not kept at all."""
    columns = _Columns()
    for stored in store.stream():
        columns.add(stored)
    n = len(columns.numbers)
    citing, cited, nodes = _edges(store, np.array(columns.numbers, np.int64), n)
    return Corpus(
        ids=columns.ids,
        titles=columns.titles,
        abstracts=columns.abstracts,
        areas=columns.areas,
        languages=columns.languages,
        types=columns.types,
        statuses=columns.statuses,
        years=np.array(columns.years, np.int32),
        declared=np.array(columns.declared, np.int32),
        parsed=np.array(columns.parsed, np.int32),
        resolved=np.array(columns.resolved, np.int32),
        citations=np.array(columns.citations, np.int32),
        inside=np.array(columns.inside, np.int32),
        citing=citing,
        cited=cited,
        nodes=nodes,
    )


class _Columns:
    """The columns of `Corpus` while they are filled."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.ids: list[tuple[str, ...]] = []
        self.titles: list[str | None] = []
        self.abstracts: list[str | None] = []
        self.areas: list[tuple[str, ...]] = []
        self.languages: list[str | None] = []
        self.types: list[str | None] = []
        self.statuses: list[str] = []
        self.years: list[int] = []
        self.declared: list[int] = []
        self.parsed: list[int] = []
        self.resolved: list[int] = []
        self.citations: list[int] = []
        self.inside: list[int] = []

    def add(self, stored: Stored) -> None:
        """Append one paper."""
        paper = stored.paper
        self.numbers.append(stored.number)
        self.citations.append(stored.citations)
        self.inside.append(stored.references_in_corpus)
        self.ids.append(paper.ids)
        self.titles.append(paper.title)
        self.abstracts.append(paper.abstract)
        self.areas.append(paper.areas)
        self.languages.append(paper.language)
        self.types.append(paper.type)
        self.statuses.append(paper.status.value)
        self.years.append(UNKNOWN if paper.year is None else paper.year)
        self.declared.append(UNKNOWN if paper.references_declared is None else paper.references_declared)
        listed = paper.references
        self.parsed.append(UNKNOWN if listed is None else len(listed) + len(paper.unresolved))
        self.resolved.append(UNKNOWN if listed is None else len(listed))


def _edges(store: Store, numbers: NDArray[np.int64], n: int) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Citations by row; stubs that two papers or more cite come after the papers, in order of who cites them.

    Citations by papers that came in while the corpus was read are left for the next layout.
    """
    citing, cited = store.edges()
    top = int(max(citing.max(initial=0), cited.max(initial=0), numbers.max(initial=0))) + 1
    row = np.full(top, UNKNOWN, np.int64)
    row[numbers] = np.arange(n)
    held = row[citing] >= 0
    cited, source, target = cited[held], row[citing[held]], row[cited[held]]
    inner = (target >= 0) & (source != target)
    stubs, which = np.unique(cited[target < 0], return_inverse=True)
    sources = source[target < 0]
    rank = _rank_by_citers(which, sources, len(stubs))
    outer = rank[which] >= 0
    all_sources = np.concatenate([source[inner], sources[outer]])
    all_targets = np.concatenate([target[inner], n + rank[which][outer]])
    order = np.lexsort((all_targets, all_sources))
    return all_sources[order].astype(np.int32), all_targets[order].astype(np.int32), n + int((rank >= 0).sum())


def _rank_by_citers(which: NDArray[np.int64], sources: NDArray[np.int64], stubs: int) -> NDArray[np.int64]:
    """Number the stubs with two citers or more by their sorted citers; UNKNOWN for the rest.

    Store numbers depend on the order of ingest; who cites a stub does not, and stubs with the same citers are interchangeable.
    """
    order = np.lexsort((sources, which))
    begins = np.concatenate([[0], np.cumsum(np.bincount(which, minlength=stubs))]).astype(np.int64)
    packed = sources[order].astype(">u4")
    shared = [stub for stub in range(stubs) if begins[stub + 1] - begins[stub] > 1]
    shared.sort(key=lambda stub: packed[begins[stub] : begins[stub + 1]].tobytes())
    rank = np.full(stubs, UNKNOWN, np.int64)
    rank[shared] = np.arange(len(shared))
    return rank
