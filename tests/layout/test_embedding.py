"""From the similarity graph to places in the map square."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from layout.embedding import MARGIN, embed, fit_to_square, principal_axes
from layout.parameters import Parameters


def cloud(n: int, d: int = 2, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


def test_one_far_paper_does_not_shrink_the_map() -> None:
    xy = cloud(1_001)
    xy[0] = 1e6
    placed = fit_to_square(xy)
    assert np.ptp(placed[1:], axis=0).min() > 0.6
    assert placed[0].max() <= 1 - MARGIN + 1e-6


def test_both_axes_have_one_scale() -> None:
    xy = cloud(300) * np.array([4, 1], np.float32)
    placed = fit_to_square(xy)
    across = np.ptp(xy, axis=0) / np.ptp(placed, axis=0)
    assert across[0] == pytest.approx(across[1], rel=1e-3)


@given(arrays(np.float32, st.tuples(st.integers(1, 40), st.just(2)), elements=st.floats(-(2.0**90), 2.0**90, width=32)))
def test_whatever_is_finite_gets_a_place_of_its_own_in_the_square(xy: NDArray[np.float32]) -> None:
    placed = fit_to_square(xy)
    assert placed.dtype == np.float32
    assert ((placed >= 0) & (placed <= 1)).all()
    assert len(np.unique(placed, axis=0)) == len(placed)


def test_papers_on_one_spot_are_spread_a_little_and_the_others_stay() -> None:
    xy = cloud(60)
    crowded = xy.copy()
    crowded[:10] = crowded[0]
    placed = fit_to_square(crowded)
    apart = np.linalg.norm(placed[:10] - placed[0], axis=1)
    assert (np.sort(apart)[1:] > 1e-4).all()
    assert apart.max() < 2e-3
    assert np.array_equal(placed[10:], fit_to_square(crowded)[10:])


def test_a_row_that_is_not_finite_stays_so_and_moves_no_other() -> None:
    xy = cloud(50)
    broken = np.vstack([xy, np.full((1, 2), np.nan, np.float32), np.array([[np.inf, 0]], np.float32)])
    placed = fit_to_square(broken)
    assert np.isnan(placed[50:]).all()
    assert np.array_equal(placed[:50], fit_to_square(xy))
    assert np.isnan(fit_to_square(broken[50:])).all()


def test_the_input_is_not_changed() -> None:
    xy = cloud(20)
    before = xy.copy()
    fit_to_square(xy)
    assert np.array_equal(xy, before)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_handful_of_papers_stands_on_a_circle(n: int) -> None:
    xy = embed(sp.csr_matrix((n, n), dtype=np.float32), np.ones((n, 4), np.float32), Parameters())
    assert xy.shape == (n, 2)
    assert xy.dtype == np.float32
    assert len(np.unique(xy.round(3), axis=0)) == n


@pytest.mark.parametrize(
    "vectors", [np.zeros((40, 3)), np.ones((40, 3)), np.zeros((40, 1)), cloud(40, 1), cloud(40, 9)]
)
def test_the_start_is_finite_and_no_two_papers_share_a_spot(vectors: NDArray[np.float32]) -> None:
    start = principal_axes(vectors.astype(np.float32), 42)
    assert start.shape == (40, 2)
    assert np.isfinite(start).all()
    assert len(np.unique(start, axis=0)) == 40


def test_the_start_shows_the_widest_axes() -> None:
    vectors = cloud(200, 6) * np.array([9, 5, 1, 1, 1, 1], np.float32)
    start = principal_axes(vectors, 42)
    assert abs(np.corrcoef(start[:, 0], vectors[:, 0])[0, 1]) > 0.99
    assert abs(np.corrcoef(start[:, 1], vectors[:, 1])[0, 1]) > 0.98
    assert np.array_equal(start, principal_axes(vectors, 42))
