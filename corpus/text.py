"""Titles and abstracts as sources write them, to clean text. Pure, linear, never raises; the raw text is kept elsewhere."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

from corpus.tex import tex_to_text

MAX_TITLE: Final = 20_000
"""Characters of a title that are kept."""
MAX_ABSTRACT: Final = 200_000
"""Characters of an abstract that are kept; the longest seen in real data has 30,000."""

_BLOCK: Final = frozenset(
    "p br div center blockquote pre li ul ol tr td th table h1 h2 h3 h4 h5 h6 hr section title sec list list-item para "
    "label dl dt dd subtitle abstracttext".split()
)
_INLINE: Final = frozenset(
    "a b i u s em scp strong sub sup small big tt code span font abbr cite q mark italic bold sc monospace underline strike roman "
    "sans-serif named-content styled-content xref ext-link inline-formula disp-formula tex-math alternatives abstract "
    "math mi mn mo mtext mrow msub msup msubsup mfrac msqrt mroot mover munder munderover mstyle mspace mtable mtr mtd "
    "img semantics annotation mfenced mpadded mphantom merror none prescripts mmultiscripts inline-graphic graphic body html".split()
)
_ATTRIBUTE: Final = (
    r"""\s{1,20}[\w:.-]{1,60}(?:\s{0,5}=\s{0,5}(?:"[^"<>]{0,2000}"|'[^'<>]{0,2000}'|[^\s<>"'=]{1,500}))"""
)
_TAG: Final = re.compile(rf"</?([A-Za-z][A-Za-z0-9:._-]{{0,40}})(?:{_ATTRIBUTE}){{0,30}}\s{{0,20}}/?>")
_COMMENT: Final = re.compile(r"<!--(?:[^<-]++|<(?!!--)|-(?!->))*+-->|<!\[CDATA\[|\]\]>")
_ESCAPES: Final = re.compile(r"&(?:(?:amp|AMP|#38|#x26);)++")
"""Ampersands that were escaped several times over."""
_NO_CHARACTER: Final = re.compile(r"&#[0-9]{10,}+;?")
"""Numbers that no character has; Python's `html` raises for those of more than 4,300 digits."""
_LEAD: Final = re.compile(
    r"(?:(?i:abstract)(?: ?[.:—–] ?|[ -]{1,3}(?=[A-Z0-9])"
    r"(?!(?i:syntax|interpretation|algebra|meaning|state|data|art|argument|concept|machine|expression|reason|thinking|"
    r"harmonic|model|noun|word|domain|homotopy|rewriting)\w{0,9})))+"
)
"""The heading of an abstract, but not the first word of such terms as "Abstract Syntax Trees"."""
_SPACES: Final = re.compile(r"\s+")
_TELLING: Final = re.compile(r"[&<\\${\]]")
"""Without one of these there is no markup."""
_ROUNDS: Final = 8
"""Entities and tags that are escaped twice need two rounds, TeX inside them a third; no real text needs more than four."""
_DEFUSED: Final = str.maketrans("&<\\${}", "      ")


def clean_title(raw: str | None) -> str | None:
    """Text of a title: None where there is none, or nothing but markup."""
    return None if raw is None else _clean(raw[:MAX_TITLE]) or None


def clean_abstract(raw: str | None) -> str | None:
    """Text of an abstract, a leading "Abstract" dropped: None stays None, "" stays ""."""
    if raw is None:
        return None
    text = _clean(raw[:MAX_ABSTRACT])
    return text[lead.end() :] if (lead := _LEAD.match(text)) else text


def _clean(text: str) -> str:
    """Clean until nothing changes; what goes on and on is no text, and loses what could be read as markup."""
    for _ in range(_ROUNDS):
        before, text = text, _cleaned_once(text)
        if text == before:
            return text
    return _cleaned_once(text.translate(_DEFUSED))


def _cleaned_once(text: str) -> str:
    text = scrub(text)
    if _TELLING.search(text):
        text = _ESCAPES.sub("&", _NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text))
        text = _TAG.sub(_tag, _COMMENT.sub(" ", html.unescape(text)))
        text = scrub(tex_to_text(text))
    return unicodedata.normalize("NFC", _SPACES.sub(" ", text)).strip()


def _tag(match: re.Match[str]) -> str:
    name = match[1].lower()
    local = name.rpartition(":")[2]
    if local in _BLOCK:
        return " "
    return "" if local in _INLINE or ":" in name else match[0]


def scrub(text: str) -> str:
    """Take out what is no text: control characters become spaces, lone surrogates U+FFFD; bidi overrides and zero widths go."""
    return text.translate(_UNWANTED) if not text.isascii() or not text.isprintable() else text


_UNWANTED: Final[dict[int, str | None]] = {
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " "),
    **dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys(
        [0xAD, 0x61C, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    ),
}
