"""Regions keep their key and name while they last."""

from __future__ import annotations

import numpy as np

from corpus.build import Region
from layout.continuity import known_by


def region(key: str, name: str, parent: str | None = None) -> Region:
    return Region(key, name, int(key[0]), parent, 0.5, 0.5, 1)


def ints(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


COARSE = [region("0-00", "Galaxies"), region("0-01", "Proteins")]
FINE = [*COARSE, region("1-00", "Dark matter", "0-00"), region("1-01", "Enzymes", "0-01")]


def test_regions_that_come_out_in_another_order_keep_their_keys() -> None:
    (named,) = known_by([ints(1, 1, 1, 0, 0)], ["0-00"] * 3 + ["0-01"] * 2, COARSE)
    assert named.keys == ["0-01", "0-00"]
    assert named.kept == ["Proteins", "Galaxies"]


def test_a_region_that_is_new_gets_a_key_that_no_former_one_had() -> None:
    (named,) = known_by([ints(0, 0, 1, 1, 2, 2)], ["0-01", "0-01", None, None, None, None], COARSE)
    assert named.keys == ["0-01", "0-02", "0-03"]
    assert named.kept == ["Proteins", None, None]


def test_of_a_region_that_was_divided_the_part_with_most_of_it_goes_on() -> None:
    (named,) = known_by([ints(0, 0, 0, 1, 1, 2)], ["0-00"] * 5 + ["0-01"], COARSE)
    assert named.kept == ["Galaxies", None, "Proteins"]


def test_a_region_of_which_less_than_half_is_left_has_ended() -> None:
    (named,) = known_by([ints(0, 0, 1, 1, 2)], ["0-00"] * 5, COARSE)
    assert named.kept == [None, None, None]
    assert "0-00" not in named.keys


def test_new_papers_have_no_say() -> None:
    (named,) = known_by([ints(0, 0, 0, 0, 0)], ["0-01", None, None, None, None], COARSE)
    assert named.kept == ["Proteins"]


def test_each_level_is_matched_on_its_own() -> None:
    coarse, fine = known_by([ints(0, 0, 1, 1), ints(1, 1, 0, 0)], ["1-00", "1-00", "1-01", "1-01"], FINE)
    assert coarse.keys == ["0-00", "0-01"]
    assert fine.keys == ["1-01", "1-00"]
    assert fine.kept == ["Enzymes", "Dark matter"]


def test_without_a_former_map_keys_count_up() -> None:
    (named,) = known_by([ints(0, 1, 2)], [None] * 3, [])
    assert named.keys == ["0-00", "0-01", "0-02"]
    assert named.kept == [None] * 3


def test_a_level_that_was_not_there_before_is_new() -> None:
    coarse, fine = known_by([ints(0, 0), ints(0, 1)], ["0-00", "0-00"], COARSE)
    assert coarse.kept == ["Galaxies"]
    assert fine.keys == ["1-00", "1-01"]
