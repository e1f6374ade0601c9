"""Text vectors smoothed over citations and shared references."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from layout.parameters import Parameters
from layout.smoothing import Links, links_of, smooth, with_link_vectors
from tests.layout.making import corpus, paper

PARAMETERS = Parameters()


def links(cites: list[list[str]], hub: int = 300) -> Links:
    """The links among papers `0`, `1`, ...; names that are no papers are works without a record."""
    arrays = corpus([paper(str(at), one) for at, one in enumerate(cites)])
    return links_of(arrays, np.arange(arrays.n), hub)


def apart(n: int) -> NDArray[np.float32]:
    """Texts that have nothing in common."""
    return np.eye(n, dtype=np.float32)


def test_papers_that_cite_each_other_come_to_say_the_same() -> None:
    smoothed = smooth(apart(3), links([["1"], [], ["2000"]]), PARAMETERS)
    assert smoothed[0] @ smoothed[1] > 0.5
    assert smoothed[0] @ smoothed[2] == 0


def test_papers_that_share_a_work_without_a_record_do_so_too() -> None:
    smoothed = smooth(apart(3), links([["900"], ["900"], ["901"]]), PARAMETERS)
    assert smoothed[0] @ smoothed[1] > 0.8
    assert smoothed[2].tolist() == [0, 0, 1]


def test_a_paper_off_the_map_is_a_shared_work() -> None:
    arrays = corpus([paper("0", ["2"]), paper("1", ["2"]), paper("2", None)])
    found = links_of(arrays, np.array([0, 1]), 300)
    assert found.direct.nnz == 0
    assert found.shared.toarray().tolist() == [[1], [1]]


def test_a_hub_says_nothing_unless_there_is_nothing_else() -> None:
    hub = [["900"]] * 4
    assert links([*hub, ["901"], ["901"]], hub=3).shared.shape == (6, 1)
    assert links(hub, hub=3).shared.shape == (4, 1)


def test_papers_that_have_nothing_but_a_hub_keep_it() -> None:
    """Papers 4 and 5 have no text; 4 has another link, so the hub stays out of it."""
    arrays = corpus([paper(str(at), ["900", "901"] if at in (3, 4) else ["900"]) for at in range(6)])
    worded = np.array([True] * 4 + [False] * 2)
    found = links_of(arrays, np.arange(6), 3, worded)
    assert found.shared.toarray().tolist() == [[0, 0]] * 3 + [[0, 1]] * 2 + [[1, 0]]


def test_a_paper_without_text_gets_its_neighbours_words() -> None:
    vectors = apart(3)
    vectors[2] = 0
    smoothed = smooth(vectors, links([["2"], [], ["0"]]), PARAMETERS)
    assert smoothed[2] @ smoothed[0] > 0.5
    assert smoothed[2, 1] == 0


def test_papers_without_any_words_are_compared_by_what_they_cite() -> None:
    cites = [["900", "901"], ["900", "901"], ["902", "903"], ["902", "903"]]
    vectors = with_link_vectors(np.zeros((4, 1), np.float32), links(cites), PARAMETERS)
    near = vectors @ vectors.T
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert near[0, 1] > 0.5 > near[0, 2]


def test_wordless_papers_are_near_each_other_and_near_no_other() -> None:
    cites = [["900"], ["900"], ["901"], ["901"]]
    worded = np.array([[1], [1], [0], [0]], np.float32)
    vectors = with_link_vectors(worded, links(cites), PARAMETERS)
    assert not (vectors[:2] @ vectors[2:].T).any()


def test_without_smoothing_or_steps_texts_stay_as_they_are() -> None:
    found = links([["1"], [], []])
    for parameters in (replace(PARAMETERS, smoothing=0.0), replace(PARAMETERS, steps=0)):
        assert np.array_equal(smooth(apart(3), found, parameters), apart(3))


def test_everything_stays_finite_and_of_unit_length() -> None:
    random = np.random.default_rng(0)
    cites = [[str(random.integers(60)), str(900 + random.integers(9))] for _ in range(60)]
    vectors = random.normal(size=(60, 5)).astype(np.float32)
    vectors[::7] = 0
    found = links(cites)
    smoothed = with_link_vectors(smooth(vectors, found, PARAMETERS), found, PARAMETERS)
    assert np.isfinite(smoothed).all()
    assert np.linalg.norm(smoothed, axis=1) == pytest.approx(1, abs=1e-5)
