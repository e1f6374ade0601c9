"""TileJSON 3: where the tiles of the current map are, what is in them, and where to look first."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from corpus.atlas import Atlas
from server.answers import json_response
from server.context import Context
from server.tiles import CORS

_EDGE: Final = 85.0511287798066
"""Latitude of the edge of the Web Mercator square, degrees."""
_WINDOW: Final = 900.0
"""Pixels of a window that the whole map should fit in."""
_TILE: Final = 512.0
"""Pixels of the whole square at zoom 0 in MapLibre."""
_INSIDE: Final = (1.0, 99.0)
"""Percentiles of the positions that the first view holds: a few far papers must not shrink the rest."""
_LAYERS: Final = [
    {
        "id": "papers",
        "description": "Papers; the feature id is n of the build",
        "fields": {"a": "Number", "c": "Number", "y": "Number", "r": "String", "t": "String"},
    },
    {
        "id": "regions",
        "description": "Label points of regions",
        "fields": {"key": "String", "name": "String", "level": "Number", "papers": "Number"},
    },
    {"id": "density", "description": "Backdrop", "fields": {"level": "Number"}},
]


def tilejson(atlas: Atlas, origin: str) -> dict[str, Any]:
    """Describe the tiles of a build; `origin` is scheme, host and port."""
    manifest = atlas.manifest
    low, high = atlas.tiles.minzoom, atlas.tiles.maxzoom
    return {
        "tilejson": "3.0.0",
        "name": "Paper Atlas",
        "scheme": "xyz",
        "tiles": [f"{origin}/tiles/{manifest.hash}/{{z}}/{{x}}/{{y}}.mvt"],
        "minzoom": low,
        "maxzoom": high,
        "bounds": [-180.0, -_EDGE, 180.0, _EDGE],
        "vector_layers": [{**layer, "minzoom": low, "maxzoom": high} for layer in _LAYERS],
        "atlas": {
            "build": manifest.hash,
            "data_date": manifest.data_date,
            "papers": manifest.papers,
            "placed": manifest.placed,
            "unplaced": manifest.unplaced,
            "areas": manifest.areas,
            "center": center(atlas),
        },
    }


def center(atlas: Atlas) -> dict[str, float]:
    """Find the first view: map units of its middle, and a zoom at which nearly all papers are inside."""
    x, y = atlas.placed()
    if not len(x):
        return {"x": 0.5, "y": 0.5, "zoom": 0.0}
    left, right = np.percentile(x, _INSIDE)
    top, bottom = np.percentile(y, _INSIDE)
    reach = max(float(right - left), float(bottom - top), _WINDOW / _TILE / 2**atlas.tiles.maxzoom)
    zoom = min(max(math.log2(_WINDOW / (_TILE * reach)), 0.0), float(atlas.tiles.maxzoom))
    return {"x": round(float(left + right) / 2, 6), "y": round(float(top + bottom) / 2, 6), "zoom": round(zoom, 2)}


def router(context: Context) -> APIRouter:
    """Build the route around the builds."""
    routes = APIRouter()

    @routes.get("/tiles.json")
    def describe(request: Request) -> Response:
        """Answer with the TileJSON of the current map; never cached, so that a new map is seen."""
        atlas = context.atlas()
        body = tilejson(atlas, context.origin(request))
        headers = {"Cache-Control": "no-cache", "Vary": "Host", **CORS}
        return json_response("tilejson/1", body, atlas, atlas.manifest.data_date, headers=headers)

    return routes
