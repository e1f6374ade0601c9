"""How far a map moved."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from layout.movement import diameter, movement, procrustes


def scattered(n: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0.5, 0.1, (n, 2)).astype(np.float32)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_map_that_was_turned_scaled_and_moved_is_brought_back(mirrored: bool) -> None:
    onto = scattered(50)
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    if mirrored:
        turn = turn @ np.diag([1, -1])
    xy = (onto @ turn * 7 + [3, -4]).astype(np.float32)
    assert np.allclose(procrustes(xy, onto).of(xy), onto, atol=1e-5)


def test_papers_that_moved_alone_do_not_carry_the_map_away() -> None:
    onto = scattered(200)
    xy = onto.copy()
    xy[0] += 0.3
    assert np.abs(procrustes(xy, onto).of(xy)[1:] - onto[1:]).max() < 0.02


@pytest.mark.parametrize("n", [0, 1, 2])
def test_where_a_turn_cannot_be_told_papers_are_only_moved(n: int) -> None:
    onto = scattered(n)
    assert np.allclose(procrustes(onto + 1, onto).of(onto + 1), onto, atol=1e-6)


def test_papers_that_are_all_in_one_place_stay_finite() -> None:
    flat = np.full((5, 2), 0.3, np.float32)
    assert np.isfinite(procrustes(flat, scattered(5)).of(flat)).all()
    assert np.isfinite(procrustes(scattered(5), flat).of(scattered(5))).all()


def test_one_far_paper_does_not_widen_the_map() -> None:
    xy = scattered(100)
    far = np.vstack([xy, [[90, 90]]]).astype(np.float32)
    assert diameter(far) == pytest.approx(diameter(xy), rel=0.1)


def test_what_moved_is_told_as_shares_of_the_diameter() -> None:
    before = scattered(400)
    after = before.copy()
    after[:40] += np.float32(0.06 * diameter(before) / np.sqrt(2))
    told = movement(before, after, 0)
    assert told["papers"] == 400
    assert told["far"] == pytest.approx(0.1)
    assert told["mean"] == pytest.approx(0.006, rel=0.01)
    assert told["median"] == 0
    kept = told["neighbours_kept"]
    assert kept is not None
    assert 0.7 < kept < 1


def test_a_map_that_stood_still_kept_every_neighbour() -> None:
    before = scattered(100)
    told = movement(before, before, 0)
    assert (told["mean"], told["p95"], told["far"], told["neighbours_kept"]) == (0, 0, 0, 1)


def test_papers_at_one_place_are_no_neighbours_lost() -> None:
    before = np.repeat(scattered(10), 30, axis=0)
    assert movement(before, before, 0)["neighbours_kept"] == 1


@pytest.mark.parametrize("n", [0, 1])
def test_unknown_movement_is_none(n: int) -> None:
    told = movement(scattered(n), scattered(n), 0)
    assert told == {"papers": n, "mean": None, "median": None, "p95": None, "far": None, "neighbours_kept": None}
