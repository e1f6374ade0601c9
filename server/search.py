"""Search as you type: an identifier in any form first, then papers that hold every word."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from corpus.briefs import Brief
from corpus.errors import StoreUnavailable
from corpus.library import Library
from corpus.words import plain, tokens
from server.answers import FRESH, MAX_LIMIT, MAX_QUERY, json_response, whole
from server.context import Context
from server.problems import RETRY_AFTER, BadParameter, problem_of

DEFAULT_LIMIT = 20
_MAP_ALONE = "The database does not answer just now; these are titles of the map alone."


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found."""

    results: tuple[Brief, ...]
    truncated: bool
    """Whether more papers hold the words than are given."""


def search(library: Library, text: str, limit: int) -> Hits:
    """Search by identifier and by words; no search syntax is ever passed on."""
    _, found = library.find_named(text)
    first = [] if found is None else [found.brief]
    words = [brief for brief in library.search(tokens(text), limit + 1) if not first or brief.id != first[0].id]
    hits = first + words
    return Hits(tuple(hits[:limit]), truncated=len(hits) > limit)


def read_query(q: str | None) -> str:
    """Check and clean a query; raise `BadParameter` above 200 characters."""
    if q is not None and len(q) > MAX_QUERY:
        raise BadParameter(f"'q' has at most {MAX_QUERY} characters")
    return plain(q or "")


def router(context: Context) -> APIRouter:
    """Build the route around the store and the builds."""
    routes = APIRouter()

    @routes.get("/api/search")
    def answer(q: str | None = None, limit: str | None = None) -> Response:
        """Answer with the papers that a query finds."""
        query = read_query(q)
        library = context.library()
        hits = search(library, query, whole(limit, "limit", 1, MAX_LIMIT, DEFAULT_LIMIT))
        date = (
            library.data_date()
        )  # before the state is told: of a query without words it is all that the store is asked
        body = {"query": query, "results": hits.results, "truncated": hits.truncated, "store": library.state}
        if not library.away:
            return json_response("search/1", body, library.atlas, date)
        away = problem_of(StoreUnavailable())
        body |= {"code": away.code, "title": away.title, "status": away.status, "detail": _MAP_ALONE}
        headers = {"Retry-After": RETRY_AFTER, "Cache-Control": FRESH}
        return json_response("search/1", body, library.atlas, date, status=away.status, headers=headers)

    return routes
