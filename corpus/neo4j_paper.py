"""A paper as the properties of its node: what lists and people's own queries need, and the whole of it as a blob."""

from __future__ import annotations

from typing import Any

from corpus.folding import list_source
from corpus.model import Paper
from corpus.packing import pack
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
        "paper": pack(paper),
    }
