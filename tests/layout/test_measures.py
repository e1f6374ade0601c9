"""The definitions of map quality, on maps whose figures can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from layout.measures import (
    AGAINST,
    against_vectors,
    any_papers,
    area_accuracy,
    as_often_cited,
    auc,
    hits,
    mean_of,
    nearest_on_map,
    of_the_area,
    on_map,
    shared,
)

Ints = NDArray[np.int64]


def line(n: int) -> NDArray[np.float32]:
    """Papers 0..n-1 on a line, one apart."""
    return np.stack([np.arange(n), np.zeros(n)], 1).astype(np.float32)


def ints(*rows: object) -> Ints:
    return np.array(rows, np.int64)


def test_an_auc_counts_the_rivals_that_are_farther_and_half_of_those_as_far() -> None:
    figure = auc(on_map(line(10)), ints([4, 6]), ints([9, 5, 2, -1]))
    assert figure is not None
    assert figure.value == pytest.approx((1 + 0 + 0.5) / 3)
    assert figure.count == 1


def test_no_rival_is_no_figure() -> None:
    assert auc(on_map(line(3)), ints([0, 1]), np.full((1, 5), -1)) is None
    assert mean_of(np.zeros(0)) is None


def test_the_error_of_a_mean_is_its_standard_error() -> None:
    figure = mean_of(np.array([True] * 36 + [False] * 64))
    assert figure is not None
    assert figure.error == pytest.approx(0.048)


def test_neither_end_of_a_citation_is_its_own_rival() -> None:
    pairs = ints(*[[i, (i + 1) % 4] for i in range(4)] * 50)
    for rivals in (any_papers(pairs, 4, 0), as_often_cited(pairs, pairs[:, 1], 0)):
        assert rivals.shape == (200, AGAINST)
        assert not (rivals == pairs[:, :1]).any()
        assert not (rivals == pairs[:, 1:]).any()
        assert (rivals >= 0).any(axis=1).all()


def test_rivals_come_as_often_as_they_are_cited() -> None:
    cited = ints(*[3] * 90, *[4] * 10)
    drawn = as_often_cited(ints(*[[0, 1]] * 500), cited, 0)
    assert np.mean(drawn == 3) == pytest.approx(0.9, abs=0.02)
    assert (as_often_cited(ints([0, 1]), np.zeros(0, np.int64), 0) == -1).all()


def test_rivals_of_an_area_are_of_the_cited_papers_area_and_none_where_it_is_hardly_cited() -> None:
    labels = ints(0, 0, 0, 1, 1, -1)
    cited = ints(*[1] * 4, *[2] * 4, *[4] * 4)
    rivals = of_the_area(ints([0, 1], [0, 3], [0, 5]), cited, labels, 0)
    assert set(rivals[0].tolist()) == {2, -1}
    assert set(rivals[1:].ravel().tolist()) == {-1}


def test_the_nearest_leave_a_paper_out_even_where_many_stand_on_its_spot() -> None:
    assert nearest_on_map(line(6), ints(0, 3), 2)[0].tolist() == [1, 2]
    assert set(nearest_on_map(line(6), ints(0, 3), 2)[1].tolist()) == {2, 4}
    heap = nearest_on_map(np.zeros((30, 2), np.float32), np.arange(30), 3)
    assert heap.shape == (30, 3)
    assert not (heap == np.arange(30)[:, None]).any()


def test_hits_are_citations_whose_cited_paper_is_near() -> None:
    figure = hits(ints([1, 2], [3, 4]), ints(2, 9))
    assert figure is not None
    assert figure.value == 0.5


def test_a_paper_is_judged_by_the_most_frequent_label_around_it() -> None:
    labels = np.array([0] * 20 + [1] * 20 + [2] + [-1], np.int64)
    rows = ints(0, 20, 40, 41)
    figure = area_accuracy(rows, ints([1, 2, 21], [1, 2, 21], [1, 2, 3], [1, 2, 3]), labels)
    assert figure is not None
    assert (figure.value, figure.count) == (0.5, 2)  # a label of one paper, and none, are not judged


def test_neighbours_without_a_label_do_not_vote() -> None:
    labels = np.array([0] * 20 + [1] * 20 + [-1] * 3, np.int64)
    figure = area_accuracy(ints(0, 1), ints([40, 41, 1], [40, 41, 42]), labels)
    assert figure is not None
    assert figure.value == 0.5


def test_one_area_alone_is_nothing_to_be_right_about() -> None:
    assert area_accuracy(ints(0), ints([1]), np.zeros(30, np.int64)) is None
    assert area_accuracy(ints(0), ints([1]), np.full(30, -1)) is None


def test_shared_neighbours_are_counted_without_the_gaps() -> None:
    figure = shared(ints([1, 2, 3], [4, 5, 6]), ints([3, 9, -1], [-1, -1, -1]))
    assert figure is not None
    assert (figure.value, figure.count) == (0.5, 1)


def test_trustworthiness_is_one_for_the_same_order_and_falls_with_every_rank() -> None:
    n, k = 41, 5
    turn = np.linspace(0, np.pi / 2, n)
    vectors = np.stack([np.cos(turn), np.sin(turn)], 1).astype(np.float32)
    rows = ints(0)
    recall, trust = against_vectors(ints([1, 2, 3, 4, 5]), rows, vectors)
    assert recall is not None
    assert trust is not None
    assert (recall.value, trust.value) == (1, 1)
    recall, trust = against_vectors(ints([1, 2, 3, 4, 9]), rows, vectors)  # the ninth instead of the fifth: four ranks
    assert recall is not None
    assert trust is not None
    assert recall.value == pytest.approx(0.8)
    assert trust.value == pytest.approx(1 - 4 * 2 / (k * (2 * n - 3 * k - 1)))
