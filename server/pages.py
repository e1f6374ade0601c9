"""Pages as HTML on the server: they work without scripts and carry the same data as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from corpus.library import Found, Library
from corpus.store import Direction, Sort
from corpus.why import Answer, inquire
from corpus.words import plain
from server.addresses import api_url, fits_path, map_url, paper_url, why_url
from server.answers import FRESH
from server.bundle import File
from server.context import Context
from server.lists import Slice, Wish, neighbours, references_state
from server.papers import MAX_ID, detail
from server.problems import RETRY_AFTER
from server.search import read_query, search
from server.views import date_view, evidence_view, locator, mark_title, row_view, shown, source_name

_TEMPLATES: Final = Path(__file__).parent / "templates"
_HITS: Final = 50
REFERENCES: Final = 100
"""References that a page shows; the rest is one link away."""
_SORTS: Final = {
    Sort.CITATIONS: "most cited",
    Sort.NEWEST: "newest",
    Sort.OLDEST: "oldest",
    Sort.TITLE: "title",
}


class Pages:
    """Renders templates; every value is escaped."""

    def __init__(self, static: Mapping[str, File]) -> None:
        self._jinja = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._jinja.filters |= {"shown": shown, "date": date_view, "evidence": evidence_view, "source": source_name}
        self._jinja.globals |= {
            "styles": _own(static, "paper."),
            "icon": _own(static, "icon."),
            "row_view": row_view,
            "paper_url": paper_url,
            "map_url": map_url,
            "why_url": why_url,
            "api_url": api_url,
            "mark_title": mark_title,
        }

    def render(self, name: str, *, status: int = 200, away: bool = False, **values: Any) -> Response:  # noqa: ANN401  templates take anything
        """Fill a template. A page that the database had no part in is `away`: nobody keeps it."""
        text = self._jinja.get_template(name).render(values, away=away)
        headers = {"Cache-Control": FRESH if away else "no-cache"}
        if status == 503:
            headers["Retry-After"] = RETRY_AFTER
        return Response(text.encode("utf-8", "replace"), status, headers, "text/html; charset=utf-8")


def _own(static: Mapping[str, File], start: str) -> str:
    return next(f"/static/{name}" for name in static if name.startswith(start))


def router(context: Context, pages: Pages) -> APIRouter:
    """Build the routes around the store, the builds and the templates."""
    routes = APIRouter()

    @routes.get("/paper")
    def by_query(request: Request, id: str = "") -> Response:  # noqa: A002  the parameter's name
        """Show a paper whose identifier a path cannot carry; send every other one to its address."""
        return _paper(context, pages, request, id, in_path=False)

    @routes.get("/paper/{text:path}")
    def by_path(request: Request, text: str) -> Response:
        """Show a paper."""
        return _paper(context, pages, request, text, in_path=True)

    @routes.get("/why")
    def why(q: str = "") -> Response:
        """Show the answer of `why` for any string."""
        library = context.library()
        return _answer(pages, inquire(q, library), library, asked=bool(q))

    @routes.get("/search")
    def results(q: str = "") -> Response:
        """Show what a search finds; where it finds nothing, why."""
        query, library = read_query(q), context.library()
        hits = search(library, query, _HITS)
        if query and not hits.results:
            answer = inquire(query, library)
            return _answer(pages, answer, library, asked=True, searched=query, status=503 if library.away else 200)
        date = _date(library)
        status = 503 if library.away else 200
        return pages.render("search.html", status=status, away=library.away, query=query, hits=hits, data_date=date)

    return routes


def _answer(
    pages: Pages, answer: Answer, library: Library, *, asked: bool, searched: str = "", status: int = 200
) -> Response:
    return pages.render(
        "why.html",
        status=status,
        away=library.away,
        answer=answer,
        asked=asked,
        missing=status == 404,
        query=searched,
        data_date=answer.data_date,
        locator=locator(library.atlas, answer.paper, answer.hint),
    )


def _paper(context: Context, pages: Pages, request: Request, text: str, *, in_path: bool) -> Response:
    library = context.library()
    identifier, found = library.find_named(plain(text, MAX_ID))
    if found is None:
        answer = inquire(text, library)
        status = 503 if identifier is not None and library.away else 404
        return _answer(pages, answer, library, asked=True, status=status)
    address = found.brief.id
    if text != address or in_path != fits_path(address):
        return RedirectResponse(paper_url(address), 308)
    wish = Wish.read(request.query_params.get("sort"), None, None, None, request.query_params.get("cursor"))
    everything = request.query_params.get("references") == "all"
    answer = inquire(address, library)
    references, citers = _references(library, found, everything=everything), _citers(library, found, wish)
    return pages.render(
        "paper.html",
        paper=detail(found),
        answer=answer,
        query="",
        first_posted=address.startswith("arxiv:"),
        recorded=found.stored is not None or found.brief.stub or not library.away,
        references=references,
        citers=citers,
        sort=wish.sort.value,
        sorts={sort.value: label for sort, label in _SORTS.items()},
        data_date=answer.data_date,
        locator=locator(library.atlas, found.brief, answer.hint),
        away=library.away,
    )


def _references(library: Library, found: Found, *, everything: bool) -> dict[str, Any] | None:
    """Return the reference list; None where the store does not answer."""
    wish = Wish(limit=100_000 if everything else REFERENCES)
    listed = found.stored is not None and references_state(found) == "listed"
    part = _list(library, found, Direction.REFERENCES, wish) if listed else None
    if part is None and (listed or (found.stored is None and library.away)):
        return None
    unresolved = found.stored.paper.unresolved if found.stored else ()
    return {"listed": listed, "part": part, "unresolved": unresolved[: None if everything else REFERENCES]}


def _citers(library: Library, found: Found, wish: Wish) -> Slice | None:
    """Return a page of citers; None where the store does not answer."""
    return _list(library, found, Direction.CITATIONS, wish)


def _list(library: Library, found: Found, direction: Direction, wish: Wish) -> Slice | None:
    return library.ask(lambda store: neighbours(store, library.atlas, found.brief.id, direction, wish), None)


def _date(library: Library) -> str | None:
    date = library.data_date()
    return None if date is None else str(date)
