"""Why a paper is not on the map, as JSON; the page is in `server.pages`."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from corpus.why import inquire
from server.answers import FRESH
from server.context import Context


def router(context: Context) -> APIRouter:
    """Build the route around the store and the builds."""
    routes = APIRouter()

    @routes.get("/api/why")
    def why(q: str = "") -> Response:
        """Say why a paper is not on the map, or that it is: 200 for any string."""
        answer = inquire(q, context.library())
        headers = None if answer.store == "ok" else {"Cache-Control": FRESH}
        return Response(msgspec.json.encode(answer), headers=headers, media_type="application/json")

    return routes
