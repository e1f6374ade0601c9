"""Why: every string gets an answer with the reason that binds, its counts, and what would help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.atlas import Atlas, Builds
from corpus.model import PartialDate
from corpus.phrases import BY_CITERS, CITERS
from corpus.store import Store
from corpus.why import Answer, explain
from tests.server.doubles import StoreDown, Switch
from tests.server.making import SEED, SEED_TITLE, STUB, fill, lay_out_by_hand, open_filled, paper

DOWN = cast("Store", StoreDown())


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Atlas]]:
    data = tmp_path_factory.mktemp("why")
    store = open_filled(data)
    lay_out_by_hand(data, store)
    atlas = Builds(data).current()
    assert atlas is not None
    yield store, atlas
    store.close()


def _codes(answer: Answer) -> list[str]:
    return [reason.code for reason in answer.reasons]


def test_a_paper_on_the_map_is_where_it_is(library: tuple[Store, Atlas]) -> None:
    answer = explain("fixture:citer-2020", *library)
    assert answer.on_map
    assert answer.reasons == ()
    assert answer.binding is None
    assert answer.x is not None
    assert 0 <= answer.x <= 1
    assert [region.name for region in answer.regions] == ["Systems for learning", "Distributed training"]


def test_a_paper_without_a_list_says_who_cites_it_and_where_they_are(library: tuple[Store, Atlas]) -> None:
    answer = explain("https://arxiv.org/abs/1802.09941v2", *library)
    assert (answer.on_map, answer.x, answer.binding) == (False, None, "no_reference_list")
    reason = answer.reasons[0]
    assert reason.text == (
        "No reference list has been obtained yet. 10 papers of this corpus cite it; 9 of them are on the map, "
        "in 'Distributed training'."
    )
    assert reason.evidence["references_parsed"] is None
    assert reason.enough == (
        "A reference list with at least one entry that has an identifier: every other test is passed already."
    )
    assert CITERS in reason.reader
    assert BY_CITERS in reason.operator
    uncited = explain("fixture:same-1", *library).reasons[0]
    assert uncited.code == "no_reference_list"
    assert not {CITERS, BY_CITERS} & {*uncited.reader, *uncited.operator}, "it has no citers"
    assert answer.hint is not None
    assert answer.hint.count == 9
    assert [test.test for test in answer.passed] == ["text"]


@pytest.mark.parametrize(
    ("query", "binding"),
    [
        ("fixture:empty", "reference_list_empty"),
        ("fixture:withdrawn", "withdrawn"),
        (STUB, "known_only_as_cited"),
        ("arxiv:2101.00001", "not_in_corpus"),
        ("doi:10.9999/nobody", "not_in_corpus"),
        ("arxiv:2610.00001", "not_in_corpus"),
        ("arxiv:2611.00001", "arrives_later"),
        ("arxiv:2611.00001v3", "arrives_later"),
        ("hep-th/9901001", "not_in_corpus"),
        ("Preface", "ambiguous"),
        ("  PREFACE ", "ambiguous"),
        ("no paper is called this", "not_understood"),
        ("", "not_understood"),
        (" \t\n ", "not_understood"),
        ("\x00\x01\x02", "not_understood"),
        ("x" * 10_000, "not_understood"),
        ("\ud800\udfff", "not_understood"),
        ("')--", "not_understood"),
    ],
)
def test_every_kind_of_string_has_its_reason(library: tuple[Store, Atlas], query: str, binding: str) -> None:
    answer = explain(query, *library)
    assert answer.binding == binding
    assert answer.reasons[0].text
    assert not answer.on_map
    assert msgspec.json.decode(msgspec.json.encode(answer))["binding"] == binding


def test_a_whole_title_is_the_paper(library: tuple[Store, Atlas]) -> None:
    for title in (SEED_TITLE, SEED_TITLE.upper(), f"  {SEED_TITLE}. ", SEED_TITLE.replace(" ", "  ")):
        answer = explain(title, *library)
        assert answer.paper is not None
        assert answer.paper.id == SEED


def test_a_title_of_several_papers_lists_them(library: tuple[Store, Atlas]) -> None:
    answer = explain("Preface", *library)
    assert {brief.id for brief in answer.candidates} == {"fixture:same-1", "fixture:same-2"}
    assert answer.reasons[0].text == "2 papers of this corpus have this title."


def test_a_misspelt_title_has_near_matches(library: tuple[Store, Atlas]) -> None:
    answer = explain("Demystifying Paralel and Distributed Deep Learning", *library)
    assert answer.binding == "not_understood"
    assert [brief.id for brief in answer.candidates] == [SEED]
    assert answer.reasons[0].evidence["tried"]


def test_a_stub_names_its_citers(library: tuple[Store, Atlas]) -> None:
    answer = explain(STUB, *library)
    evidence = answer.reasons[0].evidence
    assert (evidence["citers_in_corpus"], evidence["citers_on_map"]) == (2, 2)
    assert [brief.id for brief in evidence["first"]] == ["fixture:citer-2020", "fixture:citer-2021"]
    assert answer.paper is not None
    assert answer.paper.stub
    assert answer.hint is not None


def test_the_build_answers_alone_and_says_so(library: tuple[Store, Atlas]) -> None:
    _, atlas = library
    for store in (None, DOWN):
        answer = explain(SEED, store, atlas)
        assert answer.binding == "no_reference_list"
        assert "The database does not answer." in answer.notes[0]
        assert "10 papers of this corpus cite it" in answer.reasons[0].text
        assert explain(SEED_TITLE, store, atlas).paper is not None
        assert explain("Preface", store, atlas).binding == "ambiguous"
        assert explain("doi:10.1145/3320060", store, atlas).paper is not None
        assert answer.store == "unavailable"
        assert "could not be checked" in answer.notes[1]
    assert (explain(SEED, *library).notes, explain(SEED, *library).store) == ((), "ok")


def test_what_could_not_be_looked_up_is_not_said_to_be_absent(library: tuple[Store, Atlas]) -> None:
    for atlas in (library[1], None):
        for query in ("arxiv:2101.00001", "doi:10.9999/nobody", STUB, "arxiv:2611.00001", "hep-th/9901001"):
            answer = explain(query, DOWN, atlas)
            assert (answer.binding, answer.reasons, answer.on_map) == (None, (), False)
            said = " ".join(answer.notes)
            assert "corpus has it could not be checked" in said or said.startswith("Neither the database nor a map")
        for query in ("no paper is called this", "Attention is all you need"):
            answer = explain(query, DOWN, atlas)
            assert answer.binding == "not_understood"
            said = msgspec.json.encode(answer.reasons).decode()
            assert "this corpus" not in said
            assert ("of the map" in said) == (atlas is not None)
    assert "Titles of papers that came after the map" in explain("no such title", DOWN, library[1]).notes[1]
    later = explain("arxiv:2611.00001", DOWN, library[1]).notes[1]
    assert "data reach to 7 Oct 2026, has this identifier. arXiv gave it out in Nov 2026." in later
    assert explain("Preface", DOWN, library[1]).reasons[0].text == "2 papers of the map have this title."


@pytest.mark.parametrize("questions", range(1, 6))
def test_a_store_that_goes_in_the_middle_makes_no_count_0(tmp_path: Path, questions: int) -> None:
    store = open_filled(tmp_path)
    lay_out_by_hand(tmp_path, store)
    atlas = Builds(tmp_path).current()
    fill(store, [paper("fixture:late", title="A late paper", references=(SEED, "fixture:citer-2020"))])
    for query in (STUB, "fixture:late", SEED, "A late paper"):
        whole = {reason.code: reason.evidence for reason in explain(query, store, atlas).reasons}
        switch = Switch(store)
        switch.left = questions
        answer = explain(query, cast("Store", switch), atlas)
        assert switch.refused <= 1, "it is not asked again"
        for reason in answer.reasons:
            assert reason.code in whole or (reason.code, query) == ("not_understood", "A late paper")
            for name, count in reason.evidence.items():
                assert name == "tried" or count in (None, whole[reason.code][name])
            assert not re.search(r"\b(0 papers|No paper)\b", reason.text) or answer.store == "ok"
    store.close()


def test_with_neither_store_nor_map_nothing_is_claimed() -> None:
    for store in (None, DOWN):
        answer = explain(SEED, store, None)
        assert answer.notes == ("Neither the database nor a map can be read: nothing is known of any paper now.",)
        assert (answer.build, answer.data_date, answer.paper) == (None, None, None)


def test_before_the_first_layout_every_paper_waits(tmp_path: Path) -> None:
    store = open_filled(tmp_path)
    answer = explain(SEED, store, None)
    assert _codes(answer) == ["not_yet_laid_out", "no_reference_list"]
    assert "no map has been laid out yet" in answer.reasons[0].text
    assert answer.reasons[1].evidence["citers_in_corpus"] == 10
    assert answer.reasons[1].evidence["citers_on_map"] == 0
    assert _codes(explain("fixture:citer-2020", store, None)) == ["not_yet_laid_out"]
    assert _codes(explain("fixture:empty", store, None)) == ["not_yet_laid_out", "reference_list_empty"]
    assert _codes(explain("fixture:withdrawn", store, None)) == ["not_yet_laid_out", "withdrawn"]
    fill(store, [paper("fixture:vague", references=(), unresolved=("Smith, 1970",))])
    assert _codes(explain("fixture:vague", store, None)) == ["not_yet_laid_out", "references_unresolved"]
    store.close()


def test_what_came_after_the_build_waits_and_a_list_that_arrived_is_noticed(tmp_path: Path) -> None:
    store = open_filled(tmp_path)
    lay_out_by_hand(tmp_path, store)
    atlas = Builds(tmp_path).current()
    fill(
        store,
        [
            paper("fixture:late", title="A late paper", references=(SEED, "fixture:citer-2020")),
            paper(SEED, "doi:10.1145/3320060", title=SEED_TITLE, references=("fixture:late",)),
        ],
        PartialDate(2026, 11),
    )
    late = explain("fixture:late", store, atlas)
    assert late.binding == "not_yet_laid_out"
    assert late.reasons[0].evidence["references_on_map"] == 1
    assert late.hint is not None
    assert (late.hint.source, late.hint.name) == ("references", "Distributed training")
    assert late.data_date == "2026-11"
    seed = explain(SEED, store, atlas)
    assert _codes(seed) == ["no_reference_list", "not_yet_laid_out"]
    assert "has been obtained since this map was made" in seed.reasons[1].text
    store.close()


def test_no_paper_has_both_a_position_and_a_reason(library: tuple[Store, Atlas]) -> None:
    store, atlas = library
    for address, reason in atlas.verdicts():
        answer = explain(address, store, atlas)
        assert answer.on_map == (reason is None) == (answer.x is not None) == (not answer.reasons)
        assert answer.binding == reason


@settings(max_examples=200, deadline=None)
@given(query=st.text(max_size=200))
def test_no_string_raises(library: tuple[Store, Atlas], query: str) -> None:
    store, atlas = library
    for answer in (explain(query, store, atlas), explain(query, None, atlas), explain(query, None, None)):
        assert answer.on_map or answer.binding or answer.notes
        encoded = msgspec.json.encode(msgspec.structs.replace(answer, query=""))  # what was asked may say NaN
        assert b"NaN" not in encoded
