"""arXiv identifiers, old and new. Sources: arXiv's help page on identifiers; the archive lists of its browse code."""

from __future__ import annotations

import re
from typing import Final

LIVE: Final = frozenset(
    "astro-ph cond-mat cs econ eess gr-qc hep-ex hep-lat hep-ph hep-th math math-ph nlin nucl-ex nucl-th physics q-bio q-fin".split()
) | {"quant-ph", "stat"}
RETIRED: Final = frozenset(
    "acc-phys adap-org alg-geom ao-sci atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas dg-ga funct-an mtrl-th patt-sol".split()
) | {"plasm-ph", "q-alg", "solv-int", "supr-con"}
ARCHIVES: Final = LIVE | RETIRED
"""Archives that old-style identifiers name; retired ones keep their identifiers for ever."""

_NEW: Final = re.compile(r"(\d{2})(\d{2})\.(\d{4,5})(?:v(\d{1,3}))?", re.ASCII)
_OLD: Final = re.compile(r"([a-z-]+)(?:\.[a-z-]{2,})?/?(\d{2})(\d{2})(\d{3})(?:v(\d{1,3}))?", re.ASCII)
_FIVE_DIGITS_FROM: Final = 1501
_NEW_FROM: Final = 704
_OLD_FROM: Final = 9107
_BEGAN: Final = {"physics": 199610, "nlin": 200001, "q-bio": 200309}
"""Archives that took over from retired ones: no older identifier of theirs exists (nathangrigg/arxiv2bib#8)."""


def read_arxiv(text: str) -> tuple[str, int | None] | None:
    """Read `2101.00001v3`, `hep-th/9901001`, `math.GT/0309136v2` or `astro-ph9912010`.

    Returns the value without version and subject class, and the version; None for anything else.
    New style: April 2007 on, four digits to 1412, five from 1501. Old style: July 1991 to March 2007.
    """
    low = text.lower()
    if match := _NEW.fullmatch(low):
        month, digits = int(match[1] + match[2]), len(match[3])
        good = _is_month(match[2]) and month >= _NEW_FROM and digits == (5 if month >= _FIVE_DIGITS_FROM else 4)
        return _versioned(f"{match[1]}{match[2]}.{match[3]}", match[4]) if good and int(match[3]) else None
    match = _OLD.fullmatch(low)
    if match is None or match[1] not in ARCHIVES or not _is_month(match[3]) or not int(match[4]):
        return None
    month = int(match[2] + match[3])
    in_time = (month >= _OLD_FROM or month < _NEW_FROM) and _full(month) >= _BEGAN.get(match[1], 0)
    return _versioned(f"{match[1]}/{match[2]}{match[3]}{match[4]}", match[5]) if in_time else None


def _is_month(text: str) -> bool:
    return 1 <= int(text) <= 12


def _full(month: int) -> int:
    return (190_000 if month >= _OLD_FROM else 200_000) + month


def _versioned(value: str, version: str | None) -> tuple[str, int | None] | None:
    if version is None:
        return value, None
    return (value, int(version)) if int(version) else None
