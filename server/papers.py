"""Papers as JSON: one paper, its references, its citers; from a tile's feature to its paper; the regions."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from corpus.briefs import brief_of_entry
from corpus.errors import StoreUnavailable, UnknownPaper
from corpus.identifiers import link, parse
from corpus.library import Found
from corpus.model import ReferencesState
from corpus.store import Direction
from server.answers import IMMUTABLE, json_response, whole
from server.context import Context
from server.lists import Wish, neighbours, reference_counts, references_state
from server.problems import BadParameter

MAX_ID: Final = 2_000
AUTHORS: Final = 50
"""Authors that an answer and a page name."""
_MAX_N: Final = 999_999_999


def need(context: Context, text: str | None) -> Found:
    """Find the paper or stub with an identifier in any form.

    Raises `BadParameter`, `BadIdentifier`, `UnknownPaper`, or `StoreUnavailable` where only the build could answer.
    """
    if not text or len(text) > MAX_ID:
        raise BadParameter(f"'id' is an identifier, 1 to {MAX_ID} characters")
    identifier = str(parse(text))
    library = context.library()
    found = library.find(identifier)
    if library.away:
        raise StoreUnavailable("the store does not answer")
    if found is None:
        raise UnknownPaper("no paper has this identifier")
    return found


def detail(found: Found) -> dict[str, Any]:
    """Spell out everything that is known of a paper, as `/api/paper` answers."""
    stored, entry = found.stored, found.entry
    paper = None if stored is None else stored.paper
    known = (found.brief.id,) if entry is None else entry.ids
    ids = known if paper is None else paper.ids
    return {
        **msgspec.structs.asdict(found.brief),
        "ids": ids,
        "links": links(ids),
        "abstract": paper and paper.abstract,
        "abstract_source": paper and paper.abstract_source,
        "authors": [] if paper is None else [{"name": a.name, "orcid": a.orcid} for a in paper.authors[:AUTHORS]],
        "venue": paper and paper.venue,
        "language": paper and paper.language,
        "type": paper and paper.type,
        "status": paper and paper.status.value,
        "references": {"state": references_state(found).value, **reference_counts(stored)},
        "cited_by_counts": {} if paper is None else dict(paper.cited_by_counts),
        "sources": sources(found),
        "signals": entry and entry.signals,
        "confidence": None if entry is None else entry.confidence,
        "minzoom": None if entry is None else entry.minzoom,
        "n": None if entry is None else entry.n,
    }


def sources(found: Found) -> list[str]:
    """Name the sources that have a record of it, each once, in order of name."""
    records = () if found.stored is None else found.stored.paper.records
    return sorted({record.source for record in records if record.source})


def links(ids: tuple[str, ...]) -> list[dict[str, str]]:
    """Lead out to each place that an identifier is known at."""
    out = []
    for identifier in ids:
        target = link(identifier)
        if target is not None:
            out.append({"scheme": identifier.partition(":")[0], "label": target[0], "url": target[1]})
    return out


def _list(context: Context, found: Found, direction: Direction, wish: Wish) -> dict[str, Any]:
    part = neighbours(context.store, context.builds.current(), found.brief.id, direction, wish)
    return {"items": part.items, "total": part.total, "next": part.next}


def router(context: Context) -> APIRouter:
    """Build the routes around the store and the builds."""
    routes = APIRouter()

    _add_lists(routes, context)
    _add_build_routes(routes, context)

    @routes.get("/api/paper")
    def paper(id: str | None = None) -> Response:  # noqa: A002  the parameter's name
        """Answer with everything known of one paper or stub."""
        found = need(context, id)
        return json_response("paper/1", detail(found), context.builds.current(), context.store.data_date())

    return routes


def _add_lists(routes: APIRouter, context: Context) -> None:
    @routes.get("/api/references")
    def references(
        id: str | None = None,  # noqa: A002
        sort: str | None = None,
        area: str | None = None,
        year: str | None = None,
        limit: str | None = None,
        cursor: str | None = None,
    ) -> Response:
        """Answer with a page of the works that a paper cites."""
        wish = Wish.read(sort, area, year, limit, cursor)
        found = need(context, id)
        state = references_state(found)
        body: dict[str, Any] = {"id": found.brief.id, "state": state.value, "counts": reference_counts(found.stored)}
        if state is ReferencesState.UNKNOWN:
            body |= {"items": (), "total": None, "next": None}
        else:
            body |= _list(context, found, Direction.REFERENCES, wish)
        return json_response("references/1", body, context.builds.current(), context.store.data_date())

    @routes.get("/api/citations")
    def citations(
        id: str | None = None,  # noqa: A002
        sort: str | None = None,
        area: str | None = None,
        year: str | None = None,
        limit: str | None = None,
        cursor: str | None = None,
    ) -> Response:
        """Answer with a page of the papers that cite a paper or stub."""
        wish = Wish.read(sort, area, year, limit, cursor)
        found = need(context, id)
        body = {"id": found.brief.id, **_list(context, found, Direction.CITATIONS, wish)}
        return json_response("citations/1", body, context.builds.current(), context.store.data_date())


def _add_build_routes(routes: APIRouter, context: Context) -> None:
    @routes.get("/api/builds/{build}/papers/{n}")
    def feature(build: str, n: str) -> Response:
        """Answer with the paper behind a tile's feature, out of the build alone."""
        atlas = context.builds.get(build)
        try:
            entry = None if atlas is None else atlas.row(whole(n, "n", 0, _MAX_N, 0))
        except (IndexError, BadParameter):
            entry = None
        if atlas is None or entry is None:
            raise HTTPException(404)
        brief = msgspec.structs.asdict(brief_of_entry(entry, atlas))
        headers = {"Cache-Control": IMMUTABLE}
        return json_response("feature/1", brief, atlas, atlas.manifest.data_date, headers=headers)

    @routes.get("/api/regions")
    def regions() -> Response:
        """Answer with all regions of the current map."""
        atlas = context.atlas()
        return json_response("regions/1", {"regions": list(atlas.regions.values())}, atlas, atlas.manifest.data_date)
