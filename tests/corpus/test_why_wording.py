"""Every reason and mark has its words, and its heading in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from corpus.build import Evidence, Hint
from corpus.model import PartialDate
from corpus.reasons import Mark, Policy, Reason
from corpus.sentences import Facts, cited, date_text, enough_entry, enough_list, listed, many, passed_text
from corpus.signals import in_the_way
from corpus.wording import MARKS, WORDING
from corpus.words import fold_title, plain, tokens

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reasons.md"
EVIDENCE = Evidence(
    references_declared=None,
    references_parsed=None,
    references_resolved=None,
    references_in_corpus=None,
    references_on_map=None,
    references_shared=None,
    citers_in_corpus=154,
    citers_on_map=151,
    abstract_characters=1212,
    text="usable",
    known_terms=40,
    language="en",
    status="normal",
    reasons=("no_reference_list",),
    passed=(),
)


def _with(**changes: object) -> Evidence:
    return msgspec.structs.replace(EVIDENCE, **changes)


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("evidence", [None, EVIDENCE, _with(references_parsed=3, references_resolved=0)])
@pytest.mark.parametrize("policy", Policy)
def test_every_reason_has_its_words(reason: Reason, evidence: Evidence | None, policy: Policy) -> None:
    wording = WORDING[reason]
    facts = Facts(policy=policy.value, evidence=evidence, data_date=PartialDate(2026), count=2)
    texts = [wording.title, wording.text(facts), wording.expected.text, *wording.reader, *wording.operator]
    texts += [wording.enough(facts)] if wording.enough else []
    for text in texts:
        assert text.strip() == text
        assert text
        assert not re.search(r"\bNone\b(?! of)", text), "an unknown count must not show as Python writes it"
        assert "  " not in text
    assert wording.reader
    assert set(wording.evidence) <= set(Evidence.__struct_fields__)


def test_the_table_and_the_documentation_are_complete_and_in_order() -> None:
    assert list(WORDING) == list(Reason)
    assert list(MARKS) == list(Mark)
    headings = re.findall(r"^### (\w+)$", DOCS.read_text("utf-8"), re.MULTILINE)
    assert headings == [*Reason, *Mark]


@pytest.mark.parametrize(
    ("total", "placed", "hint", "text"),
    [
        (154, 151, (140, 151), "154 papers of this corpus cite it; 151 of them are on the map, mostly in 'X'."),
        (154, 151, (20, 151), "154 papers of this corpus cite it; 151 of them are on the map, most often in 'X'."),
        (2, 2, (2, 2), "2 papers of this corpus cite it; all of them are on the map, in 'X'."),
        (2, 1, None, "2 papers of this corpus cite it; 1 of them is on the map."),
        (2, 0, None, "2 papers of this corpus cite it; none of them is on the map."),
        (1, 1, (1, 1), "1 paper of this corpus cites it; it is on the map, in 'X'."),
        (1, 0, None, "1 paper of this corpus cites it; it is not on the map."),
        (0, 0, None, "No paper of this corpus cites it."),
        (1500, 1500, None, "1,500 papers of this corpus cite it; all of them are on the map."),
    ],
)
def test_counts_are_put_in_words(total: int, placed: int, hint: tuple[int, int] | None, text: str) -> None:
    made = Hint("1-00", "X", "citers", *hint) if hint else None
    assert cited(_with(citers_in_corpus=total, citers_on_map=placed, hint=made)) == text


def test_a_list_is_unknown_empty_or_counted() -> None:
    assert listed(EVIDENCE) == "No reference list has been obtained yet."
    assert listed(_with(references_parsed=0)) == "Its reference list is empty."
    whole = _with(references_parsed=41, references_resolved=40, references_in_corpus=0, references_on_map=0)
    assert listed(whole) == (
        "Its reference list has 41 entries, 40 with an identifier, 0 in this corpus, 0 on the map."
    )


def test_what_is_enough_depends_on_the_policy() -> None:
    answers = {enough_list(Facts(policy=policy.value, evidence=EVIDENCE)) for policy in Policy}
    assert len(answers) == 3


ALONE = {"citers_in_corpus": 0, "citers_on_map": 0}
WORDED, CITED, BARE = {**ALONE, "passed": ("text",)}, {}, ALONE


@pytest.mark.parametrize(
    ("signals", "reasons", "in_the_way_now", "ending"),
    [
        (WORDED, ("no_reference_list", "no_links"), ["no_reference_list"], ": every other test is passed already."),
        (
            CITED,
            ("no_reference_list", "no_usable_text"),
            ["no_reference_list"],
            ": every other test is passed already.",
        ),
        (
            BARE,
            ("no_reference_list", "no_links", "no_usable_text"),
            ["no_reference_list", "no_links", "no_usable_text"],
            "; and then a link to a paper of this corpus, a shared reference, or a usable title and abstract.",
        ),
        (WORDED, ("withdrawn", "no_reference_list", "no_links"), ["withdrawn", "no_reference_list"], "an identifier."),
        (CITED, ("not_yet_laid_out", "references_unresolved"), None, ": every other test is passed already."),
    ],
)
def test_no_reason_contradicts_another(
    signals: dict[str, object], reasons: tuple[str, ...], in_the_way_now: list[str] | None, ending: str
) -> None:
    evidence = _with(reasons=reasons, **signals)
    assert in_the_way(reasons[0], evidence) == (in_the_way_now or list(reasons))
    for enough in (enough_list, enough_entry):
        assert enough(Facts(evidence=evidence)).endswith(ending)


def test_the_binding_reason_is_named_whatever_the_paper_passes() -> None:
    evidence = _with(reasons=("no_links",), passed=("text",))
    assert in_the_way("no_links", evidence) == ["no_links"]
    assert in_the_way("layout_failed", evidence) == ["layout_failed"]


def test_passed_tests_say_what_they_saw() -> None:
    assert passed_text("text", EVIDENCE) == ("Its text is usable: 40 known terms. Its abstract has 1,212 characters.")
    assert "154 citing papers" in passed_text("links", EVIDENCE)
    assert passed_text("a test of a later version", EVIDENCE) == "a test of a later version"


def test_dates_and_counts() -> None:
    assert date_text(PartialDate(2018, 2, 26)) == "26 Feb 2018"
    assert date_text(PartialDate(2018, 2)) == "Feb 2018"
    assert date_text(PartialDate(2018)) == "2018"
    assert (many(1, "entry", "entries"), many(2, "entry", "entries")) == ("1 entry", "2 entries")


def test_words_are_words_and_never_syntax() -> None:
    assert tokens('C++ "AND" col:x -a* (b)') == ("C", "AND", "col", "x", "a", "b")
    assert tokens("हिन्दी 深層学習 naïve") == ("हिन्दी", "深層学習", "naïve")
    assert len(tokens("w " * 100)) == 12
    assert tokens("x" * 500) == ("x" * 64,)
    assert tokens("") == tokens("?!*") == ()


def test_titles_are_compared_without_case_accents_and_punctuation() -> None:
    assert fold_title("Über-Graphs: a  survey!") == fold_title("uber graphs, A SURVEY")
    assert fold_title("C") != fold_title("D")
    assert fold_title("***") == ""


def test_plain_text_can_be_shown_and_stored() -> None:
    assert plain("a\x00b\x1b[31m\r\nc\ud800") == "a b [31m c?"
    assert plain(" \t ") == ""
    assert len(plain("x" * 10_000)) == 2000
