"""Whole archives, read back with the format's own reader and an independent decoder of vector tiles."""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mapbox_vector_tile
import numpy as np
import pytest
from numpy.typing import ArrayLike
from pmtiles.reader import MemorySource, Reader, all_tiles

from corpus.build import Region
from corpus.tiles import TileArchive
from layout.tiles import TileFacts, TilePapers, pyramid, write_tiles
from layout.tiles.pyramid import Tile, batches_of
from layout.workers import crew

ROOT = Path(__file__).resolve().parents[2]


def made(x: ArrayLike, y: ArrayLike, **columns: object) -> TilePapers:
    k = len(np.asarray(x))
    plain: dict[str, Any] = {
        "x": np.asarray(x, dtype=np.float32),
        "y": np.asarray(y, dtype=np.float32),
        "n": np.arange(k, dtype=np.int32),
        "area": np.zeros(k, dtype=np.int16),
        "citations": np.zeros(k, dtype=np.int32),
        "year": np.full(k, 2000, dtype=np.int16),
        "region": [""] * k,
        "title": [None] * k,
    }
    return TilePapers(**(plain | columns))


def scattered(k: int) -> TilePapers:
    rng = np.random.default_rng(k)
    middle = rng.uniform(0.1, 0.9, (9, 2))
    x, y = np.clip(middle[rng.integers(9, size=k)] + rng.normal(0, 0.03, (k, 2)), 0, 1).T
    return made(
        x,
        y,
        n=rng.permutation(3 * k)[:k].astype(np.int32),
        area=rng.integers(0, 9, k).astype(np.int16),
        citations=rng.integers(0, 900, k).astype(np.int32),
        year=rng.choice([-1, 1965, 1999, 2024], k).astype(np.int16),
        region=rng.choice(["", "0-01", "1-07"], k).tolist(),
        title=[f"On case {row}" for row in range(k)],
    )


REGIONS = [
    Region("0-01", "Graphs", 0, None, 0.2, 0.3, 700),
    Region("1-07", "Citation analysis", 1, "0-01", 0.9, 1.0, 12),
]


class Archive:
    """What the independent readers find in a file."""

    def __init__(self, path: Path) -> None:
        source = MemorySource(path.read_bytes())
        self.reader = Reader(source)
        self.bytes = {place: gzip.decompress(data) for place, data in all_tiles(source)}

    def layer(self, name: str, place: tuple[int, int, int]) -> list[dict[str, Any]]:
        tile = mapbox_vector_tile.decode(self.bytes[place], default_options={"y_coord_down": True})
        features: list[dict[str, Any]] = tile.get(name, {}).get("features", [])
        return features

    def features(self, name: str) -> Iterator[tuple[tuple[int, int, int], dict[str, Any]]]:
        for place in self.bytes:
            for feature in self.layer(name, place):
                yield place, feature


def written(folder: Path, papers: TilePapers, regions: list[Region] | None = None) -> tuple[Archive, TileFacts]:
    path = folder / "tiles.pmtiles"
    facts = write_tiles(path, papers, regions or [], name="a map")
    assert facts.tiles == len(TileArchive.open(path))
    assert facts.largest == max(
        len(data) for place in Archive(path).bytes if (data := TileArchive.open(path).get(*place)) is not None
    )
    return Archive(path), facts


@pytest.mark.parametrize("papers", [scattered(40), scattered(12_000)], ids=len)
def test_a_paper_is_in_one_tile_of_each_zoom_from_its_first_one_on_and_at_its_place(
    tmp_path: Path, papers: TilePapers
) -> None:
    archive, facts = written(tmp_path, papers)
    seen: dict[int, list[int]] = defaultdict(list)
    row = {int(n): i for i, n in enumerate(papers.n)}
    for (z, column, line), feature in archive.features("papers"):
        i = row[feature["id"]]
        seen[i].append(z)
        left, top = feature["geometry"]["coordinates"]
        assert 0 <= min(left, top) <= max(left, top) < 4096
        side = 2**z * 4096
        assert 0 <= papers.x[i] * side - (column * 4096 + left) <= 1
        assert 0 <= papers.y[i] * side - (line * 4096 + top) <= 1
    assert {i: sorted(zooms) for i, zooms in seen.items()} == {
        i: list(range(facts.paper_minzoom[i], facts.maxzoom + 1)) for i in range(len(papers))
    }


def test_attributes_arrive_as_they_were_and_the_unknown_is_absent(tmp_path: Path) -> None:
    papers = scattered(60)
    archive, facts = written(tmp_path, papers)
    row = {int(n): i for i, n in enumerate(papers.n)}
    for (z, *_), feature in archive.features("papers"):
        i, told = row[feature["id"]], feature["properties"]
        expected: dict[str, Any] = {"a": int(papers.area[i]), "c": int(papers.citations[i])}
        if papers.year[i] >= 0:
            expected["y"] = int(papers.year[i])
        if papers.region[i]:
            expected["r"] = papers.region[i]
        if "t" in told or z >= facts.maxzoom - 1:
            expected["t"] = papers.title[i]
        assert told == expected


def test_a_place_on_the_map_is_the_place_of_the_contract_on_the_globe(tmp_path: Path) -> None:
    x, y = 0.8125, 0.140625
    longitude, latitude = 360 * x - 180, math.atan(math.sinh(math.pi * (1 - 2 * y)))
    assert latitude > 0, "y runs downwards: a small y is in the north"
    archive, _ = written(tmp_path, made([x, 0.1, 0.11], [y, 0.9, 0.91]))
    z = max(place[0] for place in archive.bytes)
    column = (longitude + 180) / 360 * 2**z  # the usual web map tile of a longitude and latitude
    line = (1 - math.asinh(math.tan(latitude)) / math.pi) / 2 * 2**z
    found = {f["id"]: f["geometry"]["coordinates"] for f in archive.layer("papers", (z, int(column), int(line)))}
    assert found[0] == pytest.approx([column % 1 * 4096, line % 1 * 4096], abs=1)


def test_titles_stand_on_the_forty_most_important_of_a_tile_and_on_all_of_the_last_two_zooms(tmp_path: Path) -> None:
    archive, facts = written(tmp_path, scattered(40_000))
    assert facts.maxzoom >= 3
    for place in archive.bytes:
        features = archive.layer("papers", place)
        titled = ["t" in feature["properties"] for feature in features]
        if place[0] >= facts.maxzoom - 1:
            assert all(titled)
        else:
            assert titled == [i < 40 for i in range(len(features))]


def test_the_most_important_paper_of_a_tile_comes_first(tmp_path: Path) -> None:
    archive, _ = written(tmp_path, made([0.2, 0.3, 0.4], [0.5] * 3, citations=np.array([3, 90, 3], dtype=np.int32)))
    assert [feature["id"] for feature in archive.layer("papers", (0, 0, 0))] == [1, 0, 2]


def test_regions_are_in_all_zooms_at_their_label_point(tmp_path: Path) -> None:
    archive, facts = written(tmp_path, scattered(12_000), REGIONS)
    zooms: dict[str, list[int]] = defaultdict(list)
    known = {region.key: region for region in REGIONS}
    for (z, column, line), feature in archive.features("regions"):
        told = feature["properties"]
        region = known[told["key"]]
        assert told == {"key": region.key, "name": region.name, "level": region.level, "papers": region.papers}
        left, top = feature["geometry"]["coordinates"]
        assert (column + left / 4096) / 2**z == pytest.approx(region.x, abs=1 / 4096 / 2**z)
        assert (line + top / 4096) / 2**z == pytest.approx(region.y, abs=1.01 / 4096 / 2**z)
        zooms[region.key].append(z)
    assert dict(zooms) == {key: list(range(facts.maxzoom + 1)) for key in known}


@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_a_handful_of_papers_makes_a_map(tmp_path: Path, k: int) -> None:
    archive, facts = written(tmp_path, scattered(k))
    assert facts.paper_minzoom.tolist() == [0] * k
    assert {feature["id"] for _, feature in archive.features("papers")} == set(scattered(k).n.tolist())
    assert bool(list(archive.features("density"))) == bool(k)
    header = archive.reader.header()
    assert (header["min_zoom"], header["max_zoom"]) == (facts.minzoom, facts.maxzoom)


def test_papers_on_the_edges_of_the_map_are_in_the_outermost_tiles(tmp_path: Path) -> None:
    corners = made([0, 0, 1, 1, 0.5], [0, 1, 0, 1, 1], n=np.array([7, 0, 5, 2, 9], dtype=np.int32))
    archive, facts = written(tmp_path, corners)
    last = 2**facts.maxzoom - 1
    found = {f["id"]: place for place, f in archive.features("papers") if place[0] == facts.maxzoom}
    z = facts.maxzoom
    assert {n: found[n] for n in (7, 0, 5, 2)} == {7: (z, 0, 0), 0: (z, 0, last), 5: (z, last, 0), 2: (z, last, last)}
    assert found[9][2] == last


def test_ten_thousand_papers_on_one_spot_are_all_in_one_tile_and_ask_for_no_zoom(tmp_path: Path) -> None:
    archive, facts = written(tmp_path, made([0.3] * 10_000, [0.7] * 10_000))
    assert (facts.maxzoom, facts.tiles) == (0, 1)
    assert len(archive.layer("papers", (0, 0, 0))) == 10_000
    assert archive.layer("density", (0, 0, 0))


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("", None),
        ("👩‍👩‍👧 families of \U0001d49f-modules", "👩‍👩‍👧 families of \U0001d49f-modules"),
        ("مقدمة في نظرية الأعداد", "مقدمة في نظرية الأعداد"),
        ('"Quotes" <b>&amp;\\ \x00\u202e</b>', '"Quotes" <b>&amp;\\ \x00\u202e</b>'),
        ("half a pair \ud83d", "half a pair ?"),
        ("x" * 200, "x" * 200),
        ("日" * 20_000, "日" * 199 + "…"),
    ],
)
def test_hostile_titles_arrive_whole_or_cut(tmp_path: Path, title: str, shown: str | None) -> None:
    archive, _ = written(tmp_path, made([0.5], [0.5], title=[title]), [replaced_name(title)])
    assert archive.layer("papers", (0, 0, 0))[0]["properties"].get("t") == shown
    assert archive.layer("regions", (0, 0, 0))[0]["properties"]["name"] == (shown or "")


def replaced_name(name: str) -> Region:
    return Region("0-01", name, 0, None, 0.5, 0.5, 1)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_position_that_is_not_finite_is_refused(tmp_path: Path, bad: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        write_tiles(tmp_path / "a", made([0.5, bad], [0.5, 0.5]), [], name="")


def test_papers_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(ValueError, match="different length"):
        replace(scattered(3), title=["one"])
    with pytest.raises(ValueError, match="distinct"):
        replace(scattered(2), n=np.array([4, 4], dtype=np.int32))


def test_the_metadata_describe_the_layers_for_any_client(tmp_path: Path) -> None:
    archive, facts = written(tmp_path, scattered(12_000), REGIONS)
    metadata, header = archive.reader.metadata(), archive.reader.header()
    assert (metadata["name"], metadata["format"]) == ("a map", "pbf")
    layers = {layer["id"]: layer for layer in metadata["vector_layers"]}
    for name in ("papers", "regions", "density"):
        zooms = [place[0] for place, _ in archive.features(name)]
        assert (layers[name]["minzoom"], layers[name]["maxzoom"]) == (min(zooms), max(zooms))
        told = {key for _, feature in archive.features(name) for key in feature["properties"]}
        assert told == set(layers[name]["fields"])
    assert (header["min_zoom"], header["max_zoom"], header["clustered"]) == (0, facts.maxzoom, True)


PROGRAM = """
import sys
sys.path.insert(0, "tests/layout")
from pathlib import Path
from test_tiles import REGIONS, scattered, write_tiles
write_tiles(Path(sys.argv[1]), scattered(3000), REGIONS, name="a map")
"""


def test_the_same_papers_give_the_same_bytes_in_any_process_at_any_time(tmp_path: Path) -> None:
    digests = set()
    for hash_seed, zone in (("0", "UTC"), ("4711", "Asia/Tokyo")):
        path = tmp_path / hash_seed
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": zone, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", PROGRAM, str(path)], cwd=ROOT, env=environment, check=True)
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
        data = path.read_bytes()
        for place in Archive(path).bytes:
            tile = TileArchive.open(path).get(*place)
            assert tile is not None
            assert tile[3:8] == b"\0" * 5, "no name and no time in the gzip header"
        assert data[127 + 3 : 127 + 8] == b"\0" * 5
    assert len(digests) == 1


def test_order_of_rows_and_regions_far_from_papers_do_not_change_what_is_shown(tmp_path: Path) -> None:
    papers = scattered(6_000)
    turned = np.random.default_rng(1).permutation(len(papers))
    columns = {name: getattr(papers, name)[turned] for name in ("n", "x", "y", "area", "citations", "year")}
    lists = {name: [getattr(papers, name)[row] for row in turned] for name in ("region", "title")}
    facts = write_tiles(tmp_path / "a", papers, [], name="")
    other = write_tiles(tmp_path / "b", TilePapers(**columns, **lists), [], name="")
    assert (other.paper_minzoom == facts.paper_minzoom[turned]).all()
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_tiles_are_put_together_by_what_is_in_them() -> None:
    row = (1, 2, 3, 4, 5, 6, "", "")
    tiles = [Tile(at, [row] * papers, [], []) for at, papers in enumerate((7, 5, 0, 4, 30, 0, 0, 0, 1))]
    assert [[tile.id for tile in batch] for batch in batches_of(iter(tiles), 10)] == [[at] for at in range(9)]
    assert [[tile.id for tile in batch] for batch in batches_of(iter(tiles), 30)] == [[0, 1, 2], [3, 4], [5, 6, 7], [8]]
    assert list(batches_of(iter(()), 10)) == []


def test_other_processes_encode_to_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyramid, "_BATCH", 100)
    alone = write_tiles(tmp_path / "alone", scattered(1_000), REGIONS, name="Somewhere")
    with crew(2) as spread:
        together = write_tiles(tmp_path / "together", scattered(1_000), REGIONS, name="Somewhere", spread=spread)
    assert together.paper_minzoom.tolist() == alone.paper_minzoom.tolist()
    assert (tmp_path / "together").read_bytes() == (tmp_path / "alone").read_bytes()
