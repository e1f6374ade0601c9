"""JSON answers: what every one of them carries, and the numbers and cursors of lists."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from starlette.responses import Response

from corpus.atlas import Atlas
from corpus.model import PartialDate
from server.problems import BadCursor, BadParameter

FRESH: Final = "no-store"
"""For what holds for a moment only, such as an answer that the database had no part in."""
IMMUTABLE: Final = "public, max-age=31536000, immutable"
MAX_QUERY: Final = 200
"""Characters of `q` in a search."""
MAX_LIMIT: Final = 100
_WHOLE: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_CURSOR: Final = re.compile(r"[A-Za-z0-9_-]{4,40}", re.ASCII)


def json_response(
    schema: str,
    body: Mapping[str, Any],
    atlas: Atlas | None,
    date: PartialDate | str | None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Write an answer with its `schema`, the date of the data and the build it rests on. What is not finite is null."""
    whole = {
        "schema": schema,
        "data_date": None if date is None else str(date),
        "build": None if atlas is None else atlas.manifest.hash,
        **body,
    }
    return Response(msgspec.json.encode(whole), status, headers, "application/json")


def whole(text: str | None, name: str, low: int, high: int, default: int) -> int:
    """Read a whole number written in plain digits; raise `BadParameter` outside `low`..`high`."""
    if text is None:
        return default
    if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
        raise BadParameter(f"'{name}' is a whole number from {low} to {high}")
    return int(text)


def write_cursor(offset: int, question: str) -> str:
    """Make the opaque mark that continues a list at `offset`; it belongs to one question only."""
    return base64.urlsafe_b64encode(f"{offset}.{_print(question)}".encode()).decode().rstrip("=")


def read_cursor(cursor: str | None, question: str) -> int:
    """Return the offset that a cursor stands for; raise `BadCursor` for one that this list did not hand out."""
    if cursor is None:
        return 0
    try:
        if not _CURSOR.fullmatch(cursor):
            raise BadCursor
        offset, _, mark = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(".")
    except (ValueError, binascii.Error, BadCursor):
        offset = mark = ""
    if not _WHOLE.fullmatch(offset) or mark != _print(question) or write_cursor(int(offset), question) != cursor:
        raise BadCursor("'cursor' was not handed out for this list; start again without it")
    return int(offset)


def _print(question: str) -> str:
    return f"{zlib.crc32(question.encode('utf-8', 'replace')):08x}"
