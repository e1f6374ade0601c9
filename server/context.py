"""What the routes are built around."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from corpus.atlas import Atlas, Builds
from corpus.errors import NoBuild
from corpus.library import Library
from corpus.store import Store


@dataclass(frozen=True, slots=True)
class Context:
    """The parts that `create_app` was given."""

    store: Store
    builds: Builds
    public_url: str | None
    """Scheme, host and port that the world sees, without a slash at the end; None: as the request says."""

    def library(self) -> Library:
        """Store and current build, for one question."""
        return Library(self.store, self.builds.current())

    def atlas(self) -> Atlas:
        """Return the current build; raise `NoBuild` before the first layout."""
        atlas = self.builds.current()
        if atlas is None:
            raise NoBuild("no map has been laid out yet")
        return atlas

    def origin(self, request: Request) -> str:
        """Return the scheme and host to write absolute addresses with. The shield has checked the Host header."""
        return self.public_url or f"{request.url.scheme}://{request.headers.get('host', 'localhost')}"
