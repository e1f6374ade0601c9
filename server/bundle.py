"""Files known at start: the built web map and our own style sheet. A request picks from a dict, never from a path."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response

from server.answers import IMMUTABLE
from server.tiles import accepts_gzip, matches

BUNDLE: Final = Path(__file__).parent / "bundle"
STATIC: Final = Path(__file__).parent / "static"
INDEX: Final = "index.html"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".pbf": "application/x-protobuf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_PACKED: Final = frozenset({".css", ".html", ".js", ".json", ".map", ".mjs", ".svg", ".txt", ".webmanifest"})


@dataclass(frozen=True, slots=True)
class File:
    """A file held in memory."""

    body: bytes
    packed: bytes | None
    """The same, gzip; None for kinds that do not shrink."""
    media_type: str
    digest: str
    immutable: bool
    """Whether its name changes with its content."""

    def respond(self, headers: Headers) -> Response:
        """Answer with the file, packed where the client allows it, or 304 where it has it."""
        packed = self.packed if accepts_gzip(headers.get("accept-encoding")) else None
        etag = f'"{self.digest}{"-gz" if packed is not None else ""}"'
        shared = {
            "ETag": etag,
            "Cache-Control": IMMUTABLE if self.immutable else "no-cache",
            "Vary": "Accept-Encoding",
        }
        if matches(headers.get("if-none-match"), etag):
            return Response(None, 304, shared)
        if packed is not None:
            return Response(packed, 200, {**shared, "Content-Encoding": "gzip"}, self.media_type)
        return Response(self.body, 200, shared, self.media_type)


def read_bundle(folder: Path) -> Mapping[str, File]:
    """Read the built web map: `index.html`, `assets/...` by their path inside it; empty where it was not built."""
    if not (folder / INDEX).is_file():
        return {}
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(folder).as_posix()
            files[name] = _read(path, immutable=name.startswith("assets/"))
    return files


def read_static(folder: Path) -> Mapping[str, File]:
    """Read our own files; each gets its digest into its name: `paper.1a2b3c4d.css`."""
    files = {}
    for path in sorted(folder.iterdir()):
        file = _read(path, immutable=True)
        files[f"{path.stem}.{file.digest[:8]}{path.suffix}"] = file
    return files


def _read(path: Path, *, immutable: bool) -> File:
    body = path.read_bytes()
    return File(
        body=body,
        packed=gzip.compress(body, 9, mtime=0) if path.suffix in _PACKED else None,
        media_type=_TYPES.get(path.suffix, "application/octet-stream"),
        digest=hashlib.sha256(body).hexdigest()[:32],
        immutable=immutable,
    )
