"""Level of detail and the tile grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pmtiles.tile import zxy_to_tileid

from layout.tiles import TilePapers
from layout.tiles.detail import CAP, deepest_zoom, first_zooms, order_of_importance
from layout.tiles.grid import GRID_BITS, Ints, morton, quantise, tile_ids, tile_of, within


def islands(k: int, seed: int = 0) -> tuple[Ints, Ints, Ints]:
    """Grid positions around thirty spots of very different size, and rows by importance."""
    rng = np.random.default_rng(seed)
    spot = rng.choice(30, size=k, p=(weight := rng.lognormal(0, 1.5, 30)) / weight.sum())
    xy = np.clip(rng.uniform(0.05, 0.95, (30, 2))[spot] + rng.normal(0, 0.02, (k, 2)), 0, 1)
    return quantise(xy[:, 0]), quantise(xy[:, 1]), rng.permutation(k)


def cells(x: Ints, y: Ints, z: int) -> set[tuple[int, int]]:
    return set(zip((x >> (GRID_BITS - z - 6)).tolist(), (y >> (GRID_BITS - z - 6)).tolist(), strict=True))


def fullest(x: Ints, y: Ints, z: int) -> int:
    return int(np.unique(tile_ids(tile_of(x, z), tile_of(y, z), z), return_counts=True)[1].max())


@pytest.mark.parametrize("seed", range(4))
def test_every_occupied_cell_is_shown_at_every_zoom(seed: int) -> None:
    x, y, order = islands(80_000, seed)
    deepest = deepest_zoom(x, y)
    first = first_zooms(x, y, order, deepest)
    assert deepest >= 3
    for z in range(deepest + 1):
        assert cells(x[first <= z], y[first <= z], z) == cells(x, y, z)


def test_the_outline_stays_whole_where_one_quarter_of_a_tile_took_all_the_room() -> None:
    """A crowd that fills the cap at zoom 0 lies in one tile of zoom 1, which must find room for its own bare cells."""
    rng = np.random.default_rng(5)
    xy = rng.uniform(0, 0.5, (150_000, 2))
    x, y = quantise(xy[:, 0]), quantise(xy[:, 1])
    first = first_zooms(x, y, np.arange(len(x)), deepest_zoom(x, y))
    assert (first == 0).sum() == CAP
    for z in range(int(first.max())):
        assert cells(x[first <= z], y[first <= z], z) == cells(x, y, z)
        assert fullest(x[first <= z], y[first <= z], z) <= 2 * CAP


def test_no_tile_exceeds_the_cap_and_the_most_important_are_kept() -> None:
    x, y, order = islands(80_000)
    deepest = deepest_zoom(x, y)
    first = first_zooms(x, y, order, deepest)
    for z in range(deepest + 1):
        assert fullest(x[first <= z], y[first <= z], z) <= CAP
    top = order[:200]
    assert (first[top] == 0).mean() > 0.5
    assert (first[top] <= 2).mean() > 0.9
    assert first[order[0]] == 0, "the most important paper of all is the best of its cell"


def test_a_cell_shows_the_best_of_its_papers_as_many_as_the_root_of_their_number() -> None:
    cell = 2 ** (GRID_BITS - 6)
    rng = np.random.default_rng(8)
    x = np.concatenate([rng.integers(0, cell, 401), rng.integers(9 * cell, 10 * cell, 9)])
    first = first_zooms(x, x, np.arange(410), 3)
    assert np.flatnonzero(first == 0).tolist() == [*range(21), 401, 402, 403]


def test_a_lone_paper_is_seen_from_the_start_whatever_its_citations() -> None:
    x, y, order = islands(80_000)
    x, y = np.append(x // 2, 2**24 - 1), np.append(y // 2, 2**24 - 1)
    first = first_zooms(x, y, np.append(order, len(order)), deepest_zoom(x, y))
    assert first[-1] == 0


def test_the_deepest_zoom_holds_all_papers() -> None:
    x, y, order = islands(30_000)
    assert first_zooms(x, y, order, 2).max() <= 2
    assert (first_zooms(x, y, order, 0) == 0).all()


def test_the_deepest_zoom_is_the_first_at_which_the_cap_holds() -> None:
    rng = np.random.default_rng(3)
    xy = np.concatenate([rng.uniform(0, 1, (20_000, 2)), rng.uniform(0.501, 0.509, (20_000, 2))])
    x, y = quantise(xy[:, 0]), quantise(xy[:, 1])
    z = deepest_zoom(x, y)
    assert fullest(x, y, z) <= CAP < fullest(x, y, z - 1)


@pytest.mark.parametrize(("papers", "deepest"), [(240, 0), (600, 1), (7_500, 3)])
def test_even_a_small_map_has_tiles_of_few_papers_at_the_end(papers: int, deepest: int) -> None:
    rng = np.random.default_rng(papers)
    assert deepest_zoom(quantise(rng.uniform(0, 1, papers)), quantise(rng.uniform(0, 1, papers))) == deepest


def test_papers_on_one_spot_do_not_deepen_the_zooms_but_close_ones_do() -> None:
    one = np.full(20_000, 2**23)
    assert deepest_zoom(one, one) == 0
    pair = quantise(np.array([0.5, 0.5 + 1e-4]))
    assert 512 * 2 ** (deepest_zoom(pair, pair) + 4) * np.hypot(1e-4, 1e-4) >= 12


def test_a_swarm_that_no_zoom_can_part_ends_at_zoom_12() -> None:
    swarm = 2**23 + np.arange(100)
    x, y = np.meshgrid(swarm, swarm)
    assert deepest_zoom(x.ravel(), y.ravel()) == 12


def test_one_swarm_does_not_cut_the_rest_of_the_map_into_crumbs() -> None:
    swarm = 2**23 + np.arange(80)
    x, y = np.meshgrid(swarm, swarm)
    rng = np.random.default_rng(2)
    others = rng.integers(0, 2**24, (2, 250_000))
    assert deepest_zoom(np.append(x, others[0]), np.append(y, others[1])) <= 9


@pytest.mark.parametrize("k", [0, 1])
def test_without_neighbours_one_zoom_is_enough(k: int) -> None:
    none = np.zeros(k, dtype=np.int64)
    assert deepest_zoom(none, none) == 0
    assert first_zooms(none, none, none, 0).tolist() == [0] * k


def importance(citations: list[int], year: list[int], n: list[int] | None = None) -> list[int]:
    k = len(citations)
    zeros = np.zeros(k, dtype=np.float32)
    papers = TilePapers(
        n=np.array(n or range(k), dtype=np.int32),
        x=zeros,
        y=zeros,
        area=np.zeros(k, dtype=np.int16),
        citations=np.array(citations, dtype=np.int32),
        year=np.array(year, dtype=np.int16),
        region=[""] * k,
        title=[None] * k,
    )
    return order_of_importance(papers).tolist()


def test_importance_follows_citations_then_youth_then_number() -> None:
    assert importance([5, 100, 0], [2000] * 3) == [1, 0, 2]
    assert importance([10, 10], [1980, 2020]) == [1, 0]
    assert importance([400, 10], [1960, 2020]) == [0, 1], "a classic stays a landmark"
    assert importance([7, 7, 7], [2000] * 3, [9, 2, 4]) == [1, 2, 0]


def test_an_unknown_year_counts_as_a_common_one() -> None:
    assert importance([10, 10, 10, 10], [2020, 2000, 1960, -1]) == [0, 1, 3, 2]
    assert importance([1, 2], [-1, -1]) == [1, 0]


units = st.floats(0, 1, width=32)


@given(st.lists(st.tuples(units, units), min_size=1, max_size=40), st.integers(0, 12))
def test_tiles_of_all_zooms_agree_on_a_position(points: list[tuple[float, float]], z: int) -> None:
    xy: Any = np.array(points)
    for units in xy.T:
        grid = quantise(units)
        assert (tile_of(grid, z) < 2**z).all()
        assert (np.abs(tile_of(grid, z) + within(grid, z) / 4096 - units * 2**z) <= 1 / 4096).all()


@given(st.integers(0, 12), st.data())
def test_tile_ids_are_those_of_the_archive_format(z: int, data: st.DataObject) -> None:
    number = st.integers(0, 2**z - 1)
    places = data.draw(st.lists(st.tuples(number, number), min_size=1, max_size=30))
    x, y = np.array(places).T
    assert tile_ids(x, y, z).tolist() == [zxy_to_tileid(z, *place) for place in places]


@given(st.integers(0, 2**24 - 1), st.integers(0, 2**24 - 1))
def test_morton_codes_interleave_bits(x: int, y: int) -> None:
    code = int(morton(np.array([x]), np.array([y]))[0])
    assert f"{code:048b}"[1::2] == f"{x:024b}"
    assert f"{code:048b}"[0::2] == f"{y:024b}"
