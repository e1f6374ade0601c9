"""Evidence for a paper that no build knows yet, counted in the store as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from corpus.atlas import Atlas
from corpus.build import Evidence, Hint
from corpus.hints import hint_of
from corpus.library import Library
from corpus.model import Paper, Status
from corpus.reasons import Policy, Reason
from corpus.store import Direction, Page, Row, Stored

_ALL: Final = 100_000
"""Neighbours looked at: more than any paper of the sources has."""


def count_evidence(stored: Stored, library: Library, policy: str) -> Evidence | None:
    """Count references and citers, and how many of them stand on the map; None where the store went away meanwhile.

    `text` and `known_terms` need the vocabulary of a layout: here they say nothing (`none`, 0) and must not be shown.
    """
    paper = stored.paper
    address = paper.address
    listed = paper.references is not None
    cited = library.neighbours(address, Direction.REFERENCES, _ALL) if listed else Page((), 0)
    citers = library.neighbours(address, Direction.CITATIONS, _ALL)
    if cited is None or citers is None:
        return None
    references = cited.rows
    entries = None if paper.references is None else len(paper.references) + len(paper.unresolved)
    inside = stored.references_in_corpus if listed else None
    return Evidence(
        references_declared=paper.references_declared,
        references_parsed=entries,
        references_resolved=None if paper.references is None else len(paper.references),
        references_in_corpus=inside,
        references_on_map=on_map(references, library.atlas) if listed else None,
        references_shared=None,
        citers_in_corpus=citers.total,
        citers_on_map=on_map(citers.rows, library.atlas),
        abstract_characters=None if paper.abstract is None else len(paper.abstract),
        text="none",
        known_terms=0,
        language=paper.language,
        status=paper.status.value,
        reasons=(Reason.NOT_YET_LAID_OUT.value, *_lacking(paper, policy, citers.total)),
        passed=(*(("reference_list",) if paper.references else ()), *(("links",) if inside or citers.total else ())),
        hint=hint(citers.rows, library.atlas, "citers") or hint(references, library.atlas, "references"),
    )


def on_map(rows: Sequence[Row], atlas: Atlas | None) -> int:
    """Count the rows that have a position."""
    return len(_regions(rows, atlas))


def hint(rows: Sequence[Row], atlas: Atlas | None, source: str) -> Hint | None:
    """Say where these neighbours are: the deepest region that holds more than half, else the coarsest with the most."""
    return None if atlas is None else hint_of(_regions(rows, atlas), atlas.regions, source)


def _regions(rows: Sequence[Row], atlas: Atlas | None) -> list[str | None]:
    """Return the region of each row that is placed."""
    if atlas is None:
        return []
    entries = [atlas.row(n) for n in (atlas.find(row.id) for row in rows) if n is not None]
    return [entry.region for entry in entries if entry.on_map]


def _lacking(paper: Paper, policy: str, citers: int) -> tuple[str, ...]:
    """What the next layout will find: the same tests, as far as one paper can be tested alone."""
    found = [Reason.WITHDRAWN] if paper.status is Status.WITHDRAWN else []
    if not (paper.references or policy == Policy.SIGNALS or (policy == Policy.LINKS and citers)):
        if paper.references is None:
            found.append(Reason.NO_REFERENCE_LIST)
        elif paper.unresolved or paper.references_declared:
            found.append(Reason.REFERENCES_UNRESOLVED)
        else:
            found.append(Reason.REFERENCE_LIST_EMPTY)
    return tuple(reason.value for reason in found)
