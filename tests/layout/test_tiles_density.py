"""The backdrop: shape, winding, seams; and the archive writer's refusals."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import mapbox_vector_tile
import numpy as np
import pytest
from numpy.typing import NDArray
from shapely.affinity import scale, translate
from shapely.geometry import MultiPolygon, Point, Polygon, box, shape
from shapely.ops import unary_union

from layout.tiles.archive import write_archive
from layout.tiles.density import Backdrop, bandwidth, doubled_area
from layout.tiles.encoding import Shape, encode
from layout.tiles.grid import Ints, quantise


def islands(k: int) -> tuple[Ints, Ints]:
    rng = np.random.default_rng(k)
    spots = rng.uniform(0.1, 0.9, (12, 2))[rng.integers(12, size=k)]
    xy = np.clip(spots + rng.normal(0, 0.04, (k, 2)), 0, 1)
    return quantise(xy[:, 0]), quantise(xy[:, 1])


def ground(found: Shape) -> MultiPolygon:
    """Put a shape together by the rules of the format: a ring of negative area is a hole of the one before."""
    polygons: list[tuple[NDArray[np.int64], list[NDArray[np.int64]]]] = []
    for ring in found.rings:
        if doubled_area(ring) > 0:
            polygons.append((ring, []))
        else:
            polygons[-1][1].append(ring)
    return MultiPolygon([Polygon(outer, holes) for outer, holes in polygons])


TILE = box(0, 0, 4096, 4096)


@pytest.mark.parametrize("k", [1, 2, 3, 40, 600, 20_000])
def test_rings_wind_as_the_format_asks_and_polygons_are_sound(k: int) -> None:
    backdrop = Backdrop.of(*islands(k))
    for z in range(5):
        for column, line in np.ndindex(2**z, 2**z):
            for found in backdrop.shapes(z, column, line):
                assert all(len(ring) >= 3 and doubled_area(ring) != 0 for ring in found.rings)
                assert doubled_area(found.rings[0]) > 0, "an exterior ring comes first"
                polygons = ground(found)
                repaired = polygons.buffer(0)
                assert repaired.area == pytest.approx(polygons.area, rel=1e-3, abs=50), "no ring winds the wrong way"


def test_the_sign_of_an_area_is_that_of_the_format() -> None:
    """The first ring of the specification's example of a polygon runs clockwise on a screen."""
    assert doubled_area(np.array([[0, 0], [10, 0], [10, 10], [0, 10]])) == 200


@pytest.mark.parametrize("k", [1, 2, 600, 20_000])
def test_each_level_lies_on_the_one_before_and_the_densest_covers_the_densest_place(k: int) -> None:
    x, y = islands(k)
    backdrop = Backdrop.of(x, y)
    shapes = backdrop.shapes(0, 0, 0)
    assert [found.level for found in shapes] == list(range(6))
    grounds = [ground(found).buffer(0) for found in shapes]
    for outer, inner in pairwise(grounds):
        assert outer.buffer(2).covers(inner)
        assert inner.area < outer.area
    row, column = np.unravel_index(backdrop.field.argmax(), backdrop.field.shape)
    densest = (np.array([column, row]) - backdrop.border + 0.5) / backdrop.side * 4096
    assert grounds[-1].covers(Point(densest))


@pytest.mark.parametrize("k", [600, 7_500])
def test_nearly_all_papers_stand_on_land_which_is_in_few_pieces_and_leaves_sea(k: int) -> None:
    x, y = islands(k)
    land = ground(Backdrop.of(x, y).shapes(0, 0, 0)[0]).buffer(0)
    ashore = np.mean([land.covers(Point(px, py)) for px, py in zip((x / 4096)[:500], (y / 4096)[:500], strict=True)])
    assert ashore > 0.93
    pieces = len(land.geoms) if isinstance(land, MultiPolygon) else 1
    assert pieces <= 30
    assert 0.1 < land.intersection(TILE).area / TILE.area < 0.8


def test_the_kernel_narrows_as_papers_come() -> None:
    widths = [bandwidth(*islands(k)) for k in (60, 600, 7_500, 200_000)]
    assert widths == sorted(widths, reverse=True)
    assert bandwidth(*islands(1)) > 0.02, "a lone paper is an island, not a dot"


def test_neighbouring_tiles_continue_each_other_and_zooms_agree() -> None:
    backdrop = Backdrop.of(*islands(7_500))
    whole = {found.level: ground(found).buffer(0).intersection(TILE) for found in backdrop.shapes(0, 0, 0)}
    for z in (1, 3):
        pieces: dict[int, list[Polygon]] = {level: [] for level in whole}
        for column, line in np.ndindex(2**z, 2**z):
            for found in backdrop.shapes(z, column, line):
                moved = translate(ground(found).buffer(0).intersection(TILE), column * 4096, line * 4096)
                pieces[found.level].append(scale(moved, 2**-z, 2**-z, origin=(0, 0)))
        for level, all_of_it in whole.items():
            together = unary_union(pieces[level])
            assert together.symmetric_difference(all_of_it).area < 0.02 * all_of_it.area


def test_cut_edges_lie_outside_of_the_tile() -> None:
    """The renderer draws the rim of a polygon; where land goes on in the next tile, no rim may be seen."""
    rng = np.random.default_rng(1)
    backdrop = Backdrop.of(quantise(rng.uniform(0, 1, 20_000)), quantise(rng.uniform(0, 1, 20_000)))
    for z, column, line in ((2, 1, 1), (3, 3, 4), (4, 7, 7)):
        assert ground(backdrop.shapes(z, column, line)[0]).covers(box(-16, -16, 4096 + 16, 4096 + 16))


def test_without_papers_there_is_no_land() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert Backdrop.of(none, none).shapes(0, 0, 0) == []


def test_the_backdrop_ends_at_zoom_4() -> None:
    backdrop = Backdrop.of(*islands(600))
    assert any(backdrop.shapes(4, x, y) for x, y in np.ndindex(16, 16))
    assert not any(backdrop.shapes(5, x, y) for x, y in np.ndindex(32, 32))


@pytest.mark.parametrize("k", [600, 200_000])
def test_the_backdrop_of_the_whole_map_is_small(k: int) -> None:
    shapes = Backdrop.of(*islands(k)).shapes(0, 0, 0)
    assert len(gzip.compress(encode([], [], shapes))) <= 60_000


def test_a_hole_arrives_as_a_hole() -> None:
    square = np.array([[0, 0], [100, 0], [100, 100], [0, 100]])
    hole = np.array([[20, 20], [20, 60], [60, 60], [60, 20]])
    island = square + 200
    tile = encode([], [], [Shape(0, [square, hole, island])])
    layer = mapbox_vector_tile.decode(tile, default_options={"y_coord_down": True})["density"]
    assert layer["features"][0]["properties"] == {"level": 0}
    decoded = shape(layer["features"][0]["geometry"])
    assert decoded.is_valid
    assert decoded.area == 100 * 100 - 40 * 40 + 100 * 100


def test_tiles_out_of_order_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="comes after"):
        write_archive(tmp_path / "a", [(3, b"x"), (3, b"y")], {})
