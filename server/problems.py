"""Problem documents (RFC 9457): one table from our errors to HTTP, and words that never repeat the input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec
from starlette.responses import Response

from corpus.errors import (
    AtlasError,
    BadIdentifier,
    BadInput,
    BrokenBuild,
    ForeignStore,
    NoBuild,
    StoreBusy,
    StoreUnavailable,
    UnknownPaper,
)

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER: Final = "5"
"""Seconds after which a question is worth asking again."""


class BadParameter(BadInput):
    """A query parameter that cannot be used; the message names it and the remedy and repeats none of its text."""

    code = "bad_parameter"


class BadCursor(BadParameter):
    """A cursor that was not handed out for this list."""

    code = "bad_cursor"


@dataclass(frozen=True, slots=True)
class Problem:
    """How an error looks over HTTP."""

    status: int
    code: str
    title: str
    detail: str | None = None
    """None: the error's own message is free of input and is shown."""


PROBLEMS: Final[dict[type[AtlasError], Problem]] = {
    BadIdentifier: Problem(
        400,
        "bad_identifier",
        "Not an identifier",
        "Write arxiv:1802.09941, doi:10.1145/3320060, openalex:W2088209891, a PMID, a PMCID, or a link to the paper.",
    ),
    BadParameter: Problem(400, "bad_parameter", "A parameter cannot be used"),
    BadInput: Problem(
        400, "bad_input", "The request cannot be used", "See docs/http-api.md for what each parameter takes."
    ),
    UnknownPaper: Problem(
        404, "unknown_paper", "No such paper", "No paper of this corpus has the identifier; /api/why?q= says more."
    ),
    NoBuild: Problem(503, "no_build", "No map yet", "No map has been laid out yet; run `paperatlas layout`."),
    BrokenBuild: Problem(
        503,
        "broken_build",
        "The map cannot be read",
        "A file of the map is missing or altered; run `paperatlas layout`.",
    ),
    StoreUnavailable: Problem(
        503,
        "store_unavailable",
        "The database does not answer",
        "The database does not answer just now; the map, its tiles and /api/why work without it.",
    ),
    StoreBusy: Problem(503, "store_busy", "The database is busy", "Another process is writing; try again in a moment."),
    ForeignStore: Problem(
        503, "foreign_store", "The database is not ours", "It is not a corpus, or one of another version; see the log."
    ),
    AtlasError: Problem(500, "failed", "The request failed", "The log says why."),
}
"""By class; an error takes the entry of the nearest class above it."""

STATUS: Final[dict[int, Problem]] = {
    400: Problem(400, "bad_request", "The request cannot be used", "See docs/http-api.md."),
    404: Problem(404, "not_found", "Nothing here", "See docs/http-api.md for the addresses there are."),
    405: Problem(405, "method_not_allowed", "Only GET and HEAD", "This server only answers questions."),
    414: Problem(414, "request_line_too_long", "The address is too long", "Addresses have at most 12,288 bytes."),
    500: Problem(500, "internal", "Something broke here", "The log says why."),
}
"""By HTTP status, for what no error of ours stands behind."""


def problem_of(error: AtlasError) -> Problem:
    """Find the problem of an error by its class."""
    return next(PROBLEMS[kind] for kind in type(error).__mro__ if kind in PROBLEMS)


def problem_response(problem: Problem, detail: str | None = None, code: str | None = None) -> Response:
    """Write a problem document; `detail` must be free of input."""
    body = {
        "type": "about:blank",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail or detail or problem.title,
        "code": code or problem.code,
    }
    headers = {"Cache-Control": "no-store"}
    if problem.status == 503:
        headers["Retry-After"] = RETRY_AFTER
    if problem.status == 405:
        headers["Allow"] = "GET, HEAD"
    return Response(msgspec.json.encode(body), problem.status, headers, MEDIA_TYPE)


def error_response(error: AtlasError) -> Response:
    """Write the problem document of an error."""
    own = error if isinstance(error, BadParameter) else None
    return problem_response(problem_of(error), str(own) if own else None, own.code if own else None)
