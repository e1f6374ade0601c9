"""A paper as the properties of its node: what lists and people's own queries need, and the whole of it, packed.

Packed bytes stand there as base64 text: as a list of numbers, which is how import files hold bytes, they are three times as long.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from typing import Any

from corpus.folding import list_source
from corpus.model import Paper
from corpus.packing import pack, unpack
from corpus.text import scrub
from corpus.words import search_words


def properties(n: int, paper: Paper) -> dict[str, Any]:
    """The properties that a batch writes; None takes one away. Unknown is absent, never empty or 0."""
    names = [author.name for author in paper.authors]
    sources = {scrub(record.source) for record in paper.records if record.source} - {""}
    return {
        "n": n,
        "id": paper.address,
        "ids": list(paper.ids),
        "title": paper.title,
        "title_words": None if paper.title is None else " ".join(search_words(paper.title)),
        "authors": names or None,
        "author_words": " ".join(search_words(" ".join(names))) or None,
        "date": None if paper.date is None else str(paper.date),
        "year": paper.year,
        "areas": list(paper.areas) or None,
        "references_state": paper.references_state.value,
        "references_source": scrub(list_source(paper.records) or "") or None,
        "sources": sorted(sources) or None,
        "paper": b2a_base64(pack(paper), newline=False).decode("ascii"),
    }


def packed(text: str) -> bytes:
    """The packed paper out of the property `paper`. Raises `binascii.Error` where it is none."""
    return a2b_base64(text)


def paper_of(text: str) -> Paper:
    """The paper out of the property `paper`."""
    return unpack(packed(text))
