"""From records to the paper: every line of the table in `corpus.folding`, and that the order of arrival is nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.folding import SOURCES, canonical_json, fold
from corpus.identifiers import sort_ids
from corpus.model import Author, PartialDate, Record, ReferencesState, Status


def record(key: str = "test:1", updated: str | None = None, **fields: Any) -> Record:
    """A record with one identifier, unless told otherwise."""
    date = fields.pop("date", None)
    return Record(
        key=key,
        ids=sort_ids(fields.pop("ids", [key])),
        updated=PartialDate.parse(updated) if updated else None,
        date=PartialDate.parse(date) if date else None,
        **fields,
    )


OLD, NEW = "2020-01-01", "2021-01-01"


def test_a_paper_needs_a_record() -> None:
    with pytest.raises(ValueError, match="at least one record"):
        fold([])


def test_identifiers_are_those_of_all_records_and_the_first_is_the_address() -> None:
    paper = fold(
        [record(ids=["openalex:W1", "doi:10.1000/2"]), record(ids=["arxiv:2101.00001", "doi:10.1000/1", "openalex:W1"])]
    )
    assert paper.ids == ("arxiv:2101.00001", "doi:10.1000/1", "doi:10.1000/2", "openalex:W1")
    assert paper.address == "arxiv:2101.00001"


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ([Status.NORMAL, Status.NORMAL], Status.NORMAL),
        ([Status.NORMAL, Status.WITHDRAWN], Status.WITHDRAWN),
        ([Status.RETRACTED, Status.WITHDRAWN], Status.RETRACTED),
        ([Status.RETRACTED, Status.NORMAL], Status.RETRACTED),
    ],
)
def test_withdrawn_or_retracted_if_any_record_says_so(said: Sequence[Status], held: Status) -> None:
    assert fold([record(status=one, updated=f"200{place}") for place, one in enumerate(said)]).status is held


LISTS: list[tuple[str, list[dict[str, Any]], tuple[str, ...] | None, tuple[str, ...]]] = [
    ("unknown where no record has a list", [{}, {}], None, ()),
    ("empty where one says so", [{"updated": NEW}, {"updated": OLD, "references": ()}], (), ()),
    (
        "a list beats a newer empty one",
        [{"updated": NEW, "references": ()}, {"updated": OLD, "references": ("a:1",)}],
        ("a:1",),
        (),
    ),
    ("a list beats a newer unknown", [{"updated": NEW}, {"updated": OLD, "references": ("a:1",)}], ("a:1",), ()),
    (
        "the newer of two lists",
        [{"updated": NEW, "references": ("a:2",)}, {"updated": OLD, "references": ("a:1",)}],
        ("a:2",),
        (),
    ),
    (
        "a list of entries without identifier is not empty",
        [{"updated": NEW, "references": ()}, {"updated": OLD, "references": (), "unresolved": ("Smith",)}],
        (),
        ("Smith",),
    ),
]


@pytest.mark.parametrize(("name", "said", "references", "unresolved"), LISTS, ids=[one[0] for one in LISTS])
def test_reference_lists(
    name: str, said: Sequence[Mapping[str, Any]], references: tuple[str, ...] | None, unresolved: tuple[str, ...]
) -> None:
    paper = fold([record(**one) for one in said])
    assert (paper.references, paper.unresolved) == (references, unresolved), name
    assert paper.references_state is (ReferencesState.UNKNOWN if references is None else ReferencesState.LISTED)


def test_the_declared_count_goes_with_its_list() -> None:
    newer = record(updated=NEW, references_declared=99)
    assert fold([newer, record(updated=OLD, references=("a:1",), references_declared=7)]).references_declared == 7
    assert fold([newer, record(updated=OLD, references=(), references_declared=0)]).references_declared == 0
    assert fold([newer, record(updated=OLD, references=("a:1",))]).references_declared == 99
    assert fold([record(), record(updated=OLD)]).references_declared is None


def test_counts_of_each_source_are_from_its_best_record() -> None:
    counts = fold(
        [record(updated=OLD, cited_by_counts={"t": 1, "s": 5}), record(updated=NEW, cited_by_counts={"s": 3}), record()]
    ).cited_by_counts
    assert list(counts.items()) == [("s", 3), ("t", 1)]


@pytest.mark.parametrize("field", ["title", "venue", "language", "type", "abstract"])
def test_the_best_record_that_has_a_value(field: str) -> None:
    said = [record(updated=NEW), record(updated=OLD, **{field: "old"}), record(**{field: "undated"})]
    assert getattr(fold(said), field) == "old"
    assert getattr(fold([*said, record(updated=NEW, **{field: "<p> </p>"})]), field) == "old"
    assert getattr(fold([*said, record(updated=NEW, **{field: "new"})]), field) == "new"
    assert getattr(fold([record()]), field) is None


def test_sources_are_believed_in_order_whatever_their_dates() -> None:
    said = [record(source=source, title=source, updated=f"20{10 + place}") for place, source in enumerate(SOURCES)]
    assert fold(said).title == SOURCES[0]
    assert fold(said[1:]).title == SOURCES[1]
    assert fold([said[-1], record(source="mine", title="mine", updated="2030"), record(title="?")]).title == SOURCES[-1]


def test_authors_and_areas_are_those_of_one_record_whole() -> None:
    said = [
        record(updated=NEW),
        record(updated=OLD, authors=(Author("A"), Author("B", "0000-1")), areas=("x", "y")),
        record(authors=(Author("C"),), areas=("z",)),
    ]
    paper = fold(said)
    assert paper.authors == (Author("A"), Author("B", "0000-1"))
    assert paper.areas == ("x", "y")


def test_names_are_clean() -> None:
    paper = fold(
        [
            record(
                authors=(Author('Schr\\"odinger,\0 E.'), Author("\u202e")),
                areas=("R&amp;D", "R&D", ""),
                venue="A &amp; B\u202e",
            )
        ]
    )
    assert paper.authors == (Author("Schrödinger, E."),)
    assert paper.areas == ("R&D",)
    assert paper.venue == "A & B"


def test_an_abstract_known_to_be_none_is_not_unknown_and_gives_way_to_text() -> None:
    none, text = record(updated=NEW, abstract="", source="s"), record(updated=OLD, abstract="<p>Text</p>", source="t")
    assert (fold([none]).abstract, fold([none]).abstract_source) == ("", "s")
    assert (fold([none, text]).abstract, fold([none, text]).abstract_source) == ("Text", "t")
    assert fold([record(abstract="<p />")]).abstract is None, "nobody has said that there is none"
    assert fold([record(abstract="<p />", updated=NEW), record(abstract="", updated=OLD)]).abstract == ""
    assert (fold([record(source="s")]).abstract, fold([record(source="s")]).abstract_source) == (None, None)


@pytest.mark.parametrize(
    ("newer", "older", "date"),
    [
        ("2018", "2018-02-26", "2018-02-26"),
        ("2018-02", "2018-02-26", "2018-02-26"),
        ("2018-03", "2018-02-26", "2018-03"),
        ("2018", "2019-02-26", "2018"),
        ("2018-02-26", "2018", "2018-02-26"),
        (None, "2018", "2018"),
        (None, None, None),
    ],
)
def test_a_finer_date_beats_a_coarser_one_that_it_agrees_with(
    newer: str | None, older: str | None, date: str | None
) -> None:
    folded = fold([record(updated=NEW, date=newer), record(updated=OLD, date=older)]).date
    assert (None if folded is None else str(folded)) == date


def test_raw_text_stays_in_the_records() -> None:
    one = record(title="<i>x</i>")
    assert fold([one]).records == (one,)
    assert fold([one]).title == "x"


RECORDS = st.builds(
    record,
    key=st.sampled_from(["test:1", "doi:10.1000/1"]),
    updated=st.sampled_from([None, "2020", "2020-02", NEW]),
    title=st.sampled_from([None, "", "A", "<i>A</i>", "B"]),
    abstract=st.sampled_from([None, "", "A", "<p/>"]),
    date=st.sampled_from([None, "2018", "2018-02", "2018-02-26", "2019"]),
    venue=st.sampled_from([None, "V", " "]),
    authors=st.sampled_from([(), (Author("A"),), (Author("B", "0000-1"),), (Author(" "),)]),
    areas=st.sampled_from([(), ("x",), ("y", "x")]),
    status=st.sampled_from(Status),
    references=st.sampled_from([None, (), ("a:1",), ("a:2", "a:1")]),
    references_declared=st.sampled_from([None, 0, 2]),
    cited_by_counts=st.dictionaries(st.sampled_from(["s", "t"]), st.integers(0, 2)),
    source=st.sampled_from([None, "s", "t", "arxiv", "openalex"]),
)


@given(st.lists(RECORDS, min_size=1, max_size=6).flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
@settings(max_examples=500, deadline=None)
def test_the_order_of_arrival_is_nothing(orders: tuple[list[Record], list[Record]]) -> None:
    first, second = map(fold, orders)
    assert first == second
    assert list(first.cited_by_counts) == list(second.cited_by_counts)
    assert canonical_json(first.records[0]) == canonical_json(second.records[0])
