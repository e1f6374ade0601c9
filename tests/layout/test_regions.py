"""Nested regions of the similarity graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.regions import keys_of, label_points, members_of, nested_regions, parents_of, region_key


def groups(sizes: list[int], *, within: float = 0.5, between: float = 0.004, seed: int = 0) -> sp.csr_matrix:
    """Papers of several groups, tied often within a group and seldom across."""
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(sizes)), sizes)
    chance = np.where(group[:, None] == group[None], within, between)
    upper = sp.triu(sp.csr_matrix((random.random(chance.shape) < chance).astype(np.float32)), 1)
    return (upper + upper.T).tocsr()


def same(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Share of pairs of papers on which both agree (Rand index)."""
    return float(np.mean((one[:, None] == one[None]) == (other[:, None] == other[None])))


def test_groups_that_are_there_are_found() -> None:
    truth = np.repeat(np.arange(6), 60)
    levels = nested_regions(groups([60] * 6), 42)
    assert same(levels[0], truth) > 0.97


def test_each_region_lies_in_one_region_of_the_level_above() -> None:
    levels = nested_regions(groups([200, 150, 100, 50]), 42)
    assert len(levels) == 3
    for child, parent in zip(levels[1:], levels[:-1], strict=True):
        above = parents_of(child, parent)
        assert np.array_equal(above[child], parent)
        assert child.max() >= parent.max()


def test_regions_are_numbered_without_gaps_and_large_enough_to_name() -> None:
    for level in nested_regions(groups([300, 100, 40]), 42):
        sizes = np.bincount(level)
        assert sizes.min() >= 4
        assert level.dtype == np.int64


@pytest.mark.parametrize(("n", "levels"), [(0, 0), (2, 0), (3, 1), (16, 1), (40, 2), (150, 3)])
def test_a_small_corpus_has_fewer_levels(n: int, levels: int) -> None:
    assert len(nested_regions(groups([n]), 42)) == levels


def test_papers_tied_to_nothing_are_in_a_region_too() -> None:
    levels = nested_regions(sp.csr_matrix((50, 50), dtype=np.float32), 42)
    assert [len(level) for level in levels] == [50, 50]


def test_no_region_reaches_across_two_components() -> None:
    for level in nested_regions(groups([60, 60], between=0.0), 42):
        assert not set(level[:60]) & set(level[60:])


def test_the_seed_decides() -> None:
    graph = groups([80] * 5, within=0.2, between=0.02)
    one, again = nested_regions(graph, 1), nested_regions(graph, 1)
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))


def test_a_label_stands_in_the_densest_spot_and_not_between_two() -> None:
    random = np.random.default_rng(0)
    dense, thin = random.normal([0.3, 0.3], 0.01, (60, 2)), random.normal([0.7, 0.7], 0.05, (40, 2))
    xy = np.vstack([dense, thin]).astype(np.float32)
    point = label_points(xy, np.zeros(100, np.int64), 42)
    assert point.shape == (1, 2)
    assert np.linalg.norm(point[0] - [0.3, 0.3]) < 0.02


def test_a_label_stands_among_most_papers_and_not_on_the_densest_island() -> None:
    random = np.random.default_rng(0)
    island, land = random.normal([0.3, 0.3], 0.002, (15, 2)), random.normal([0.7, 0.7], 0.05, (85, 2))
    xy = np.vstack([island, land]).astype(np.float32)
    assert np.linalg.norm(label_points(xy, np.zeros(100, np.int64), 42)[0] - [0.7, 0.7]) < 0.05


def test_a_label_stands_among_the_papers_that_have_its_name() -> None:
    random = np.random.default_rng(0)
    xy = np.vstack([random.normal([0.3, 0.3], 0.02, (30, 2)), random.normal([0.7, 0.7], 0.02, (70, 2))]).astype(
        np.float32
    )
    named = np.arange(100) < 30
    assert np.linalg.norm(label_points(xy, np.zeros(100, np.int64), 42, named)[0] - [0.3, 0.3]) < 0.05
    few = np.arange(100) < 19
    assert np.linalg.norm(label_points(xy, np.zeros(100, np.int64), 42, few)[0] - [0.7, 0.7]) < 0.05


def test_a_label_of_one_paper_stands_on_it() -> None:
    xy = np.array([[0.1, 0.2], [0.8, 0.9]], np.float32)
    assert np.array_equal(label_points(xy, np.array([0, 1]), 42), xy)


def test_keys_tell_level_and_number() -> None:
    assert region_key(1, 7) == "1-07"
    assert keys_of([np.array([0, 0, 1]), np.array([0, 1, 2])], 3) == ["1-00", "1-01", "1-02"]
    assert keys_of([], 2) == [None, None]


def test_members_of_regions_are_ascending_and_none_is_missing() -> None:
    members = members_of(np.array([2, 0, 2, 0, 0]), 4)
    assert [one.tolist() for one in members] == [[1, 3, 4], [], [0, 2], []]
