"""The tile archive of a map build: a PMTiles file, its directory read once, tiles read on demand."""

from __future__ import annotations

import gzip
import json
import os
import threading
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pmtiles.tile import (
    Compression,
    MagicNumberNotFound,
    SpecVersionUnsupported,
    TileType,
    deserialize_directory,
    deserialize_header,
    zxy_to_tileid,
)

from corpus.errors import BrokenBuild

_HEADER: Final = 127
"""Bytes; PMTiles version 3, section 3."""
_DEEPEST: Final = 31
"""Zoom beyond which tile ids exceed 64 bits; the same, section 4.1."""
_CORRUPT: Final = (
    EOFError,
    IndexError,
    OSError,
    MagicNumberNotFound,
    SpecVersionUnsupported,
    ValueError,  # covers JSON, UTF-8 and an unknown compression
    zlib.error,
)
"""Everything that the decoders of header, directory and metadata raise over altered bytes."""


@dataclass(frozen=True, slots=True)
class _Contents:
    """What is read when an archive is opened."""

    metadata: Mapping[str, Any]
    minzoom: int
    maxzoom: int
    places: Mapping[int, tuple[int, int]]
    """Tile id -> offset in the file and length, bytes."""


class TileArchive:
    """An open archive. Safe for many threads.

    Tiles are read with `pread`, not through a memory map: a file that is cut short below a running server is then a
    `BrokenBuild` for the tiles that are gone, where a memory map would kill the process (SIGBUS).
    """

    def __init__(self, path: Path, handle: int, contents: _Contents) -> None:
        self.path = path
        self.minzoom = contents.minzoom
        self.maxzoom = contents.maxzoom
        self.metadata = contents.metadata
        """The archive's JSON metadata: `name`, `format`, `vector_layers` and more."""
        self._places = contents.places
        self._handle: int | None = handle
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path) -> TileArchive:
        """Open the archive at `path` and read its directory.

        Raises `BrokenBuild` where the file is missing, altered or not ours.
        """
        try:
            with path.open("rb") as file:
                contents = _read(file.fileno())
                return cls(path, os.dup(file.fileno()), contents)
        except _CORRUPT as error:
            what = str(error) or type(error).__name__
            raise BrokenBuild(f"{path} cannot be read ({what}); run `paperatlas layout` again") from error

    def __len__(self) -> int:
        """Number of tiles in the archive."""
        return len(self._places)

    def get(self, z: int, x: int, y: int) -> bytes | None:
        """Return the stored bytes of a tile, compressed with gzip.

        Parameters
        ----------
        z, x, y : int
            Zoom, column from the left, row from the top.

        Returns
        -------
        bytes or None
            None where the archive holds no such tile: it is empty, or outside of the zooms or of the map.

        Raises
        ------
        BrokenBuild
            The file was cut short, or the archive was closed.
        """
        if not (self.minzoom <= z <= self.maxzoom and 0 <= x < 1 << z and 0 <= y < 1 << z):
            return None
        place = self._places.get(zxy_to_tileid(z, x, y))
        if place is None:
            return None
        offset, length = place
        with self._lock:  # a handle closed between look-up and read may be another file's by then
            if self._handle is None:
                raise BrokenBuild(f"{self.path} was closed")
            data = os.pread(self._handle, length, offset)
        if len(data) != length:
            raise BrokenBuild(f"{self.path} was cut short: tile {z}/{x}/{y} is gone; run `paperatlas layout` again")
        return data

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        with self._lock:
            if self._handle is not None:
                os.close(self._handle)
                self._handle = None

    def __del__(self) -> None:
        handle: int | None = getattr(self, "_handle", None)
        if handle is not None:
            os.close(handle)


def _read(handle: int) -> _Contents:
    header = deserialize_header(_part(handle, 0, _HEADER))
    if header["tile_type"] is not TileType.MVT or header["tile_compression"] is not Compression.GZIP:
        raise ValueError("not an archive of gzip vector tiles")
    if not header["min_zoom"] <= header["max_zoom"] <= _DEEPEST:
        raise ValueError("the zooms make no sense")
    metadata = json.loads(gzip.decompress(_part(handle, header["metadata_offset"], header["metadata_length"])))
    if not isinstance(metadata, dict):
        raise ValueError("the metadata is not an object")
    return _Contents(metadata, header["min_zoom"], header["max_zoom"], _places(handle, header))


def _places(handle: int, header: Mapping[str, Any]) -> dict[int, tuple[int, int]]:
    """Walk the root directory and its leaves. Entries lie one level deep at most, as the format recommends."""
    start, end = header["tile_data_offset"], header["tile_data_offset"] + header["tile_data_length"]
    if end > os.fstat(handle).st_size:
        raise ValueError("the file was cut short")
    places: dict[int, tuple[int, int]] = {}
    entries = deserialize_directory(_part(handle, header["root_offset"], header["root_length"]))
    leaves = [entry for entry in entries if entry.run_length == 0]
    for leaf in leaves:
        entries += deserialize_directory(_part(handle, header["leaf_directory_offset"] + leaf.offset, leaf.length))
    for entry in entries[len(leaves) :] if leaves else entries:
        offset = start + entry.offset
        if entry.run_length != 1 or entry.length == 0 or not start <= offset <= end - entry.length:
            raise ValueError("the directory points outside of the tiles")
        places[entry.tile_id] = (offset, entry.length)
    if len(places) != header["addressed_tiles_count"]:
        raise ValueError("the directory is incomplete")
    return places


def _part(handle: int, offset: int, length: int) -> bytes:
    if offset + length > os.fstat(handle).st_size:
        raise EOFError("the file was cut short")
    return os.pread(handle, length, offset)
