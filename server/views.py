"""What the templates show: rows, labels, dates, and the small picture of the map. No HTML is made here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from corpus.atlas import Atlas
from corpus.briefs import Brief
from corpus.build import Hint
from corpus.model import PartialDate
from corpus.reasons import Mark, Reason
from corpus.sentences import date_text
from corpus.wording import MARKS, WORDING
from server.addresses import map_url, paper_url

_DOTS: Final = 700
"""Papers that the small picture of the map draws."""
_SIDE: Final = 200
"""Units of its side."""
LABELS: Final = {
    "references_declared": "References its source speaks of",
    "references_parsed": "Entries of its list obtained",
    "references_resolved": "Entries with an identifier",
    "references_in_corpus": "Cited papers in this corpus",
    "references_on_map": "Cited papers on the map",
    "references_shared": "Cited works shared with other papers",
    "citers_in_corpus": "Papers of this corpus that cite it",
    "citers_on_map": "Of these on the map",
    "abstract_characters": "Characters of abstract",
    "text": "Title and abstract",
    "known_terms": "Terms that this corpus knows",
    "language": "Language",
    "status": "Status",
    "identifier": "Identifier",
    "numbered": "Given out by arXiv",
}
"""Plain words for fields of evidence."""
_LISTED: Final = "references_parsed"
SOURCES: Final = {"openalex": "OpenAlex", "arxiv": "arXiv", "crossref": "Crossref", "s2": "Semantic Scholar"}
"""How sources write their own names."""


@dataclass(frozen=True, slots=True)
class RowView:
    """A paper in a list on a page."""

    brief: Brief
    url: str
    map_url: str
    reason: str | None
    """The title of the reason why it is not on the map; None where it is."""
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Locator:
    """The small picture of the map: units 0 to 200, y downwards."""

    dots: str
    """SVG path of papers."""
    x: float | None
    """The paper; None where it has no place."""
    y: float | None
    around: tuple[float, float] | None
    """Label point of the region where its neighbours are; None where unknown."""


def row_view(brief: Brief) -> RowView:
    """Prepare a paper for a list."""
    return RowView(
        brief=brief,
        url=paper_url(brief.id),
        map_url=map_url(brief.id),
        reason=None if brief.on_map else reason_title(brief.reason),
        marks=tuple(mark_title(mark) for mark in brief.marks),
    )


def reason_title(code: str | None) -> str:
    """Name a reason; a code of a later version names itself."""
    if code is None:
        return "Not on the map"
    return WORDING[Reason(code)].title if code in set(Reason) else code


def mark_title(code: str) -> str:
    """Name a mark; a code of a later version names itself."""
    return MARKS[Mark(code)][0] if code in set(Mark) else code


def evidence_view(evidence: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label each count; what is unknown says so. Of a list that was never obtained, its steps are not spelt out."""
    unlisted = _LISTED in evidence and evidence[_LISTED] is None
    return [
        (LABELS[name], shown(value))
        for name, value in evidence.items()
        if name in LABELS and not (unlisted and value is None and name.startswith("references_") and name != _LISTED)
    ]


def shown(value: object) -> str:
    """Write a value for readers: thousands with commas, None as `unknown`."""
    if value is None:
        return "unknown"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("_", " ")


def date_view(text: str | None) -> str | None:
    """Write an ISO date with its precision in words: `26 Feb 2018`."""
    return None if text is None else date_text(PartialDate.parse(text))


def source_name(source: str) -> str:
    """Write a source as it writes itself."""
    return SOURCES.get(source, source)


def locator(atlas: Atlas | None, brief: Brief | None, hint: Hint | None) -> Locator | None:
    """Draw the placed papers as dots, and the paper, or the region where its neighbours are."""
    if atlas is None or not atlas.manifest.placed:
        return None
    x, y = atlas.placed()
    step = max(1, math.ceil(len(x) / _DOTS))
    dots = "".join(
        f"M{across * _SIDE:.1f} {down * _SIDE:.1f}h0"
        for across, down in zip(x[::step].tolist(), y[::step].tolist(), strict=True)
    )
    region = None if hint is None else atlas.regions.get(hint.region)
    here = brief is not None and brief.x is not None and brief.y is not None
    return Locator(
        dots=dots,
        x=round(brief.x * _SIDE, 1) if brief and here and brief.x is not None else None,
        y=round(brief.y * _SIDE, 1) if brief and here and brief.y is not None else None,
        around=None if region is None or here else (round(region.x * _SIDE, 1), round(region.y * _SIDE, 1)),
    )
