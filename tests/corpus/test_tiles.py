"""The reader of the tile archive, on files written by the format's own package."""

from __future__ import annotations

import gzip
import threading
from pathlib import Path

import pytest
from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer

from corpus.errors import BrokenBuild
from corpus.tiles import TileArchive


def write(path: Path, tiles: dict[tuple[int, int, int], bytes], **header: object) -> Path:
    with path.open("wb") as file:
        writer = Writer(file)
        for tile_id, data in sorted((zxy_to_tileid(*place), data) for place, data in tiles.items()):
            writer.write_tile(tile_id, data)
        kinds = {"tile_type": TileType.MVT, "tile_compression": Compression.GZIP}
        writer.finalize(kinds | header, {"name": "a map"})
    return path


TILES = {(0, 0, 0): b"root", (1, 0, 0): b"north-west", (1, 1, 1): b"south-east", (2, 3, 0): b"corner"}


def test_it_returns_the_stored_bytes_and_none_where_there_is_no_tile(tmp_path: Path) -> None:
    archive = TileArchive.open(write(tmp_path / "a", TILES))
    assert {place: archive.get(*place) for place in TILES} == TILES
    assert archive.get(1, 1, 0) is None
    assert (archive.minzoom, archive.maxzoom, len(archive)) == (0, 2, 4)
    assert archive.metadata == {"name": "a map"}


@pytest.mark.parametrize("place", [(-1, 0, 0), (3, 0, 0), (99, 0, 0), (1, 2, 0), (1, 0, 2), (1, -1, 0), (0, 0, -1)])
def test_a_tile_outside_of_the_map_is_none(tmp_path: Path, place: tuple[int, int, int]) -> None:
    assert TileArchive.open(write(tmp_path / "a", TILES)).get(*place) is None


def test_it_reads_an_archive_with_leaf_directories(tmp_path: Path) -> None:
    z = 7
    tiles = {(z, x, y): f"{x} {y}".encode() * (1 + x * y % 7) for x in range(1 << z) for y in range(1 << z)}
    archive = TileArchive.open(write(tmp_path / "a", tiles))
    assert len(archive) == 4**z
    assert all(archive.get(*place) == data for place, data in tiles.items())


def test_a_missing_file_is_a_broken_build_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(BrokenBuild, match=r"nothing\.pmtiles"):
        TileArchive.open(tmp_path / "nothing.pmtiles")


@pytest.mark.parametrize("content", [b"", b"PMTiles", b"not an archive " * 50, gzip.compress(b"{}", mtime=0)])
def test_a_file_that_is_no_archive_is_a_broken_build(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(BrokenBuild):
        TileArchive.open(tmp_path / "a")


@pytest.mark.parametrize("kind", [{"tile_type": TileType.PNG}, {"tile_compression": Compression.NONE}])
def test_an_archive_of_other_tiles_is_not_ours(tmp_path: Path, kind: dict[str, object]) -> None:
    with pytest.raises(BrokenBuild, match="gzip vector tiles"):
        TileArchive.open(write(tmp_path / "a", TILES, **kind))


def test_a_file_cut_anywhere_is_a_broken_build(tmp_path: Path) -> None:
    whole = write(tmp_path / "a", TILES).read_bytes()
    for length in range(len(whole)):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(BrokenBuild):
            TileArchive.open(tmp_path / "cut")


def test_a_flipped_byte_never_raises_anything_but_broken_build(tmp_path: Path) -> None:
    whole = write(tmp_path / "a", TILES).read_bytes()
    refused = 0
    for place in range(len(whole)):
        for flip in (0x01, 0x80, 0xFF):
            (tmp_path / "b").write_bytes(whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :])
            try:
                TileArchive.open(tmp_path / "b").close()
            except BrokenBuild:
                refused += 1
    assert refused > len(whole)


def test_a_file_cut_short_while_it_is_open_breaks_only_the_tiles_that_are_gone(tmp_path: Path) -> None:
    path = write(tmp_path / "a", TILES)
    archive = TileArchive.open(path)
    with path.open("rb+") as file:
        file.truncate(path.stat().st_size - 1)
    assert archive.get(0, 0, 0) == b"root"
    last = max(TILES, key=lambda place: zxy_to_tileid(*place))
    with pytest.raises(BrokenBuild, match="cut short"):
        archive.get(*last)


def test_closing_twice_is_allowed_and_reading_afterwards_is_refused(tmp_path: Path) -> None:
    archive = TileArchive.open(write(tmp_path / "a", TILES))
    archive.close()
    archive.close()
    with pytest.raises(BrokenBuild, match="closed"):
        archive.get(0, 0, 0)


def test_many_threads_read_the_right_bytes(tmp_path: Path) -> None:
    tiles = {(4, x, y): bytes([x, y]) * 1000 for x in range(16) for y in range(16)}
    archive = TileArchive.open(write(tmp_path / "a", tiles))
    wrong: list[tuple[int, int, int]] = []

    def read() -> None:
        wrong.extend(place for place, data in tiles.items() if archive.get(*place) != data)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
