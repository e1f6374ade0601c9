"""Mapbox Vector Tiles, version 2.1, by the official protobuf runtime.

The schema is built here, in a descriptor pool of its own, so that it clashes with no other library's copy of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from numpy.typing import NDArray

from corpus.build import Region
from layout.tiles.grid import EXTENT

TITLE_CHARACTERS: Final = 200
_POINT, _POLYGON = 1, 3
_ONE_MOVE, _LINE, _CLOSE = 1 << 3 | 1, 2, 7
_PACKED: Final = ("tags", "geometry")
_FIELDS: Final = {
    "Value": (("string_value", 1, "STRING", ""), ("uint_value", 5, "UINT64", "")),
    "Feature": (
        ("id", 1, "UINT64", ""),
        ("tags", 2, "UINT32", "*"),
        ("type", 3, "UINT32", ""),
        ("geometry", 4, "UINT32", "*"),
    ),
    "Layer": (
        ("version", 15, "UINT32", ""),
        ("name", 1, "STRING", ""),
        ("features", 2, "Feature", "*"),
        ("keys", 3, "STRING", "*"),
        ("values", 4, "Value", "*"),
        ("extent", 5, "UINT32", ""),
    ),
    "Tile": (("layers", 3, "Layer", "*"),),
}
"""Message -> field name, number, type and whether it repeats: the part of vector_tile.proto that we write.

An enum is a varint on the wire, so the geometry type is declared as a number.
"""

_Message = Any
"""A message of a class that is made at run time."""


def _tile_class() -> Callable[[], _Message]:
    """Build the message class of a tile."""
    package = "paperatlas.mvt"
    file = descriptor_pb2.FileDescriptorProto(name="paperatlas/mvt.proto", package=package, syntax="proto2")
    field_type = descriptor_pb2.FieldDescriptorProto
    for message, fields in _FIELDS.items():
        described = file.message_type.add(name=message)
        for name, number, kind, repeats in fields:
            field = described.field.add(name=name, number=number)
            field.label = field_type.LABEL_REPEATED if repeats else field_type.LABEL_OPTIONAL
            if name in _PACKED:
                field.options.packed = True
            if kind in _FIELDS:
                field.type, field.type_name = field_type.TYPE_MESSAGE, f".{package}.{kind}"
            else:
                field.type = field_type.Type.Value(f"TYPE_{kind}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made: Callable[[], _Message] = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.Tile"))
    return made


_Tile: Final = _tile_class()

PaperRow = tuple[int, int, int, int, int, int, str, str]
"""n, x and y within the tile (0 .. 4095), area, citations, year (-1: unknown), region and title ("": none)."""


class RegionPoint(NamedTuple):
    """A region's label point as a tile holds it."""

    x: int
    y: int
    region: Region


class Shape(NamedTuple):
    """The ground where the density reaches a level."""

    level: int
    rings: list[NDArray[np.int64]]
    """Each (m, 2), m >= 3, not closed, tile units, y downwards. Exterior rings have a positive area by the surveyor's
    formula and are followed by their holes, which have a negative one (Mapbox Vector Tile 2.1, section 4.3.4.4)."""


def shown_title(title: str | None) -> str:
    """Cut a title at 200 characters and make it valid UTF-8; "" for None."""
    if not title:
        return ""
    if len(title) > TITLE_CHARACTERS:
        title = title[: TITLE_CHARACTERS - 1].rstrip() + "…"
    return title if title.isascii() else title.encode("utf-8", "replace").decode("utf-8")


class _Values(dict[int | str, int]):
    """Numbers each distinct value in order of first use, as a layer's value table does."""

    def __missing__(self, value: int | str) -> int:
        place = self[value] = len(self)
        return place


def _layer(tile: _Message, name: str, keys: Sequence[str]) -> _Message:
    return tile.layers.add(version=2, name=name, extent=EXTENT, keys=keys)


def _store(layer: _Message, values: _Values) -> None:
    for value in values:
        if isinstance(value, str):
            layer.values.add(string_value=value)
        else:
            layer.values.add(uint_value=value)


def encode(papers: Sequence[PaperRow], regions: Sequence[RegionPoint], shapes: Sequence[Shape]) -> bytes:
    """Encode a tile; layers without features are left out, as the format asks.

    Parameters
    ----------
    papers : sequence of PaperRow
        In the order in which they are to be drawn.
    regions : sequence of RegionPoint
    shapes : sequence of Shape
        Faintest first, since denser ones lie inside of them.

    Returns
    -------
    bytes
        Not compressed.
    """
    tile = _Tile()
    if shapes:
        _density_layer(tile, shapes)
    if papers:
        _papers_layer(tile, papers)
    if regions:
        _regions_layer(tile, regions)
    data: bytes = tile.SerializeToString()
    return data


def _papers_layer(tile: _Message, papers: Sequence[PaperRow]) -> None:
    layer = _layer(tile, "papers", ("a", "c", "y", "r", "t"))
    add, values = layer.features.add, _Values()
    for n, x, y, area, citations, year, region, title in papers:
        tags = [0, values[area], 1, values[citations]]
        if year >= 0:
            tags += (2, values[year])
        if region:
            tags += (3, values[region])
        if title:
            tags += (4, values[title])
        add(id=n, type=_POINT, tags=tags, geometry=(_ONE_MOVE, 2 * x, 2 * y))
    _store(layer, values)


def _regions_layer(tile: _Message, regions: Sequence[RegionPoint]) -> None:
    layer = _layer(tile, "regions", ("key", "name", "level", "papers"))
    values = _Values()
    for x, y, region in regions:
        parts: tuple[int | str, ...] = (shown_title(region.key), shown_title(region.name), region.level, region.papers)
        tags = [part for key, value in enumerate(parts) for part in (key, values[value])]
        layer.features.add(type=_POINT, tags=tags, geometry=(_ONE_MOVE, 2 * x, 2 * y))
    _store(layer, values)


def _density_layer(tile: _Message, shapes: Sequence[Shape]) -> None:
    layer = _layer(tile, "density", ("level",))
    values = _Values()
    for level, rings in shapes:
        layer.features.add(type=_POLYGON, tags=(0, values[level]), geometry=_polygon(rings))
    _store(layer, values)


def _polygon(rings: Sequence[NDArray[np.int64]]) -> list[int]:
    """Geometry commands of rings: each one moves to its first point, draws to the others and closes."""
    commands: list[int] = []
    cursor = np.zeros((1, 2), dtype=np.int64)
    for ring in rings:
        steps = np.diff(np.concatenate([cursor, ring]), axis=0)
        zigzag = ((steps << 1) ^ (steps >> 63)).ravel().tolist()
        commands += (_ONE_MOVE, *zigzag[:2], (len(ring) - 1) << 3 | _LINE, *zigzag[2:], 1 << 3 | _CLOSE)
        cursor = ring[-1:]
    return commands
