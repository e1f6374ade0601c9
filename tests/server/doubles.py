"""Stores that do not answer, and a client that sends paths as they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn
from urllib.parse import unquote_to_bytes

import anyio
from starlette.types import ASGIApp, Message

from corpus.errors import StoreUnavailable
from corpus.store import Store


class StoreDown:
    """Every question to it fails, as of a database that is away."""

    kind = "sqlite"

    def __getattr__(self, name: str) -> object:
        def down(*_: object, **__: object) -> NoReturn:
            raise StoreUnavailable(f"{name}: the database does not answer")

        return down


class Switch:
    """A store in front of another one, which can be switched off: at once, or after some more questions."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.kind = store.kind
        self.left: int | None = None
        """Questions that are answered still; None: all of them."""
        self.refused = 0
        """Questions that were not answered."""

    def __getattr__(self, name: str) -> object:
        def ask(*given: object, **named: object) -> object:
            if self.left == 0:
                self.refused += 1
                raise StoreUnavailable(f"{name}: the database does not answer")
            if self.left is not None:
                self.left -= 1
            return getattr(self.store, name)(*given, **named)

        return ask

    def close(self) -> None:
        """The store belongs to somebody else."""


@dataclass
class Raw:
    """An answer."""

    status_code: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes = b""

    @property
    def text(self) -> str:
        """The body as text."""
        return self.content.decode("utf-8", "replace")


def raw_get(app: ASGIApp, target: str) -> Raw:
    """Ask as a real server does: the path is decoded once and nothing in it is tidied up."""
    path, _, query = target.encode("utf-8").partition(b"?")
    answer = Raw()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status_code = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            answer.content += message.get("body", b"")

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", b"testserver")],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
    }
    anyio.run(app, scope, receive, send)
    return answer
