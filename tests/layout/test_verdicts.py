"""What is told of each paper."""

from __future__ import annotations

import numpy as np
import pytest

from corpus.build import Evidence, Hint, Region
from corpus.model import Status
from layout.arrays import Corpus
from layout.eligibility import judge
from layout.parameters import Parameters
from layout.verdicts import WEAK, confidence, count_neighbours, evidence_of, hints, marks_of, signals_of
from tests.layout.making import corpus, many, paper

PARAMETERS = Parameters()
REGIONS = [
    Region("0-00", "All", 0, None, 0.5, 0.5, 4),
    Region("1-00", "Left", 1, "0-00", 0.2, 0.5, 2),
    Region("1-01", "Right", 1, "0-00", 0.8, 0.5, 2),
]


def told(arrays: Corpus, name: str, hint: Hint | None = None) -> Evidence:
    """The evidence of one paper; texts are usable where there is an abstract."""
    tests = judge(arrays, np.array([9 if text else 1 for text in arrays.abstracts], np.int32), PARAMETERS)
    row = arrays.ids.index((f"openalex:W{name}",))
    around = count_neighbours(arrays, tests.placeable)
    return evidence_of(arrays, tests, around, row, tests.reasons[row], hint, PARAMETERS)


def test_every_count_of_a_reference_list_is_told() -> None:
    arrays = corpus(
        [
            paper("1", ["1", "2", "3", "900", "901"], unresolved=["A book"], declared=9),
            paper("2", ["900"]),
            paper("3", None),
        ]
    )
    found = told(arrays, "1")
    assert (found.references_declared, found.references_parsed, found.references_resolved) == (9, 6, 5)
    assert found.references_on_map == 1
    assert found.references_shared == 1
    assert found.passed[:3] == ("reference_list", "links", "shared_references")


def test_what_was_never_obtained_is_none() -> None:
    found = told(corpus([paper("1", None), paper("2", ["1"])]), "1")
    counts = (found.references_declared, found.references_parsed, found.references_resolved)
    assert counts == (None, None, None)
    assert (found.references_in_corpus, found.references_on_map, found.references_shared) == (None, None, None)
    assert found.abstract_characters is None
    assert found.citers_in_corpus == 1


def test_an_empty_list_and_an_empty_abstract_are_zero() -> None:
    found = told(corpus([paper("1", [], abstract="")]), "1")
    assert (found.references_parsed, found.references_resolved, found.references_in_corpus) == (0, 0, 0)
    assert found.abstract_characters == 0


@pytest.mark.parametrize(
    ("title", "abstract", "language", "state"),
    [
        (None, None, None, "none"),
        ("Galaxies", None, None, "too_short"),
        ("Editorial", None, "en", "boilerplate"),
        ("Galaxien", None, "de", "other_language"),
        ("Galaxies", "Many words of dust and haloes", "en", "usable"),
    ],
)
def test_why_a_text_is_not_usable(title: str | None, abstract: str | None, language: str | None, state: str) -> None:
    assert told(corpus([paper("1", [], title=title, abstract=abstract, language=language)]), "1").text == state


def test_signals_name_what_a_place_rests_on() -> None:
    arrays = corpus(
        [
            paper("1", ["2"], abstract="words"),
            paper("2", ["900"]),
            paper("3", ["900"], abstract="words"),
            paper("4", ["900"]),
            paper("5", ["901"], abstract="words"),
        ]
    )
    tests = judge(arrays, np.array([9 if text else 0 for text in arrays.abstracts], np.int32), PARAMETERS)
    assert [signals_of(tests, row) for row in range(5)] == [
        "text+citations",
        "citations",
        "text+references",
        "references",
        "text",
    ]


def test_a_hint_names_the_region_of_most_citers() -> None:
    """`9` is cited by two papers on the left and one on the right; `8` by nobody, but it cites one on the right."""
    arrays = corpus(
        [paper("1", ["9"]), paper("2", ["9"]), paper("3", ["9"]), paper("4", []), paper("8", ["4"]), paper("9", None)]
    )
    placed = np.array([True] * 4 + [False] * 2)
    keys = ["1-00", "1-00", "1-01", "1-01", None, None]
    assert hints(arrays, placed, keys, REGIONS) == {
        5: Hint(region="1-00", name="Left", source="citers", count=2, total=3),
        4: Hint(region="1-01", name="Right", source="references", count=1, total=1),
    }


def test_where_no_deeper_region_holds_most_the_one_around_them_is_named() -> None:
    arrays = corpus([paper("1", ["9"]), paper("3", ["9"]), paper("9", None)])
    found = hints(arrays, np.array([True, True, False]), ["1-00", "1-01", None], REGIONS)
    assert found[2] == Hint(region="0-00", name="All", source="citers", count=2, total=2)


def test_papers_on_the_map_get_no_hint() -> None:
    arrays = corpus(many(12))
    assert hints(arrays, np.ones(12, bool), ["1-00"] * 12, REGIONS) == {}


def test_confidence_is_the_mean_likeness_of_the_five_nearest() -> None:
    distances = np.array([[0, 0.1, 0.2, 0.3, 0.4, 1, 1], [1.5] * 7], np.float32)
    assert confidence(distances) == pytest.approx([0.8, 0])
    assert confidence(np.zeros((1, 0), np.float32)).tolist() == [0]


def test_marks() -> None:
    arrays = corpus([paper("1", ["2"], status=Status.RETRACTED), paper("2", ["1"])])
    assert marks_of(arrays, 0, WEAK - 0.01) == ["retracted", "weak_evidence"]
    assert marks_of(arrays, 0, None) == ["retracted"]
    assert marks_of(arrays, 1, WEAK) == []
