"""Tiles, as they lie in the archive: one address a tile, the stored gzip bytes, cached for ever."""

from __future__ import annotations

import gzip
import re
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from corpus.atlas import Atlas, Builds
from server.answers import IMMUTABLE
from server.problems import STATUS, Problem, problem_response

MEDIA_TYPE: Final = "application/vnd.mapbox-vector-tile"
CORS: Final = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
_NUMBER: Final = "(0|[1-9][0-9]{0,9})"
_TILE: Final = re.compile(rf"/([0-9a-f]{{64}})/{_NUMBER}/{_NUMBER}/{_NUMBER}\.mvt", re.ASCII)
_DEEPEST: Final = 30
_PARAMETER: Final = Problem(
    400, "unknown_parameter", "Tiles take no parameters", "Ask for the address without a query."
)


class Tiles:
    """An ASGI application to be mounted at `/tiles`: `/{build}/{z}/{x}/{y}.mvt`.

    It runs on the event loop: a look-up in memory needs no thread. Only a build that is not open yet is opened in one.
    """

    def __init__(self, builds: Builds) -> None:
        self.builds = builds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await self._answer(scope)
        await response(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response:
        path: str = scope["path"]
        raw = scope.get("raw_path")
        match = _TILE.fullmatch(path.removeprefix(scope.get("root_path", "")))
        if match is None or (raw is not None and raw.split(b"?", 1)[0] != path.encode("utf-8", "replace")):
            return _refusal(STATUS[404])  # an escaped or padded number would be a second address of the same tile
        if scope["query_string"]:
            return _refusal(_PARAMETER)
        digest, z, x, y = match[1], int(match[2]), int(match[3]), int(match[4])
        atlas = self.builds.opened(digest) or await run_in_threadpool(self.builds.get, digest)
        if atlas is None or not _inside(atlas, z, x, y):
            return _refusal(STATUS[404])
        return tile_response(atlas, z, x, y, Headers(scope=scope))


def tile_response(atlas: Atlas, z: int, x: int, y: int, headers: Headers) -> Response:
    """Answer for one tile inside the map: 200, 204 where it is empty, 304 where the client has it."""
    packed = accepts_gzip(headers.get("accept-encoding"))
    etag = f'"{atlas.manifest.hash[:32]}-{z}-{x}-{y}{"-gz" if packed else ""}"'
    shared = {"ETag": etag, "Cache-Control": IMMUTABLE, "Vary": "Accept-Encoding", **CORS}
    body = atlas.tiles.get(z, x, y)
    if body is None:
        return Response(None, 204, shared)
    if matches(headers.get("if-none-match"), etag):
        return Response(None, 304, shared)
    if packed:
        return Response(body, 200, {**shared, "Content-Encoding": "gzip"}, MEDIA_TYPE)
    return Response(gzip.decompress(body), 200, shared, MEDIA_TYPE)


def accepts_gzip(header: str | None) -> bool:
    """Say whether an Accept-Encoding header allows gzip (RFC 9110, 12.5.3); without the header we do not pack."""
    weights: dict[str, bool] = {}
    for part in (header or "").lower().split(","):
        name, _, parameter = part.partition(";")
        weights[name.strip()] = not re.fullmatch(r"\s*q\s*=\s*0(\.0{0,3})?\s*", parameter)
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", False)))


def matches(header: str | None, etag: str) -> bool:
    """Say whether an If-None-Match header names this ETag, or any."""
    names = [name.strip().removeprefix("W/") for name in (header or "").split(",")]
    return etag in names or "*" in names


def _inside(atlas: Atlas, z: int, x: int, y: int) -> bool:
    return z <= _DEEPEST and atlas.tiles.minzoom <= z <= atlas.tiles.maxzoom and x < 1 << z and y < 1 << z


def _refusal(problem: Problem) -> Response:
    response = problem_response(problem)
    response.headers.update(CORS)
    return response
