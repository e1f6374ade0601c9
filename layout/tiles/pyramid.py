"""All tiles of a map, zoom by zoom, into one archive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.build import Region
from layout.tiles.archive import compress, write_archive
from layout.tiles.density import MAX_ZOOM as DENSITY_ZOOM
from layout.tiles.density import Backdrop
from layout.tiles.detail import deepest_zoom, first_zooms, order_of_importance
from layout.tiles.encoding import PaperRow, RegionPoint, Shape, encode, shown_title
from layout.tiles.grid import Ints, quantise, tile_ids, tile_of, within
from layout.tiles.papers import TileFacts, TilePapers
from layout.workers import Spread, here

_BATCH: Final = 10_000
"""Papers whose tiles are encoded together, whoever does it, and a tenth as many tiles at most."""
TITLED: Final = 40
"""Papers of a tile that carry their title; in the last two zooms all do."""


def write_tiles(
    path: Path, papers: TilePapers, regions: Sequence[Region], *, name: str, spread: Spread = here
) -> TileFacts:
    """Write the tile archive of a map.

    The same papers, regions and name give the same bytes, whoever encodes them.

    Parameters
    ----------
    path : Path
        The file to write; its folder exists.
    papers : TilePapers
        Those that have a position; there may be none.
    regions : sequence of Region
        Every region is in the tiles of all zooms.
    name : str
        Name of the map, kept in the metadata.
    spread : Spread
        Lets other processes encode (`layout.workers.crew`).

    Returns
    -------
    TileFacts

    Raises
    ------
    ValueError
        A position is not finite, or the papers contradict themselves.
    WorkersLost
        Processes that encoded ended.
    """
    x, y = quantise(papers.x), quantise(papers.y)
    order = order_of_importance(papers)
    deepest = deepest_zoom(x, y)
    first = first_zooms(x, y, order, deepest)
    numbers = np.stack([papers.n, papers.area, papers.citations, papers.year]).astype(np.int64)
    rows = order.tolist()
    pyramid = _Pyramid(
        x=x[order],
        y=y[order],
        first=first[order],
        numbers=numbers[:, order],
        region=[papers.region[row] for row in rows],
        title=[shown_title(papers.title[row]) for row in rows],
        regions=regions,
        backdrop=Backdrop.of(x, y),
        deepest=deepest,
    )
    packed = chain.from_iterable(spread(pack, ((batch,) for batch in batches_of(pyramid.tiles(), _BATCH))))
    tiles, largest = write_archive(path, packed, _metadata(name, deepest))
    return TileFacts(0, deepest, first, tiles, largest)


def batches_of(tiles: Iterable[Tile], papers: int) -> Iterator[tuple[Tile, ...]]:
    """Put tiles together, in order: at least one, and no more than hold about as many `papers` or are a tenth as many."""
    batch: list[Tile] = []
    held = 0
    for tile in tiles:
        batch.append(tile)
        held += len(tile.papers)
        if held >= papers or len(batch) >= papers // 10:
            yield tuple(batch)
            batch, held = [], 0
    if batch:
        yield tuple(batch)


def pack(batch: tuple[Tile, ...]) -> list[tuple[int, bytes]]:
    """Id and compressed bytes of each tile."""
    return [(tile.id, compress(encode(tile.papers, tile.regions, tile.shapes))) for tile in batch]


def _metadata(name: str, deepest: int) -> dict[str, Any]:
    """Metadata as TileJSON 3 and PMTiles describe them."""
    fields = {
        "papers": {"a": "Number", "c": "Number", "y": "Number", "r": "String", "t": "String"},
        "regions": {"key": "String", "name": "String", "level": "Number", "papers": "Number"},
        "density": {"level": "Number"},
    }
    depth = {"papers": deepest, "regions": deepest, "density": min(deepest, DENSITY_ZOOM)}
    return {
        "name": name.encode("utf-8", "replace").decode("utf-8"),
        "format": "pbf",
        "type": "overlay",
        "vector_layers": [
            {"id": layer, "fields": fields[layer], "minzoom": 0, "maxzoom": depth[layer]} for layer in fields
        ],
    }


class Tile(NamedTuple):
    """What is to be encoded as one tile."""

    id: int
    papers: list[PaperRow]
    regions: list[RegionPoint]
    shapes: list[Shape]


@dataclass(frozen=True, slots=True)
class _Pyramid:
    """Papers in order of importance, regions and backdrop, ready to be cut into tiles."""

    x: Ints
    y: Ints
    """(k,) grid positions."""
    first: NDArray[np.int8]
    """(k,) first zoom."""
    numbers: Ints
    """(4, k): n, area, citations, year."""
    region: list[str]
    title: list[str]
    regions: Sequence[Region]
    backdrop: Backdrop
    deepest: int

    def tiles(self) -> Iterator[Tile]:
        """Yield each tile that holds anything, in order of id."""
        for z in range(self.deepest + 1):
            regions, shapes = self._regions(z), self._shapes(z)
            papers = dict(self._papers(z))
            for tile_id in sorted(papers.keys() | regions.keys() | shapes.keys()):
                rows = self._rows(papers[tile_id], z) if tile_id in papers else []
                yield Tile(tile_id, rows, regions.get(tile_id, []), shapes.get(tile_id, []))

    def _papers(self, z: int) -> Iterator[tuple[int, Ints]]:
        """Yield each tile's rows, the most important first."""
        rows = np.flatnonzero(self.first <= z)
        ids = tile_ids(tile_of(self.x[rows], z), tile_of(self.y[rows], z), z)
        by_tile = np.argsort(ids, kind="stable")
        distinct, starts = np.unique(ids[by_tile], return_index=True)
        return zip(distinct.tolist(), np.split(rows[by_tile], starts[1:]), strict=False)

    def _rows(self, rows: Ints, z: int) -> list[PaperRow]:
        n, area, citations, year = self.numbers[:, rows].tolist()
        titled = rows.size if z >= self.deepest - 1 else TITLED
        places = rows.tolist()
        title = [self.title[row] for row in places[:titled]] + [""] * (rows.size - titled)
        x, y = within(self.x[rows], z).tolist(), within(self.y[rows], z).tolist()
        return list(zip(n, x, y, area, citations, year, [self.region[row] for row in places], title, strict=True))

    def _regions(self, z: int) -> dict[int, list[RegionPoint]]:
        x, y = (quantise(np.array([getattr(region, axis) for region in self.regions])) for axis in "xy")
        points: dict[int, list[RegionPoint]] = defaultdict(list)
        ids = tile_ids(tile_of(x, z), tile_of(y, z), z).tolist()
        for tile_id, left, top, region in zip(
            ids, within(x, z).tolist(), within(y, z).tolist(), self.regions, strict=True
        ):
            points[tile_id].append(RegionPoint(left, top, region))
        return points

    def _shapes(self, z: int) -> dict[int, list[Shape]]:
        if z > DENSITY_ZOOM:
            return {}
        y, x = np.divmod(np.arange(4**z), 2**z)
        shapes = {
            tile_id: self.backdrop.shapes(z, column, row)
            for tile_id, column, row in zip(tile_ids(x, y, z).tolist(), x.tolist(), y.tolist(), strict=True)
        }
        return {tile_id: shape for tile_id, shape in shapes.items() if shape}
