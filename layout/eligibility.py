"""Who can be placed, and why each other paper cannot: the policy, with every test's outcome.

A *candidate* passes the tests that need no neighbours (status, kind, reference list). A candidate is placed when it has a signal:
a *link* (a citation in either direction with another candidate), a *shared reference* (a work that is not a candidate, with or
without a record, and that another candidate cites too), or *usable text* (terms that the corpus's vocabulary knows).
Candidates without a signal take none from others when they go, so one pass is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpus.model import Status
from corpus.reasons import Policy, Reason
from layout.arrays import UNKNOWN, Corpus
from layout.parameters import Parameters

Bools = NDArray[np.bool_]
PARATEXT: Final = frozenset({"paratext"})
"""Types of records that are no papers: covers, tables of contents, mastheads."""


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Every paper's tests, (n,) each."""

    placeable: Bools
    listed: Bools
    """Has a reference list that is not empty."""
    linked: Bools
    shared: NDArray[np.int32]
    """int32: its references that another candidate shares and that are not candidates themselves."""
    worded: Bools
    """Has usable text."""
    known_terms: NDArray[np.int32]
    candidate: Bools
    reasons: list[tuple[Reason, ...]]
    """The binding one first; empty where placeable."""


def judge(corpus: Corpus, known_terms: NDArray[np.int32], parameters: Parameters) -> Eligibility:
    """Apply the policy. `known_terms` is int32 (n,): distinct terms of each text that the vocabulary knows."""
    withdrawn = np.array([status == Status.WITHDRAWN.value for status in corpus.statuses], bool)
    paratext = np.array([kind in PARATEXT for kind in corpus.types], bool)
    listed = corpus.resolved > 0
    allowed = {
        Policy.REFERENCES: listed,
        Policy.LINKS: listed | (corpus.citations > 0),
        Policy.SIGNALS: np.ones(corpus.n, bool),
    }[parameters.policy]
    candidate = allowed & ~withdrawn & ~paratext
    linked, shared = _signals(corpus, candidate)
    worded = known_terms >= parameters.terms
    placeable = candidate & (linked | (shared > 0) | worded)
    eligibility = Eligibility(placeable, listed, linked, shared, worded, known_terms, candidate, [])
    for row in range(corpus.n):
        eligibility.reasons.append(() if placeable[row] else _reasons(corpus, eligibility, row))
    return eligibility


def _signals(corpus: Corpus, candidate: Bools) -> tuple[Bools, NDArray[np.int32]]:
    """Which candidates have a link, and how many shared references each has."""
    node = np.zeros(corpus.nodes, bool)
    node[: corpus.n] = candidate
    ours = node[corpus.citing]
    both = ours & node[corpus.cited]
    linked = np.zeros(corpus.n, bool)
    linked[corpus.citing[both]] = True
    linked[corpus.cited[both]] = True
    outward = ours & ~node[corpus.cited]
    times = np.bincount(corpus.cited[outward], minlength=corpus.nodes)
    sharing = outward & (times[corpus.cited] > 1)
    return linked, np.bincount(corpus.citing[sharing], minlength=corpus.n).astype(np.int32)


def _reasons(corpus: Corpus, tests: Eligibility, row: int) -> tuple[Reason, ...]:
    found: list[Reason] = []
    if corpus.statuses[row] == Status.WITHDRAWN.value:
        found.append(Reason.WITHDRAWN)
    if corpus.types[row] in PARATEXT:
        found.append(Reason.NOT_A_PAPER)
    if not tests.candidate[row] and not tests.listed[row]:
        found.append(_list_state(corpus, row))
    if tests.candidate[row]:
        outside = corpus.resolved[row] > 0 and corpus.inside[row] == 0
        found.append(Reason.REFERENCES_OUTSIDE_CORPUS if outside else Reason.NO_LINKS)
    elif corpus.inside[row] <= 0 and corpus.citations[row] == 0:
        found.append(Reason.NO_LINKS)
    if not tests.worded[row]:
        found.append(Reason.NO_USABLE_TEXT)
    return tuple(found)


def _list_state(corpus: Corpus, row: int) -> Reason:
    """What is wrong with a reference list that gives no reference."""
    if corpus.parsed[row] == UNKNOWN:
        return Reason.NO_REFERENCE_LIST
    if corpus.parsed[row] > 0 or corpus.declared[row] > 0:
        return Reason.REFERENCES_UNRESOLVED
    return Reason.REFERENCE_LIST_EMPTY
