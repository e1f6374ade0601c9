"""The closed list of reasons why a paper is not on the map (and of marks on papers that are).

The words readers see for each stand in `corpus.wording`; the headings in `docs/reasons.md`.
Source of the taxonomy: a survey of how 14 literature maps treat absent papers, `docs/decisions/0005-reasons.md`.
"""

from __future__ import annotations

from enum import StrEnum

POLICY_VERSION = "1"
"""Raised with every change of the rules below or of the tests that lead to them."""


class Reason(StrEnum):
    """A reason code; the order of the list is the order in which reasons bind."""

    NOT_UNDERSTOOD = "not_understood"
    AMBIGUOUS = "ambiguous"
    NOT_IN_CORPUS = "not_in_corpus"
    ARRIVES_LATER = "arrives_later"
    KNOWN_ONLY_AS_CITED = "known_only_as_cited"
    REJECTED_AT_INGEST = "rejected_at_ingest"

    WITHDRAWN = "withdrawn"
    NOT_A_PAPER = "not_a_paper"
    DUPLICATE_OF = "duplicate_of"
    OUT_OF_SCOPE = "out_of_scope"
    EXCLUDED_BY_RULE = "excluded_by_rule"

    NOT_YET_LAID_OUT = "not_yet_laid_out"
    LAYOUT_FAILED = "layout_failed"
    NO_POSITION_RETURNED = "no_position_returned"

    NO_REFERENCE_LIST = "no_reference_list"
    REFERENCE_LIST_FAILED = "reference_list_failed"
    REFERENCE_LIST_EMPTY = "reference_list_empty"
    REFERENCES_UNRESOLVED = "references_unresolved"
    REFERENCES_OUTSIDE_CORPUS = "references_outside_corpus"

    NO_LINKS = "no_links"
    COMPONENT_TOO_SMALL = "component_too_small"
    NO_USABLE_TEXT = "no_usable_text"
    VECTOR_FAILED = "vector_failed"

    HIDDEN_BY_FILTER = "hidden_by_filter"
    HIDDEN_BY_ZOOM = "hidden_by_zoom"


class Mark(StrEnum):
    """A mark on a paper that stays on the map."""

    RETRACTED = "retracted"
    WEAK_EVIDENCE = "weak_evidence"


class Policy(StrEnum):
    """Who may be placed (`layout.policy`)."""

    REFERENCES = "references"
    """A reference list of its own that is not empty, and a usable signal."""
    LINKS = "links"
    """A list that is not empty or citers, and a usable signal."""
    SIGNALS = "signals"
    """Any link or usable text."""
