"""The shape of what is said of a reason, and the phrases that several reasons share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from corpus.sentences import Facts


class Expected(msgspec.Struct, frozen=True):
    """When the paper may be on the map."""

    kind: str
    """`now`, `layout` (the next one), `ingest` (after new records), `never`, or `unknown`."""
    text: str


LAYOUT: Final = Expected("layout", "With the next layout; the operator decides when it runs.")
INGEST: Final = Expected(
    "ingest", "With the first layout after the missing record or list was ingested; no date is promised."
)
NEVER: Final = Expected("never", "Not as long as this holds.")
UNKNOWN: Final = Expected("unknown", "Nobody can say: it depends on papers that may never be written or ingested.")
NOT_APPLICABLE: Final = Expected("unknown", "This cannot be said before it is clear which paper is meant.")

NOW: Final = Expected("now", "It is there now.")

LAYOUT_AGAIN: Final = "Run `paperatlas layout`."
GIVE_LIST: Final = (
    "If you know its references, give them to the operator as a record in the neutral format (docs/papers-format.md)."
)
INGEST_SOURCE: Final = (
    "Ingest a source that has its reference list (`paperatlas ingest FILE`), then run `paperatlas layout`."
)
CITERS: Final = "Look at the papers that cite it."
BY_CITERS: Final = "Or place papers by their citers too: `layout.policy = links`."

LIST: Final = (
    "references_declared",
    "references_parsed",
    "references_resolved",
    "references_in_corpus",
    "references_on_map",
)
CITED: Final = ("citers_in_corpus", "citers_on_map")
TEXT: Final = ("abstract_characters", "text", "known_terms", "language")


@dataclass(frozen=True, slots=True)
class Wording:
    """What is said of one reason."""

    title: str
    text: Callable[[Facts], str]
    """The reason with its counts, as plain sentences."""
    reader: tuple[str, ...]
    """What the reader can do."""
    operator: tuple[str, ...]
    """What the operator can do."""
    enough: Callable[[Facts], str] | None
    """What would be enough for a place on the map; None where nothing would."""
    expected: Expected
    evidence: tuple[str, ...] = ()
    """Fields of `corpus.build.Evidence` that the reason rests on."""


def says(text: str) -> Callable[[Facts], str]:
    """Return a sentence that does not depend on the paper."""
    return lambda _: text
