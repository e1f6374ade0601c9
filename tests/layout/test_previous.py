"""The map that stands, told of a corpus that has changed since."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from corpus.build import PAPERS, current
from layout.arrays import Corpus
from layout.previous import Previous, read_previous
from layout.run import lay_out
from tests.layout.making import FAST, address, corpus, many, paper
from tests.layout.test_run import filled

PAPERS_IN = [*many(20), paper("7777", None, title="no list was ever obtained for this one")]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = filled(tmp_path_factory.mktemp("previous") / "data", PAPERS_IN)
    lay_out(place, "sqlite", FAST)
    return place


def read(data: Path, arrays: Corpus) -> Previous:
    found = read_previous(data, arrays)
    assert found is not None
    return found


def test_papers_are_where_they_were_and_new_ones_nowhere(data: Path) -> None:
    arrays = corpus([*PAPERS_IN, paper("5000", ["0000"], title="new")])
    found = read(data, arrays)
    at = {ids[0]: row for row, ids in enumerate(arrays.ids)}
    assert np.isfinite(found.xy[at[address("0003")]]).all()
    assert found.keys[at[address("0003")]] in {region.key for region in found.regions}
    for name in ("5000", "7777"):
        assert np.isnan(found.xy[at[address(name)]]).all()
        assert found.keys[at[address(name)]] is None


def test_a_paper_that_has_another_address_now_stays_where_it_was(data: Path) -> None:
    arrays = corpus(PAPERS_IN)
    row = [ids[0] for ids in arrays.ids].index(address("0003"))
    merged = replace(arrays, ids=[*arrays.ids[:row], ("doi:10.1/x", address("0003")), *arrays.ids[row + 1 :]])
    assert np.array_equal(read(data, merged).xy[row], read(data, arrays).xy[row])


def test_of_two_papers_that_became_one_the_placed_one_tells_where(data: Path) -> None:
    arrays = corpus(PAPERS_IN)
    ids = [one[0] for one in arrays.ids]
    row = ids.index(address("7777"))
    merged = replace(arrays, ids=[*arrays.ids[:row], (address("7777"), address("0003")), *arrays.ids[row + 1 :]])
    assert np.array_equal(read(data, merged).xy[row], read(data, arrays).xy[ids.index(address("0003"))])


def test_there_is_none_before_the_first_layout_and_none_where_it_is_damaged(data: Path, tmp_path: Path) -> None:
    assert read_previous(tmp_path, corpus(PAPERS_IN)) is None
    place = current(data)
    assert place is not None
    whole = (place / PAPERS).read_bytes()
    try:
        (place / PAPERS).write_bytes(whole[:-1])
        assert read_previous(data, corpus(PAPERS_IN)) is None
    finally:
        (place / PAPERS).write_bytes(whole)
