"""Is it alive, is it ready, what is it."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from corpus.build import FORMAT
from corpus.errors import StoreError
from server.answers import FRESH, MAX_LIMIT, MAX_QUERY, json_response
from server.context import Context
from server.problems import RETRY_AFTER
from server.shield import MAX_LINE, MAX_PARAMETERS

_FRESH: Final = {"Cache-Control": FRESH}


def router(context: Context) -> APIRouter:
    """Build the routes around the store and the builds."""
    routes = APIRouter()

    @routes.get("/healthz")
    def alive() -> Response:
        """Answer while the process lives."""
        return json_response("health/1", {"status": "ok"}, None, None, headers=_FRESH)

    @routes.get("/readyz")
    def ready() -> Response:
        """Answer 200 where the store answers and there is a map, else 503: `degraded` where the map goes on alone."""
        atlas = context.builds.current()
        state, date = "ok", None
        try:
            date = context.store.data_date()
        except StoreError:
            state = "unavailable"
        good = state == "ok" and atlas is not None
        status = "ok" if good else "unavailable" if atlas is None else "degraded"
        body = {
            "status": status,
            "store": state,
            "problem": context.builds.problem and "the newest map cannot be read; see the log",
        }
        headers = _FRESH if good else {**_FRESH, "Retry-After": RETRY_AFTER}
        return json_response("ready/1", body, atlas, date, status=200 if good else 503, headers=headers)

    @routes.get("/version")
    def versions() -> Response:
        """Answer with the versions of the parts, and the limits."""
        atlas = context.builds.current()
        body = {
            "paperatlas": _product(),
            "python": platform.python_version(),
            "store": {"kind": context.store.kind, "version": _store(context)},
            "build_format": FORMAT,
            "limits": {"request_line": MAX_LINE, "parameters": MAX_PARAMETERS, "q": MAX_QUERY, "limit": MAX_LIMIT},
        }
        return json_response("version/1", body, atlas, None if atlas is None else atlas.manifest.data_date)

    return routes


def _product() -> str | None:
    try:
        return version("paperatlas")
    except PackageNotFoundError:  # run from a folder that was never installed
        return None


def _store(context: Context) -> str | None:
    try:
        return context.store.server_version()
    except StoreError:
        return None
