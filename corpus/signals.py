"""The test that three things pass alike: a link, a shared reference or usable text. One of them is enough."""

from __future__ import annotations

from typing import Final

from corpus.build import Evidence
from corpus.reasons import Reason

SIGNALS: Final = frozenset({"links", "shared_references", "text"})
"""Names in `Evidence.passed`."""
LACKING: Final = frozenset(
    reason.value for reason in (Reason.REFERENCES_OUTSIDE_CORPUS, Reason.NO_LINKS, Reason.NO_USABLE_TEXT)
)
"""Reasons that tell which of the three a paper lacks."""


def has_signal(evidence: Evidence) -> bool:
    """Whether the paper passes, or would as soon as it may be placed: a neighbour on the map is a link then."""
    return bool(SIGNALS & set(evidence.passed) or evidence.citers_on_map or evidence.references_on_map)


def in_the_way(binding: str, evidence: Evidence) -> list[str]:
    """The reasons that keep a paper off the map, the binding one first: none that another signal makes up for."""
    made_up_for = LACKING if has_signal(evidence) else frozenset()
    return [binding, *(code for code in dict.fromkeys(evidence.reasons) if code != binding and code not in made_up_for)]
