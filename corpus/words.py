"""Words of a query and the folded form of a title: what search and `why` compare, never search syntax."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_WORDS: Final = 12
MAX_WORD: Final = 64
"""Characters of a word that are compared."""
_ASCII_WORD: Final = re.compile("[a-z0-9]+")
_READ: Final = 2_000
"""Characters of a query that are read at all."""


def plain(text: str, limit: int = _READ) -> str:
    """Return at most `limit` characters of a text that can be encoded, stored and shown: no control characters.

    Lone surrogates (bytes of a command line that are not UTF-8) become U+FFFD, other control and format
    characters that are not letters become spaces; runs of white space become one space.
    """
    sound = text[:limit].encode("utf-8", "replace").decode("utf-8")
    shown = "".join(" " if unicodedata.category(mark) in {"Cc", "Zl", "Zp", "Cs"} else mark for mark in sound)
    return " ".join(shown.split())


def tokens(text: str) -> tuple[str, ...]:
    """Split into at most 12 words of at most 64 characters: runs of letters, digits and their marks."""
    marked = "".join(
        mark if unicodedata.category(mark)[0] in "LNM" else " " for mark in unicodedata.normalize("NFC", text[:_READ])
    )
    return tuple(word[:MAX_WORD] for word in marked.split()[:MAX_WORDS])


def search_words(text: str) -> list[str]:
    """The words of a text as every store indexes and seeks them, so that both find the same.

    Runs of letters and digits, compatibility forms resolved, case and accents folded; of each the first 64 characters.
    """
    if text.isascii():
        return [word[:MAX_WORD] for word in _ASCII_WORD.findall(text.lower())]
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = (
        mark if (kind := unicodedata.category(mark)[0]) in "LN" else "" if kind == "M" else " " for mark in decomposed
    )
    return [word[:MAX_WORD] for word in "".join(kept).split()]


def fold_title(text: str) -> str:
    """Fold a title so that case, accents, punctuation and spacing do not matter: `Über-Graphs!` is `ubergraphs`."""
    decomposed = unicodedata.normalize("NFKD", text[:_READ]).casefold()
    return "".join(mark for mark in decomposed if unicodedata.category(mark)[0] in "LN")
