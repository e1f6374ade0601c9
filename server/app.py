"""The application: parts in, routes out. Errors meet HTTP here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from corpus.atlas import Builds
from corpus.errors import AtlasError
from corpus.store import Store
from server import health, papers, search, tilejson, why
from server import pages as pages_
from server.bundle import BUNDLE, INDEX, STATIC, File, read_bundle, read_static
from server.context import Context
from server.problems import STATUS, BadParameter, error_response, problem_response
from server.shield import Shield
from server.tiles import Tiles


def create_app(store: Store, builds: Builds, *, public_url: str | None = None, bundle: Path = BUNDLE) -> FastAPI:
    """Build the application around a store and the builds of a data directory.

    `public_url` (scheme and host, no slash at the end) is what TileJSON points at behind a proxy; without it the
    Host header of the request is used. `bundle` is the folder of the built web map. The application holds no
    state of its own; the caller closes the store.
    """
    app = FastAPI(title="Paper Atlas", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    context = Context(store, builds, public_url.rstrip("/") if public_url else None)
    static = read_static(STATIC)
    pages = pages_.Pages(static)
    for module in (papers, search, why, tilejson, health):
        app.include_router(module.router(context))
    app.include_router(pages_.router(context, pages))
    app.mount("/tiles", Tiles(builds))
    _add_files(app, pages, static, read_bundle(bundle))
    _add_errors(app)
    app.add_middleware(Shield)
    return app


def _add_files(app: FastAPI, pages: pages_.Pages, static: Mapping[str, File], bundle: Mapping[str, File]) -> None:
    @app.get("/static/{name}")
    def own(request: Request, name: str) -> Response:
        return _file(static, name, request)

    @app.get("/")
    def index(request: Request) -> Response:
        if INDEX not in bundle:
            return pages.render("no_bundle.html", status=503, query="", data_date=None)
        return bundle[INDEX].respond(request.headers)

    @app.get("/{name:path}")
    def built(request: Request, name: str) -> Response:
        return _file(bundle, name, request)


def _file(files: Mapping[str, File], name: str, request: Request) -> Response:
    if name not in files:
        raise HTTPException(404)
    return files[name].respond(request.headers)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(AtlasError)
    def ours(_: Request, error: Exception) -> Response:
        return error_response(error if isinstance(error, AtlasError) else AtlasError())

    @app.exception_handler(RequestValidationError)
    def parameters(_: Request, error: Exception) -> Response:
        del error  # it repeats the input
        return error_response(BadParameter("a parameter is missing or cannot be read"))

    @app.exception_handler(HTTPException)
    def http(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return problem_response(STATUS.get(status, STATUS[400]))
