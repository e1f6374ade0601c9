"""Sentences out of counts: the parts of an answer of `why` that depend on the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from corpus.build import Evidence, Hint
from corpus.model import PartialDate
from corpus.reasons import Policy, Reason
from corpus.signals import LACKING, has_signal

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LISTS: Final = frozenset(
    {
        Reason.NO_REFERENCE_LIST.value,
        Reason.REFERENCE_LIST_FAILED.value,
        Reason.REFERENCE_LIST_EMPTY.value,
        Reason.REFERENCES_UNRESOLVED.value,
    }
)
"""Reasons that a reference list would remove."""
_LIKE: Final = 0.5
"""Share of the neighbours from which on a region holds "most" of them."""

TRIED: Final = (
    "arXiv identifier, new and old style, with or without version",
    "DOI, the 10.48550 ones of arXiv included",
    "OpenAlex, Semantic Scholar, PMID or PMCID",
    "a link to any of these",
    "the whole title of a paper of this corpus",
)
"""What a string is tried as, in this order."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sentence may speak of."""

    policy: str = Policy.REFERENCES.value
    data_date: PartialDate | None = None
    evidence: Evidence | None = None
    count: int = 0
    """Candidates of an ambiguous title; citers of a stub."""
    empty: bool = False
    """Whether nothing was asked."""
    laid_out: bool = False
    """Whether there is a map at all."""
    newer: bool = False
    """Whether the build has a verdict, but the store has learned of a reference list since."""
    numbered: PartialDate | None = None
    """Month in which arXiv gave out the identifier."""
    away: bool = False
    """Whether the database does not answer: what is not on the map may be in the corpus all the same."""


def date_text(date: PartialDate) -> str:
    """Write a date with the precision it has: `26 Feb 2018`, `Feb 2018` or `2018`."""
    parts = [] if date.day is None else [str(date.day)]
    parts += [] if date.month is None else [_MONTHS[date.month - 1]]
    return " ".join([*parts, str(date.year)])


def many(count: int, one: str, more: str | None = None) -> str:
    """Write `1 paper`, `2 papers`, `1,212 papers`."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def cited(evidence: Evidence) -> str:
    """Say how many papers cite it and where they are."""
    total, placed = evidence.citers_in_corpus, evidence.citers_on_map
    if not total:
        return "No paper of this corpus cites it."
    opening = f"{many(total, 'paper')} of this corpus {'cites' if total == 1 else 'cite'} it"
    return f"{opening}; {_on_map(total, placed)}{_where(evidence.hint, 'citers') if placed else ''}."


def _on_map(total: int, placed: int) -> str:
    if total == 1:
        return "it is on the map" if placed else "it is not on the map"
    if not placed:
        return "none of them is on the map"
    if placed == total:
        return "all of them are on the map"
    return f"{placed:,} of them {'is' if placed == 1 else 'are'} on the map"


def _where(hint: Hint | None, source: str) -> str:
    if hint is None or hint.source != source or not hint.total:
        return ""
    if hint.count == hint.total:
        return f", in '{hint.name}'"
    degree = "mostly" if hint.count > _LIKE * hint.total else "most often"
    return f", {degree} in '{hint.name}'"


def listed(evidence: Evidence) -> str:
    """Say what became of its reference list."""
    parsed = evidence.references_parsed
    if parsed is None:
        return "No reference list has been obtained yet."
    if not parsed:
        return "Its reference list is empty."
    steps = [f"Its reference list has {many(parsed, 'entry', 'entries')}"]
    for count, what in (
        (evidence.references_resolved, "with an identifier"),
        (evidence.references_in_corpus, "in this corpus"),
        (evidence.references_on_map, "on the map"),
    ):
        if count is not None:
            steps.append(f"{count:,} {what}")
    return ", ".join(steps) + _where(evidence.hint, "references") + "."


def not_understood(facts: Facts) -> str:
    """Say that a string is nothing we know."""
    if facts.empty:
        return "Nothing was asked: write an identifier or a title."
    if facts.away and not facts.laid_out:
        return "This is no identifier in a form that is known here."
    where = "of the map" if facts.away else "of this corpus"
    return f"This is neither an identifier in a form that is known here nor the title of a paper {where}."


def ambiguous(facts: Facts) -> str:
    """Say how many papers have the title."""
    return f"{many(facts.count, 'paper')} of {'the map' if facts.away else 'this corpus'} have this title."


def not_in_corpus(facts: Facts) -> str:
    """Say that nobody has the identifier, and up to when the data reach."""
    reach = "" if facts.data_date is None else f" The data reach to {date_text(facts.data_date)}."
    return f"The identifier is well formed, but no record of this corpus has it, and no reference list names it in this form.{reach}"


def arrives_later(facts: Facts) -> str:
    """Compare the month of an arXiv identifier with the data date."""
    numbered = "later" if facts.numbered is None else f"in {date_text(facts.numbered)}"
    reach = "before that" if facts.data_date is None else f"to {date_text(facts.data_date)}"
    return f"arXiv gave out this identifier {numbered}; the data of this corpus reach {reach}."


def known_only_as_cited(facts: Facts) -> str:
    """Say how many papers cite a work without a record."""
    verb = "cites" if facts.count == 1 else "cite"
    return (
        f"{many(facts.count, 'paper')} of this corpus {verb} this work, but no source has given a record of it: "
        "no title, no date and no reference list are known."
    )


def not_yet_laid_out(facts: Facts) -> str:
    """Say that the paper waits, and for what."""
    if not facts.laid_out:
        return "The paper is in the corpus, but no map has been laid out yet."
    if facts.newer:
        return "A reference list has been obtained since this map was made; the next layout will use it."
    return "The paper was ingested after this map was made."


def no_reference_list(facts: Facts) -> str:
    """Say that no list was obtained, and who cites the paper."""
    text = "No reference list has been obtained yet."
    return text if facts.evidence is None else f"{text}{_declared(facts.evidence)} {cited(facts.evidence)}"


def _declared(evidence: Evidence) -> str:
    if not evidence.references_declared:
        return ""
    return f" Its source says that it has {many(evidence.references_declared, 'reference')}, but does not give them."


def reference_list_failed(facts: Facts) -> str:
    """Say that a list could not be fetched or read, and who cites the paper."""
    text = "Its reference list could not be fetched or read."
    return text if facts.evidence is None else f"{text} {cited(facts.evidence)}"


def reference_list_empty(facts: Facts) -> str:
    """Say that the source itself calls the list empty."""
    text = "Its reference list is empty: a source says outright that the paper cites nothing."
    return text if facts.evidence is None else f"{text} {cited(facts.evidence)}"


def references_unresolved(facts: Facts) -> str:
    """Say how many entries have no identifier."""
    if facts.evidence is None or facts.evidence.references_parsed is None:
        return "None of the entries of its reference list could be identified."
    count = many(facts.evidence.references_parsed, "entry", "entries")
    return f"Its reference list has {count}, none of which could be identified. {cited(facts.evidence)}"


def references_outside_corpus(facts: Facts) -> str:
    """Say how the list shrinks on its way to the map."""
    if facts.evidence is None:
        return "None of the works it cites is a paper of this corpus."
    shared = facts.evidence.references_shared
    beside = "" if shared is None else f" {_shared(shared)}"
    return f"{listed(facts.evidence)}{beside} {cited(facts.evidence)}"


def _shared(count: int) -> str:
    if not count:
        return "No other candidate for the map cites any of them."
    return f"{many(count, 'cited work')} {'is' if count == 1 else 'are'} cited by other candidates for the map too."


def no_links(facts: Facts) -> str:
    """Say that there is nothing to place it by."""
    text = "It has no citation to or from a paper of this corpus."
    if facts.evidence is None:
        return text
    return f"{listed(facts.evidence)} {cited(facts.evidence)}"


def no_usable_text(facts: Facts) -> str:
    """Say which of the text's conditions fails."""
    evidence = facts.evidence
    if evidence is None:
        return "It has no title and abstract that a place could be derived from."
    least = evidence.thresholds.get("known_terms")
    need = "" if least is None else f"; {least:g} are needed"
    why = {
        "none": "Neither its title nor its abstract has usable words.",
        "too_short": f"Its title and abstract hold {many(evidence.known_terms, 'term')} that this corpus knows{need}.",
        "other_language": "Its text is in another language than this corpus mostly is.",
        "boilerplate": "What stands in place of its abstract is a notice, not an abstract.",
    }.get(evidence.text, "Its title and abstract cannot be used.")
    return f"{why} {_abstract(evidence)}"


def _abstract(evidence: Evidence) -> str:
    if evidence.abstract_characters is None:
        return "No abstract has been obtained yet."
    return f"Its abstract has {many(evidence.abstract_characters, 'character')}."


def enough_list(facts: Facts) -> str:
    """Say what would place a paper that lacks a reference list, under the policy of the map."""
    if facts.policy == Policy.SIGNALS:
        return "One citation to or from a paper of this corpus, or a usable title and abstract."
    start = "A reference list with at least one entry that has an identifier"
    return _and_signal(f"{start}, or one citing paper of this corpus" if facts.policy == Policy.LINKS else start, facts)


def enough_entry(facts: Facts) -> str:
    """Say what would place a paper none of whose references could be identified."""
    return _and_signal("One entry of its list with an identifier", facts)


def _and_signal(start: str, facts: Facts) -> str:
    if facts.evidence is None or not has_signal(facts.evidence):
        return (
            f"{start}; and then a link to a paper of this corpus, a shared reference, or a usable title and abstract."
        )
    other = set(facts.evidence.reasons) - _LISTS - LACKING - {Reason.NOT_YET_LAID_OUT.value}
    return f"{start}." if other else f"{start}: every other test is passed already."


def enough_signal(facts: Facts) -> str:
    """Say what would give a paper with a list a place."""
    del facts
    return "A reference that a paper of the map has too, a citing paper of this corpus, or a usable title and abstract."


def enough_text(facts: Facts) -> str:
    """Say how much text is enough, or which link."""
    least = None if facts.evidence is None else facts.evidence.thresholds.get("known_terms")
    amount = "enough" if least is None else f"at least {least:g}"
    return f"A title and abstract with {amount} terms that this corpus knows, or one link to a paper of this corpus."


def passed_text(test: str, evidence: Evidence) -> str:
    """Say what a passed test saw."""
    inside, around = evidence.references_in_corpus, evidence.citers_in_corpus
    return {
        "reference_list": listed(evidence),
        "links": f"It has links: {many(around, 'citing paper')}"
        + ("." if inside is None else f", {many(inside, 'reference')} in this corpus."),
        "shared_references": f"It shares {many(evidence.references_shared or 0, 'cited work')} with other papers.",
        "text": f"Its text is usable: {many(evidence.known_terms, 'known term')}. {_abstract(evidence)}",
    }.get(test, test)
