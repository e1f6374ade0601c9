"""The same questions to maps, vectors and the planted tree."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.measures import Exam, of_map, tree_distance
from bench.spaces import Plane, Space, Sphere

N = 300
TURN = np.linspace(0, 2, N)
"""Papers on a part of a circle: the same order on the map and by cosine."""
XY: NDArray[np.float32] = np.stack([TURN / 2, np.zeros(N)], 1).astype(np.float32)
VECTORS: NDArray[np.float32] = np.stack([np.cos(TURN), np.sin(TURN)], 1).astype(np.float32)


@pytest.mark.parametrize("space", [Plane(XY), Sphere(VECTORS)], ids=["map", "vectors"])
def test_a_map_and_vectors_of_one_order_answer_alike(space: Space) -> None:
    pairs = np.array([[10, 12], [100, 60], [0, 299], [5, 6]])
    assert set(space.nearest(np.array([0]), 3)[0].tolist()) == {1, 2, 3}
    assert space.nearer(pairs[[2]])[0] == N - 2
    assert space.nearer(pairs[[1]])[0] == pytest.approx(79, abs=1)
    assert space.distance(pairs[:, 0], pairs[:, 1]).argmin() == 3
    assert space.among(np.arange(0, N, 2)).nearest(np.array([0]), 1)[0, 0] == 1


def exam(pairs: NDArray[np.int64]) -> Exam:
    labels = {"area": (np.arange(N) * 3 // N).astype(np.int64)}
    return Exam(N, pairs, pairs, labels, VECTORS)


def test_a_map_that_keeps_everything_gets_full_marks_and_chance_gets_what_chance_gives() -> None:
    pairs = np.stack([np.arange(N - 1), np.arange(1, N)], 1)
    random = np.random.default_rng(0)
    good, bad = of_map(exam(pairs), XY), of_map(exam(pairs), random.permutation(XY))
    for name in ("auc", "auc-deg", "hits@10", "hits@100", "area", "text@15", "trust"):
        figure = good[name]
        assert figure is not None
        assert figure.value == pytest.approx(1, abs=0.05), name
    chance = {"auc": 0.5, "auc-deg": 0.5, "auc-area": 0.5, "hits@10": 10 / N, "hits@1%": 3 / N, "trust": 0.5}
    for name, expected in chance.items():
        figure = bad[name]
        assert figure is not None
        assert figure.value == pytest.approx(expected, abs=0.06), name


def test_an_error_says_how_far_off_another_sample_would_be() -> None:
    pairs = np.random.default_rng(1).integers(0, N, (400, 2))
    figures = [exam(pairs[at : at + 100]).ask(Plane(XY))["auc"] for at in range(0, 400, 100)]
    values = [figure.value for figure in figures if figure is not None]
    errors = [figure.error for figure in figures if figure is not None]
    assert np.std(values) < 3 * np.mean(errors)


def test_without_text_there_is_no_figure_of_text() -> None:
    bare = Exam(N, np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int64), {"area": np.zeros(N, np.int64)}, VECTORS * 0)
    figures = bare.ask(Plane(XY))
    assert figures["text@15"] is None
    assert figures["auc"] is None


def test_the_oracle_counts_levels_up_to_a_shared_topic() -> None:
    topics = np.array([[0, 0], [0, 1], [1, 2]])
    assert tree_distance(topics)(np.array([0, 0, 0]), np.array([0, 1, 2])).tolist() == [0, 1, 2]
