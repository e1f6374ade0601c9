"""Addresses of our own pages. All are relative to the root and built from canonical identifiers, never from input."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, urlencode

_UNFIT: Final = re.compile(r"(?:^|/)\.{0,2}(?:/|$)|\\|[\x00-\x1f\x7f]", re.ASCII)
"""What browsers and proxies change on the way in a path: `.`, `..` and empty segments, backslashes."""


def fits_path(identifier: str) -> bool:
    """Say whether a path can carry an identifier unharmed."""
    return not _UNFIT.search(identifier)


def paper_url(identifier: str, **parameters: str) -> str:
    """Return the address of a paper's page: `/paper/doi:10.1145/3320060`; `/paper?id=` for what a path cannot carry."""
    if fits_path(identifier):
        path = "/paper/" + quote(identifier, safe="/:", errors="replace")
        return f"{path}?{urlencode(parameters)}" if parameters else path
    return "/paper?" + urlencode({"id": identifier, **parameters}, errors="replace")


def map_url(identifier: str) -> str:
    """Return the address of the map with this paper selected."""
    return "/#paper=" + quote(identifier, safe="", errors="replace")


def why_url(text: str) -> str:
    """Return the address of the page that says why."""
    return "/why?" + urlencode({"q": text}, errors="replace")


def api_url(route: str, identifier: str) -> str:
    """Return the address of the same data as JSON."""
    return f"/api/{route}?" + urlencode({"id": identifier}, errors="replace")
