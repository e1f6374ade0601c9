"""Why a paper is not on the map: an answer for any string, from the store and the build, or from either alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec

from corpus.atlas import Atlas
from corpus.away import AWAY, NOTHING, identifier_unchecked, title_unchecked, tried, unchanged_unchecked
from corpus.briefs import Brief, brief_of_row
from corpus.build import Evidence, Hint
from corpus.evidence import count_evidence, hint, on_map
from corpus.identifiers import Identifier
from corpus.library import Found, Library
from corpus.model import PartialDate
from corpus.phrases import BY_CITERS, CITERS
from corpus.reasons import POLICY_VERSION, Policy, Reason
from corpus.sentences import TRIED, Facts, passed_text
from corpus.signals import in_the_way
from corpus.store import Direction, Store
from corpus.wording import WORDING, Expected
from corpus.words import plain

SCHEMA: Final = "why/1"
_SHOWN: Final = 200
"""Characters of a query that an answer repeats."""
_CANDIDATES: Final = 10
_FIRST: Final = 5
"""Citers of a stub that an answer names."""
_CITERS: Final = 2_000
"""Citers of a stub that are looked up on the map."""
_MONTH: Final = re.compile(r"(?:[a-z.-]+/)?([0-9]{2})(0[1-9]|1[0-2])(\.[0-9]{4,5}|[0-9]{3})", re.ASCII | re.IGNORECASE)
_FIRST_YEAR: Final = 91
"""arXiv began in 1991: years 91 to 99 of its identifiers are of that century."""


class ReasonAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One reason, with what it rests on and what can be done."""

    code: str
    title: str
    text: str
    evidence: Mapping[str, Any]
    reader: tuple[str, ...]
    operator: tuple[str, ...]
    enough: str | None
    expected: Expected


class PassedAnswer(msgspec.Struct, frozen=True):
    """A test that the paper passes."""

    test: str
    text: str


class Place(msgspec.Struct, frozen=True):
    """A region around a position."""

    key: str
    name: str
    level: int


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What `why` says of one string."""

    schema: str = SCHEMA
    query: str
    """The first 200 characters, without control characters."""
    paper: Brief | None = None
    on_map: bool = False
    x: float | None = None
    y: float | None = None
    regions: tuple[Place, ...] = ()
    """Regions around its position, the coarsest first."""
    binding: str | None = None
    reasons: tuple[ReasonAnswer, ...] = ()
    """The binding one first."""
    passed: tuple[PassedAnswer, ...] = ()
    hint: Hint | None = None
    candidates: tuple[Brief, ...] = ()
    """Papers that may be meant, where it is not clear which one is."""
    notes: tuple[str, ...] = ()
    """What could not be checked."""
    store: str = "ok"
    """`unavailable` where the database did not answer: this is the map's answer alone. Then `binding` may be None though
    nothing is on the map: it is not known whether there is such a paper."""
    policy: str
    policy_version: str
    build: str | None
    data_date: str | None


def explain(query: str, store: Store | None, atlas: Atlas | None) -> Answer:
    """Say of any string where its paper is on the map, or why it is not.

    Without a store, or with one that fails, the answer is made from the build alone and says so. Nothing that a
    user can type raises.
    """
    return inquire(query, Library(store, atlas))


def inquire(query: str, library: Library) -> Answer:
    """Say the same out of a library that may have been asked before: a store that was away then is not waited for again."""
    return _Inquiry(query, library).answer()


class _Inquiry:
    """One question on its way to its answer."""

    def __init__(self, query: str, library: Library) -> None:
        self.text = plain(query)
        self.library = library
        self.atlas = library.atlas
        policy = Policy.REFERENCES.value if self.atlas is None else self.atlas.manifest.policy
        date = library.data_date()
        self.facts = Facts(policy=policy, data_date=date, laid_out=self.atlas is not None, empty=not self.text)

    def answer(self) -> Answer:
        """Try the string as an identifier, then as a title."""
        identifier, found = self.library.find_named(self.text)
        if found is not None:
            return self._of(found)
        same = self.library.titled(self.text)
        if len(same) == 1:
            return self._of(self.library.find(same[0].id) or Found(same[0], None, None))
        if same:
            facts = replace(self.facts, count=len(same), away=self.library.away)
            return self._say(Reason.AMBIGUOUS, facts, candidates=tuple(same[:_CANDIDATES]))
        if identifier is not None:
            return self._unknown(identifier)
        near = tuple(self.library.near(self.text, _CANDIDATES))
        facts = replace(self.facts, away=self.library.away)
        forms = tried(laid_out=facts.laid_out) if facts.away else list(TRIED)
        answer = self._say(Reason.NOT_UNDERSTOOD, facts, evidence={"tried": forms}, candidates=near)
        return self._noting(answer, "" if facts.empty else title_unchecked())

    def _unknown(self, identifier: Identifier) -> Answer:
        month = _numbered(identifier)
        date = self.facts.data_date
        if self.library.away:
            return self._noting(self._answer(None, None, ()), identifier_unchecked(date, month))
        evidence = {"identifier": str(identifier)} | ({} if month is None else {"numbered": str(month)})
        later = (
            month is not None and date is not None and (month.year, month.month or 1) > (date.year, date.month or 12)
        )
        reason = Reason.ARRIVES_LATER if later else Reason.NOT_IN_CORPUS
        return self._say(reason, replace(self.facts, numbered=month), evidence=evidence)

    def _of(self, found: Found) -> Answer:
        if found.brief.stub:
            return self._stub(found)
        if found.entry is None or self.atlas is None:
            return self._waiting(found)
        evidence = self.atlas.evidence(found.entry.n)
        if found.entry.on_map:
            return self._noting(self._answer(found.brief, evidence, ()), unchanged_unchecked())
        facts = replace(self.facts, evidence=evidence)
        binding = found.entry.reason or Reason.NO_POSITION_RETURNED.value
        reasons = [_reason(code, facts) for code in in_the_way(binding, evidence)]
        listed = found.stored is not None and found.stored.paper.references is not None
        if listed and evidence.references_parsed is None:
            reasons.append(_reason(Reason.NOT_YET_LAID_OUT.value, replace(facts, newer=True)))
        return self._noting(self._answer(found.brief, evidence, tuple(reasons)), unchanged_unchecked())

    def _waiting(self, found: Found) -> Answer:
        """Answer for a paper that came after the build, or before the first one."""
        evidence = None if found.stored is None else count_evidence(found.stored, self.library, self.facts.policy)
        if evidence is None:
            return self._answer(found.brief, None, (_reason(Reason.NOT_YET_LAID_OUT.value, self.facts),))
        facts = replace(self.facts, evidence=evidence)
        return self._answer(found.brief, evidence, tuple(_reason(code, facts) for code in evidence.reasons))

    def _stub(self, found: Found) -> Answer:
        citers = self.library.neighbours(found.brief.id, Direction.CITATIONS, _CITERS)
        rows = () if citers is None else citers.rows
        total = found.brief.citations if citers is None else citers.total
        evidence = {
            "citers_in_corpus": total,
            "citers_on_map": on_map(rows, self.atlas) if len(rows) == total else None,
            "first": None if citers is None else [brief_of_row(row, self.atlas) for row in rows[:_FIRST]],
        }
        facts = replace(self.facts, count=total)
        reason = _reason(Reason.KNOWN_ONLY_AS_CITED.value, facts, evidence)
        answer = self._answer(found.brief, None, (reason,))
        return msgspec.structs.replace(answer, hint=hint(rows, self.atlas, "citers"))

    def _say(
        self,
        reason: Reason,
        facts: Facts | None = None,
        *,
        evidence: Mapping[str, Any] | None = None,
        candidates: tuple[Brief, ...] = (),
    ) -> Answer:
        """Answer where no paper is meant for sure."""
        answer = self._answer(None, None, (_reason(reason.value, facts or self.facts, evidence),))
        return msgspec.structs.replace(answer, candidates=candidates)

    def _noting(self, answer: Answer, unchecked: str) -> Answer:
        """Add what could not be checked, where that is so."""
        if answer.store == "ok" or self.atlas is None or not unchecked:
            return answer
        return msgspec.structs.replace(answer, notes=(*answer.notes, unchecked))

    def _answer(self, paper: Brief | None, evidence: Evidence | None, reasons: tuple[ReasonAnswer, ...]) -> Answer:
        atlas = self.atlas
        placed = paper is not None and paper.on_map
        path = atlas.region_path(paper.region.key) if atlas and paper and paper.region else ()
        passed = () if evidence is None else evidence.passed
        return Answer(
            query=self.text[:_SHOWN],
            paper=paper,
            on_map=placed,
            x=paper.x if paper else None,
            y=paper.y if paper else None,
            regions=tuple(Place(region.key, region.name, region.level) for region in path),
            binding=reasons[0].code if reasons else None,
            reasons=reasons,
            passed=tuple(PassedAnswer(test, passed_text(test, evidence)) for test in passed if evidence),
            hint=None if evidence is None or placed else evidence.hint,
            notes=((AWAY if atlas else NOTHING),) if self.library.away else (),
            store=self.library.state,
            policy=self.facts.policy,
            policy_version=atlas.manifest.policy_version if atlas else POLICY_VERSION,
            build=atlas.manifest.hash if atlas else None,
            data_date=None if self.facts.data_date is None else str(self.facts.data_date),
        )


def _reason(code: str, facts: Facts, evidence: Mapping[str, Any] | None = None) -> ReasonAnswer:
    wording = WORDING.get(Reason(code)) if code in _CODES else None
    if wording is None:  # a build of a later version
        nothing = Expected("unknown", "This version cannot say.")
        return ReasonAnswer(
            code=code,
            title=code,
            text=code,
            evidence=evidence or {},
            reader=(),
            operator=(),
            enough=None,
            expected=nothing,
        )
    counts = {} if facts.evidence is None else {name: getattr(facts.evidence, name) for name in wording.evidence}
    return ReasonAnswer(
        code=code,
        title=wording.title,
        text=wording.text(facts),
        evidence=counts if evidence is None else evidence,
        reader=tuple(step for step in wording.reader if step != CITERS or _has_citers(facts)),
        operator=tuple(step for step in wording.operator if step != BY_CITERS or _has_citers(facts)),
        enough=None if wording.enough is None else wording.enough(facts),
        expected=wording.expected,
    )


def _has_citers(facts: Facts) -> bool:
    return facts.evidence is None or facts.evidence.citers_in_corpus > 0


_CODES: Final = frozenset(reason.value for reason in Reason)


def _numbered(identifier: Identifier) -> PartialDate | None:
    """Read the month in which arXiv gave out an identifier."""
    match = _MONTH.fullmatch(identifier.value) if identifier.scheme == "arxiv" else None
    if match is None:
        return None
    year = int(match[1])
    return PartialDate((1900 if year >= _FIRST_YEAR else 2000) + year, int(match[2]))
