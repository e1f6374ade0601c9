"""Why a paper is not on the map, as JSON; the page is in `server.pages`."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from corpus.why import explain
from server.context import Context


def router(context: Context) -> APIRouter:
    """Build the route around the store and the builds."""
    routes = APIRouter()

    @routes.get("/api/why")
    def why(q: str = "") -> Response:
        """Say why a paper is not on the map, or that it is: 200 for any string."""
        answer = explain(q, context.store, context.builds.current())
        return Response(msgspec.json.encode(answer), media_type="application/json")

    return routes
