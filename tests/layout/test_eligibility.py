"""Who can be placed, and why each other paper cannot."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest

from corpus.model import Paper, Status
from corpus.reasons import Policy, Reason
from layout.eligibility import Eligibility, judge
from layout.parameters import Parameters
from tests.layout.making import corpus, paper

WORDS = 5
"""Known terms of a text that is usable."""


def known(
    name: str,
    title: str | None = None,
    cites: Sequence[str] | None = None,
    *,
    status: Status = Status.NORMAL,
    kind: str | None = None,
    declared: int | None = None,
    unresolved: Sequence[str] = (),
) -> Paper:
    """A paper of which no reference list was obtained unless one is given."""
    return paper(name, cites, title=title, status=status, kind=kind, declared=declared, unresolved=unresolved)


def judged(papers: list[Paper], policy: Policy = Policy.REFERENCES) -> tuple[list[str], Eligibility]:
    """The tests' outcome, with a text usable where the paper has a title."""
    arrays = corpus(papers)
    terms = np.array([WORDS if title else 0 for title in arrays.titles], np.int32)
    return [ids[0].removeprefix("openalex:W") for ids in arrays.ids], judge(arrays, terms, Parameters(policy=policy))


def binding(papers: list[Paper], policy: Policy = Policy.REFERENCES) -> dict[str, str]:
    """Binding reason by name; `placed` where there is none."""
    names, tests = judged(papers, policy)
    return {name: reasons[0].value if reasons else "placed" for name, reasons in zip(names, tests.reasons, strict=True)}


BASE = [known("p", "Galaxies", cites=["q"]), known("q", "Haloes", cites=["p"])]


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (known("x", "Title", cites=["p"], status=Status.WITHDRAWN), "withdrawn"),
        (known("x", "Cover", cites=["p"], kind="paratext"), "not_a_paper"),
        (known("x", "Cover", cites=["p"], kind="paratext", status=Status.WITHDRAWN), "withdrawn"),
        (known("x", "Title"), "no_reference_list"),
        (known("x", "Title", declared=12), "no_reference_list"),
        (known("x", "Title", cites=[]), "reference_list_empty"),
        (known("x", "Title", cites=[], unresolved=["A book"] * 3), "references_unresolved"),
        (known("x", "Title", cites=[], declared=7), "references_unresolved"),
        (known("x", cites=["far", "away"]), "references_outside_corpus"),
        (known("x", "Title", cites=["p"], status=Status.RETRACTED), "placed"),
        (known("x", "Title", cites=["far"]), "placed"),
        (known("x", cites=["p"]), "placed"),
    ],
)
def test_the_reason_that_binds(odd: Paper, reason: str) -> None:
    found = binding([*BASE, odd])
    assert found == {"p": "placed", "q": "placed", "x": reason}


def test_a_citation_in_either_direction_is_a_link() -> None:
    assert binding([known("a", cites=["b"]), known("b", cites=["far"])]) == {"a": "placed", "b": "placed"}


def test_a_self_citation_is_none() -> None:
    assert binding([*BASE, known("x", cites=["x"])])["x"] in {"no_links", "references_outside_corpus"}


def test_papers_that_share_a_reference_place_each_other() -> None:
    names, tests = judged([known("a", cites=["far"]), known("b", cites=["far"]), known("c", cites=["other"])])
    assert dict(zip(names, tests.placeable.tolist(), strict=True)) == {"a": True, "b": True, "c": False}
    assert tests.shared.tolist() == [1, 1, 0]


def test_a_paper_of_the_corpus_that_is_not_placed_is_a_shared_reference_like_any_other() -> None:
    """A famous paper without a list is not on the map, but those that cite it have it in common."""
    found = binding([known("famous", "Survey"), known("a", cites=["famous"]), known("b", cites=["famous"])])
    assert found == {"famous": "no_reference_list", "a": "placed", "b": "placed"}


def test_a_link_to_a_paper_that_is_no_candidate_is_no_link() -> None:
    found = binding([known("famous", "Survey"), known("a", cites=["famous"])])
    assert found["a"] == "no_links"


def test_every_reason_that_holds_is_told() -> None:
    names, tests = judged([*BASE, known("x")])
    reasons = dict(zip(names, tests.reasons, strict=True))
    assert reasons["x"] == (Reason.NO_REFERENCE_LIST, Reason.NO_LINKS, Reason.NO_USABLE_TEXT)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy.REFERENCES, {"cited": "no_reference_list", "worded": "no_reference_list", "bare": "no_reference_list"}),
        (Policy.LINKS, {"cited": "placed", "worded": "no_reference_list", "bare": "no_reference_list"}),
        (Policy.SIGNALS, {"cited": "placed", "worded": "placed", "bare": "no_links"}),
    ],
)
def test_each_policy_draws_its_own_line(policy: Policy, expected: dict[str, str]) -> None:
    papers = [
        known("p", "Galaxies", cites=["q", "cited"]),
        known("q", "Haloes", cites=["p"]),
        known("cited"),
        known("worded", "Quasars"),
        known("bare"),
    ]
    found = binding(papers, policy)
    assert {name: found[name] for name in expected} == expected


def test_a_text_with_too_few_known_terms_is_not_usable() -> None:
    arrays = corpus([known("x", "Galaxies", cites=["far"])])
    parameters = Parameters(terms=3)
    outcomes = [judge(arrays, np.array([count], np.int32), parameters).placeable[0] for count in (2, 3)]
    assert outcomes == [False, True]
    assert judge(arrays, np.array([2], np.int32), dataclasses.replace(parameters, terms=2)).placeable[0]


def test_the_reasons_cover_exactly_the_papers_that_are_not_placed() -> None:
    _, tests = judged([*BASE, known("x"), known("y", cites=[]), known("z", cites=["far"])])
    assert [not reasons for reasons in tests.reasons] == tests.placeable.tolist()
