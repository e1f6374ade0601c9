"""Nearest neighbours, fuzzy memberships, and their union with the citations."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from layout.parameters import Parameters
from layout.similarity import fuse, memberships, nearest
from layout.unit_rows import unit_rows


def vectors(n: int, d: int = 8, seed: int = 0) -> NDArray[np.float32]:
    return unit_rows(np.random.default_rng(seed).normal(size=(n, d)))


def test_neighbours_are_the_exact_ones() -> None:
    points = vectors(500)
    neighbours, distances = nearest(points, 15)
    likeness = points @ points.T
    np.fill_diagonal(likeness, -2)
    exact = np.sort(likeness, axis=1)[:, ::-1][:, :15]
    assert np.allclose(1 - distances, exact, atol=2e-6)
    assert not (neighbours == np.arange(500)[:, None]).any()
    assert (np.diff(distances, axis=1) >= 0).all()


def test_more_papers_than_fit_in_one_block_change_nothing() -> None:
    points = vectors(2_100)
    whole, _ = nearest(points, 5)
    for row in (0, 2_047, 2_048, 2_099):
        assert whole[row, 0] == np.argsort(-(points @ points[row]), kind="stable")[1]


def test_of_neighbours_at_the_same_distance_the_first_row_comes_first() -> None:
    points = np.zeros((6, 2), np.float32)
    points[:, 0] = 1
    neighbours, distances = nearest(points, 3)
    assert neighbours.tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], [0, 1, 2], [0, 1, 2]]
    assert not distances.any()


@pytest.mark.parametrize(("n", "k"), [(1, 0), (2, 1), (3, 2), (16, 15)])
def test_few_papers_have_fewer_neighbours(n: int, k: int) -> None:
    neighbours, distances = nearest(vectors(n), k)
    assert neighbours.shape == distances.shape == (n, k)
    assert np.isfinite(memberships(distances)).all()


@pytest.mark.filterwarnings("ignore:Tensorflow not installed:ImportWarning")
def test_memberships_are_those_of_umap_learn() -> None:
    from umap.umap_ import compute_membership_strengths, smooth_knn_dist

    neighbours, distances = nearest(vectors(200, 6), 15)
    ours = memberships(distances)
    with_itself = np.hstack([np.zeros((200, 1), np.float32), distances])
    rows = np.hstack([np.arange(200, dtype=np.int32)[:, None], neighbours])
    sigmas, rhos = smooth_knn_dist(with_itself, 15.0)
    theirs = compute_membership_strengths(rows, with_itself, sigmas, rhos, False)[2].reshape(200, 16)[:, 1:]
    assert ours == pytest.approx(theirs, abs=1e-3)


def test_a_neighbour_with_nothing_in_common_is_none() -> None:
    distances = np.array([[0.2, 0.5, 1.0, 1.0]], np.float32)
    assert memberships(distances)[0, 2:].tolist() == [0, 0]


@given(st.lists(st.floats(0, 2, width=32), min_size=2, max_size=15), st.integers(1, 4))
def test_memberships_are_always_finite_and_in_range(row: list[float], n: int) -> None:
    members = memberships(np.array([sorted(row)] * n, np.float32))
    assert ((members >= 0) & (members <= 1)).all()


def test_the_graph_is_symmetric_with_weights_up_to_one_and_no_loops() -> None:
    neighbours, distances = nearest(vectors(120), 15)
    cited = sp.random(120, 120, 0.05, "csr", np.float32, random_state=1)
    cited.data[:] = 1
    graph = fuse(neighbours, memberships(distances), cited.maximum(cited.T).tocsr(), Parameters())
    assert abs(graph - graph.T).max() < 1e-6
    assert graph.diagonal().max() == 0
    assert graph.data.min() > 0
    assert graph.data.max() <= 1 + 1e-6


def test_a_hub_pulls_more_weakly_than_a_paper_cited_once() -> None:
    """Paper 0 is cited by all, paper 8 by paper 9 alone; nothing is alike."""
    cited = sp.lil_matrix((10, 10), dtype=np.float32)
    for citing in range(1, 8):
        cited[citing, 0] = cited[0, citing] = 1
    cited[8, 9] = cited[9, 8] = 1
    none = np.zeros((10, 0), np.int32)
    graph = fuse(none, np.zeros((10, 0), np.float32), cited.tocsr(), Parameters(citation_weight=0.5))
    assert graph[8, 9] == pytest.approx(0.5)
    assert 0 < graph[0, 1] < graph[8, 9]
