"""The PMTiles archive, written so that the same tiles always give the same bytes.

`pmtiles.writer` is not used: it takes two tiles for equal when Python's randomised `hash` says so, without comparing
them, and fails on an archive without tiles. Its functions for header and directories are.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, Final

from pmtiles.tile import Compression, Entry, HeaderDict, TileType, serialize_header, tileid_to_zxy
from pmtiles.writer import optimize_directories

_HEADER: Final = 127
_ROOT: Final = 16_384 - _HEADER
"""The root directory must lie within the first 16 KiB (PMTiles version 3, section 2)."""
_EDGE: Final = 85.0511287798066
"""Latitude at which the Web Mercator square ends, degrees."""


def compress(data: bytes) -> bytes:
    """Compress with gzip, level 6, without name or time in the header."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def write_archive(path: Path, tiles: Iterable[tuple[int, bytes]], metadata: Mapping[str, Any]) -> tuple[int, int]:
    """Write an archive.

    Parameters
    ----------
    path : Path
        The file to write.
    tiles : iterable of (tile id, bytes)
        Ascending ids; bytes of a vector tile, compressed. Without any, an empty tile of zoom 0 is stored, since
        the format asks for at least one entry.
    metadata : mapping
        JSON metadata.

    Returns
    -------
    int, int
        Number of tiles and bytes of the largest one, compressed.

    Raises
    ------
    ValueError
        Tile ids do not ascend.
    """
    entries: list[Entry] = []
    with tempfile.TemporaryFile(dir=path.parent) as body:
        for tile_id, data in tiles:
            _add(entries, body, tile_id, data)
        if not entries:
            _add(entries, body, 0, compress(b""))
        with path.open("wb") as file:
            _write_head(file, entries, metadata)
            body.seek(0)
            shutil.copyfileobj(body, file, 1 << 20)
    return len(entries), max(entry.length for entry in entries)


def _add(entries: list[Entry], body: IO[bytes], tile_id: int, data: bytes) -> None:
    if entries and tile_id <= entries[-1].tile_id:
        raise ValueError(f"tile {tile_id} comes after {entries[-1].tile_id}")
    entries.append(Entry(tile_id, body.tell(), len(data), 1))
    body.write(data)


def _write_head(file: IO[bytes], entries: list[Entry], metadata: Mapping[str, Any]) -> None:
    """Write header, root directory, metadata and leaf directories, in the usual order of the format."""
    root, leaves, _ = optimize_directories(entries, _ROOT)  # type: ignore[no-untyped-call]
    about = compress(json.dumps(metadata, separators=(",", ":")).encode())
    after_root = _HEADER + len(root)
    after_about = after_root + len(about)
    header: HeaderDict = {
        "version": 3,
        "root_offset": _HEADER,
        "root_length": len(root),
        "metadata_offset": after_root,
        "metadata_length": len(about),
        "leaf_directory_offset": after_about,
        "leaf_directory_length": len(leaves),
        "tile_data_offset": after_about + len(leaves),
        "tile_data_length": entries[-1].offset + entries[-1].length,
        "addressed_tiles_count": len(entries),
        "tile_entries_count": len(entries),
        "tile_contents_count": len(entries),
        "clustered": True,
        "internal_compression": Compression.GZIP,
        "tile_compression": Compression.GZIP,
        "tile_type": TileType.MVT,
        "min_zoom": tileid_to_zxy(entries[0].tile_id)[0],
        "max_zoom": tileid_to_zxy(entries[-1].tile_id)[0],
        "min_lon_e7": -1_800_000_000,
        "max_lon_e7": 1_800_000_000,
        "min_lat_e7": -round(_EDGE * 1e7),
        "max_lat_e7": round(_EDGE * 1e7),
        "center_zoom": 0,
        "center_lon_e7": 0,
        "center_lat_e7": 0,
    }
    file.write(serialize_header(header) + root + about + leaves)
