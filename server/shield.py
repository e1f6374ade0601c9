"""The outermost layer, pure ASGI: what is refused before any work, and the headers of every answer, errors too."""

from __future__ import annotations

import logging
import re
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.problems import STATUS, Problem, problem_response

MAX_LINE: Final = 12_288
"""Bytes of path and query together."""
MAX_PARAMETERS: Final = 20
CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; worker-src 'self' blob:; child-src 'self' blob:; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
"""MapLibre makes its worker from a blob and its sprites from data and blob images; nothing else leaves 'self'."""
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?", re.ASCII)
_log = logging.getLogger(__name__)


class Shield:
    """Wrap the whole application: GET and HEAD only, bounded input, the same headers everywhere."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        head = scope["method"] == "HEAD"
        dressed = _Dressed(send, head=head)
        refusal = refuse(scope)
        if refusal is not None:
            await problem_response(refusal)(scope, receive, dressed)
            return
        try:
            await self.app({**scope, "method": "GET"} if head else scope, receive, dressed)
        except Exception:
            _log.exception("a request failed")
            if dressed.started:
                raise
            await problem_response(STATUS[500])(scope, receive, dressed)


class _Dressed:
    """A `send` that adds the headers, and drops the body of an answer to HEAD."""

    def __init__(self, send: Send, *, head: bool) -> None:
        self.send = send
        self.head = head
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
            headers.setdefault("Cache-Control", "no-cache")
        elif self.head and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self.send(message)


def refuse(scope: Scope) -> Problem | None:
    """Say why a request is not even looked at; None where it is."""
    if scope["method"] not in {"GET", "HEAD"}:
        return STATUS[405]
    query: bytes = scope["query_string"]
    if len(scope.get("raw_path") or scope["path"].encode()) + len(query) > MAX_LINE:
        return STATUS[414]
    if query.count(b"&") >= MAX_PARAMETERS:
        return Problem(400, "too_many_parameters", "Too many parameters", f"At most {MAX_PARAMETERS} are read.")
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    if len(hosts) > 1 or (hosts and not _HOST.fullmatch(hosts[0])):
        return Problem(400, "bad_host", "The Host header cannot be used", "Send one host name, with or without a port.")
    return None
