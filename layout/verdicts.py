"""What is told of each paper: its verdict, the counts behind it, the signals that its place rests on, and how firm they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpus.build import Evidence, Hint, Region
from corpus.hints import hint_of
from corpus.model import Status
from corpus.reasons import Mark, Reason
from layout.arrays import UNKNOWN, Corpus
from layout.eligibility import Eligibility
from layout.notices import telling
from layout.parameters import Parameters

WEAK: Final = 0.7
"""Mean similarity to the five nearest below which a place is marked as weak. Of 6,477 medical papers 3 % lie below; the ten nearest
on the map agree with the area of .17 of them, of .47 of all. On arXiv titles it is the lowest twentieth (.39 against .57 to .84)."""
_NEAREST: Final = 5


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Counts of each paper's neighbours, int32 (n,) each."""

    references_on_map: NDArray[np.int32]
    citers_on_map: NDArray[np.int32]


def count_neighbours(corpus: Corpus, placed: NDArray[np.bool_]) -> Neighbourhood:
    """Count the references and the citers of each paper that are on the map."""
    node = np.zeros(corpus.nodes, bool)
    node[: corpus.n] = placed
    inner = corpus.cited < corpus.n
    references = np.bincount(corpus.citing[node[corpus.cited]], minlength=corpus.n)
    citers = np.bincount(corpus.cited[inner & node[corpus.citing]], minlength=corpus.n)
    return Neighbourhood(references.astype(np.int32), citers.astype(np.int32))


def signals_of(tests: Eligibility, row: int) -> str:
    """What a placed paper's position rests on."""
    links = "citations" if tests.linked[row] else "references" if tests.shared[row] else ""
    return "+".join(part for part in ("text" if tests.worded[row] else "", links) if part)


def confidence(distances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean similarity to the five nearest, float32 (k,) in [0, 1], from distances float32 (k, neighbours) ascending."""
    if not distances.shape[1]:
        return np.zeros(len(distances), np.float32)
    mean: NDArray[np.float32] = np.clip(1 - distances[:, :_NEAREST].mean(axis=1), 0, 1).astype(np.float32)
    return mean


def marks_of(corpus: Corpus, row: int, firm: float | None) -> list[str]:
    """Marks on a paper; `firm` is its confidence, None where it is not placed."""
    marks = [Mark.RETRACTED.value] if corpus.statuses[row] == Status.RETRACTED.value else []
    return [*marks, Mark.WEAK_EVIDENCE.value] if firm is not None and firm < WEAK else marks


def evidence_of(
    corpus: Corpus,
    tests: Eligibility,
    around: Neighbourhood,
    row: int,
    reasons: Sequence[Reason],
    hint: Hint | None,
    parameters: Parameters,
) -> Evidence:
    """The counts behind one verdict."""
    listed = corpus.parsed[row] != UNKNOWN
    abstract = corpus.abstracts[row]
    return Evidence(
        references_declared=_known(corpus.declared[row]),
        references_parsed=_known(corpus.parsed[row]),
        references_resolved=_known(corpus.resolved[row]),
        references_in_corpus=int(corpus.inside[row]) if listed else None,
        references_on_map=int(around.references_on_map[row]) if listed else None,
        references_shared=int(tests.shared[row]) if tests.candidate[row] else None,
        citers_in_corpus=int(corpus.citations[row]),
        citers_on_map=int(around.citers_on_map[row]),
        abstract_characters=None if abstract is None else len(abstract),
        text=_text_state(corpus, tests, row),
        known_terms=int(tests.known_terms[row]),
        language=corpus.languages[row],
        status=corpus.statuses[row],
        reasons=tuple(reason.value for reason in reasons),
        passed=_passed(tests, row),
        hint=hint,
        thresholds={"known_terms": parameters.terms},
    )


def _known(count: np.int32) -> int | None:
    return None if count == UNKNOWN else int(count)


def _passed(tests: Eligibility, row: int) -> tuple[str, ...]:
    outcomes = (
        ("reference_list", tests.listed[row]),
        ("links", tests.linked[row]),
        ("shared_references", tests.shared[row] > 0),
        ("text", tests.worded[row]),
    )
    return tuple(name for name, passed in outcomes if passed)


def _text_state(corpus: Corpus, tests: Eligibility, row: int) -> str:
    title, abstract = corpus.titles[row], corpus.abstracts[row]
    if tests.worded[row]:
        return "usable"
    if not title and not abstract:
        return "none"
    if not any(telling(title, abstract)):
        return "boilerplate"
    foreign = corpus.languages[row] not in (None, "en", "eng", "English")
    return "other_language" if foreign else "too_short"


def hints(
    corpus: Corpus, placed: NDArray[np.bool_], key: Sequence[str | None], regions: Sequence[Region]
) -> dict[int, Hint]:
    """For each unplaced paper with neighbours on the map, the region where most of its citers are, else of its references.

    `key[row]` is the deepest region of a placed paper. The deepest region that holds more than half of them is named; where none
    does, the coarsest with the most.
    """
    by_key = {region.key: region for region in regions}
    node = np.zeros(corpus.nodes, bool)
    node[: corpus.n] = placed
    found: dict[int, Hint] = {}
    for source, here, there in (("references", corpus.citing, corpus.cited), ("citers", corpus.cited, corpus.citing)):
        wanted = (here < corpus.n) & node[there]
        wanted[wanted] = ~placed[here[wanted]]
        order = np.argsort(here[wanted], kind="stable")
        rows, others = here[wanted][order], there[wanted][order]
        ends = np.append(np.flatnonzero(np.diff(rows)) + 1, len(rows))
        for start, end in pairwise([0, *ends.tolist()]):
            if start == end:  # no such paper at all
                continue
            hint = hint_of([key[int(other)] for other in others[start:end]], by_key, source)
            if hint is not None:
                found[int(rows[start])] = hint
    return found
