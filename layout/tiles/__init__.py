"""The tiles of a map: positions in, one PMTiles archive of Mapbox Vector Tiles out. The format: docs/tile-format.md."""

from layout.tiles.papers import TileFacts, TilePapers
from layout.tiles.pyramid import write_tiles

__all__ = ["TileFacts", "TilePapers", "write_tiles"]
