"""OpenAlex works of both schemas: what is rebuilt, what stays unknown, what is odd and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.folding import fold
from corpus.model import Author, PartialDate, Record, Status
from ingest import openalex
from ingest.openalex_work import MAX_POSITION, rebuilt_abstract
from ingest.opening import open_file
from ingest.records import Found, Rejected
from tests.ingest.making import jsonl

ID = "https://openalex.org/W7"
FIELDS = (
    "id doi title display_name publication_date publication_year language type is_retracted is_paratext ids authorships "
    "locations host_venue primary_location referenced_works referenced_works_count cited_by_count "
    "abstract_inverted_index topics primary_topic concepts updated_date"
).split()


def found(folder: Path, *works: Any) -> list[Found | Rejected]:
    (folder / "works").write_bytes(jsonl(works))
    with open_file(folder / "works") as opened:
        return list(openalex.records(opened))


def one(folder: Path, **fields: Any) -> tuple[Record, tuple[str, ...]]:
    (only,) = found(folder, {"id": ID, **fields})
    assert isinstance(only, Found)
    return only.record, only.flags


def test_everything_but_the_id_may_be_missing(tmp_path: Path) -> None:
    bare = Record(key="openalex:W7", ids=("openalex:W7",), source="openalex")
    assert one(tmp_path) == (bare, ())
    nothing: tuple[Any, ...] = (None, [], {}, "", [None], {"x": None}, [[]], [{}], 0, False)
    for value in nothing:
        record, _ = one(tmp_path, **dict.fromkeys(FIELDS[1:], value))
        assert record.ids == ("openalex:W7",)
        assert (record.title, record.abstract, record.date, record.venue) == (None, None, None, None)
        assert (record.authors, record.areas, record.references, record.status) == ((), (), None, Status.NORMAL)


@pytest.mark.parametrize(
    "work", [{}, {"id": None}, {"id": 7}, {"id": "https://openalex.org/A7"}, {"doi": "https://doi.org/10.1/x"}]
)
def test_without_an_openalex_identifier_it_is_rejected(tmp_path: Path, work: dict[str, Any]) -> None:
    (only,) = found(tmp_path, work)
    assert isinstance(only, Rejected)
    assert (only.code, only.place) == ("no_identifier", 1)


def test_no_list_and_an_empty_list_are_both_unknown(tmp_path: Path) -> None:
    assert one(tmp_path, referenced_works=[], referenced_works_count=0)[0].references is None
    assert one(tmp_path, referenced_works=[], referenced_works_count=0)[0].references_declared is None
    record, _ = one(
        tmp_path,
        referenced_works=["https://openalex.org/W1", "W2", "https://openalex.org/W1", 3],
        referenced_works_count=30,
    )
    assert (record.references, record.references_declared) == (("openalex:W1", "openalex:W2"), 30)


def test_a_list_of_entries_that_nobody_knows_is_a_list(tmp_path: Path) -> None:
    record, _ = one(tmp_path, referenced_works=["deleted"])
    assert (record.references, record.unresolved) == ((), ("deleted",))


def test_identifiers_of_every_kind(tmp_path: Path) -> None:
    record, _ = one(
        tmp_path,
        doi="https://doi.org/10.1000/ABC",
        ids={
            "openalex": ID,
            "mag": 2741809807,
            "pmid": "https://pubmed.ncbi.nlm.nih.gov/29456894",
            "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/5815332",
        },
        locations=[
            {"landing_page_url": "http://arxiv.org/abs/hep-th/9901001"},
            {"landing_page_url": "https://x.org/1"},
            None,
            {},
        ],
    )
    assert record.ids == ("arxiv:hep-th/9901001", "doi:10.1000/abc", "openalex:W7", "pmid:29456894", "pmcid:PMC5815332")
    assert record.key == "openalex:W7"


@pytest.mark.parametrize(
    ("index", "text", "flags"),
    [
        (None, None, []),
        ({}, None, []),
        ([], None, []),
        ("text", None, []),
        ({"b": [1], "a": [0, 2]}, "a b a", []),
        ({"ten": [10], **{f"w{n}": [n] for n in range(10)}}, "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 ten", []),
        ({"a": [0], "b": [5]}, "a b", ["abstract_gaps"]),
        ({"a": [0, 1], "b": [1, 2]}, "a a b", ["abstract_position_twice"]),
        (
            {"a": [0], "b": [MAX_POSITION], "c": [-1], "d": ["1", None, 1.5, True]},
            "a",
            ["abstract_position_out_of_range"],
        ),
        ({"a": [MAX_POSITION]}, None, ["abstract_position_out_of_range"]),
        ({"a": None, "b": 3}, None, []),
        ({"<p>We": [0], "show&lt;/p&gt;": [1]}, "<p>We show&lt;/p&gt;", []),
        ({"$a.b": [0], "two words": [1], "": [2]}, "$a.b two words ", []),
    ],
)
def test_abstracts_are_rebuilt(index: object, text: str | None, flags: list[str]) -> None:
    noted: list[str] = []
    assert rebuilt_abstract(index, noted) == text
    assert noted == flags


@given(st.lists(st.text("abc<&", min_size=1, max_size=4), min_size=1, max_size=60))
@settings(deadline=None)
def test_an_abstract_comes_back_as_it_was_taken_apart(words: list[str]) -> None:
    index: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        index.setdefault(word, []).append(place)
    flags: list[str] = []
    assert rebuilt_abstract(dict(sorted(index.items())), flags) == " ".join(words)
    assert flags == []


def test_markup_of_abstract_and_title_is_cleaned_and_the_raw_text_kept(tmp_path: Path) -> None:
    record, _ = one(
        tmp_path,
        title="<i>E. coli</i> &amp;amp; $x<y$",
        abstract_inverted_index={"<jats:p>We": [0], "show</jats:p>": [1]},
    )
    assert record.title == "<i>E. coli</i> &amp;amp; $x<y$"
    paper = fold([record])
    assert (paper.title, paper.abstract, paper.abstract_source) == ("E. coli & x<y", "We show", "openalex")


@pytest.mark.parametrize(
    ("date", "year", "expected", "flags"),
    [
        ("2018-02-26", 2018, "2018-02-26", ()),
        ("2018-01-01", 2018, "2018", ()),
        (None, 2018, "2018", ()),
        ("2018-13-01", "2018", "2018", ()),
        ("0001-01-01", 2018, "2018", ("date_implausible",)),
        ("9999-12-31", None, None, ("date_implausible",)),
        (None, 0, None, ("date_implausible",)),
        (None, 1399, None, ("date_implausible",)),
        (None, 1400, "1400", ()),
        (None, -5, None, ()),
        (20180226, True, None, ()),
        (None, 2018.0, None, ()),
    ],
)
def test_dates(tmp_path: Path, date: object, year: object, expected: str | None, flags: tuple[str, ...]) -> None:
    record, odd = one(tmp_path, publication_date=date, publication_year=year)
    assert (None if record.date is None else str(record.date)) == expected
    assert odd == flags


def test_retracted_and_paratext(tmp_path: Path) -> None:
    assert one(tmp_path, is_retracted=True, type="article")[0].status is Status.RETRACTED
    assert one(tmp_path, is_retracted=None)[0].status is Status.NORMAL
    assert one(tmp_path, is_paratext=True, type="article")[0].type == "paratext"
    assert one(tmp_path, is_paratext=None, type="article")[0].type == "article"


def topic(subfield: str, field: str) -> dict[str, Any]:
    return {"display_name": "T", "subfield": {"display_name": subfield}, "field": {"display_name": field}}


def test_areas_of_the_schema_since_2025(tmp_path: Path) -> None:
    optics, sound = topic("Optics", "Physics"), topic("Acoustics", "Physics")
    assert one(tmp_path, primary_topic=sound, topics=[optics, sound])[0].areas == ("Acoustics", "Optics", "Physics")
    assert one(tmp_path, topics=[optics])[0].areas == ("Optics", "Physics")
    assert one(tmp_path, primary_topic=None, topics=[None, {"subfield": None}])[0].areas == ()


def test_areas_of_the_schema_of_2023(tmp_path: Path) -> None:
    concepts = [
        {"display_name": "Physics", "level": 0, "score": 0.9},
        {"display_name": "Optics", "level": 1, "score": "0.5"},
        {"display_name": "Acoustics", "level": 1, "score": 0.7},
        {"display_name": "Absent", "level": 1, "score": "0"},
        {"display_name": "Lasers", "level": 2, "score": 1},
        {"display_name": "Odd", "level": 1, "score": "nan"},
        {"display_name": "Long", "level": 1, "score": 10**400},
        {"display_name": None, "level": 1, "score": 1},
        None,
    ]
    assert one(tmp_path, concepts=concepts)[0].areas == ("Acoustics", "Optics", "Physics")
    assert one(tmp_path, concepts=concepts, topics=[topic("Optics", "Physics")])[0].areas == ("Optics", "Physics")


def test_authors_and_the_hundred_at_which_lists_are_cut(tmp_path: Path) -> None:
    ann = {"author": {"display_name": " Ann  Lee ", "orcid": "https://orcid.org/0000-0001-2345-6789"}}
    raw = {"author": {"display_name": None}, "raw_author_name": "Bo, E."}
    record, flags = one(tmp_path, authorships=[ann, raw, {"author": None}, {}, None])
    assert record.authors == (Author("Ann Lee", "0000-0001-2345-6789"), Author("Bo, E."))
    assert flags == ()
    assert one(tmp_path, authorships=[ann] * 99)[1] == ()
    record, flags = one(tmp_path, authorships=[ann] * 100)
    assert (len(record.authors), flags) == (100, ("authors_cut_at_100",))


def test_venue_of_both_schemas(tmp_path: Path) -> None:
    assert (
        one(tmp_path, primary_location={"source": {"display_name": "New"}}, host_venue={"display_name": "Old"})[0].venue
        == "New"
    )
    assert one(tmp_path, primary_location={"source": None}, host_venue={"display_name": "Old"})[0].venue == "Old"


def test_counts_and_update(tmp_path: Path) -> None:
    record, _ = one(tmp_path, cited_by_count="12", updated_date="2024-05-06T07:08:09.123")
    assert (dict(record.cited_by_counts), record.updated) == ({"openalex": 12}, PartialDate(2024, 5, 6))
    assert dict(one(tmp_path, cited_by_count=0)[0].cited_by_counts) == {"openalex": 0}
    for odd in (None, -1, 2**60, "many", True, 1.5, "9" * 5000):
        assert dict(one(tmp_path, cited_by_count=odd)[0].cited_by_counts) == {}
    assert one(tmp_path, updated_date="9999-01-01")[1] == ("updated_implausible",)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["author", "source", "subfield", "display_name", "level", "score", "orcid", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=10,
)


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_no_work_raises(tmp_path_factory: pytest.TempPathFactory, works: list[dict[str, Any]]) -> None:
    folder = tmp_path_factory.getbasetemp()
    assert all(isinstance(work, Rejected) for work in found(folder, *works)), (
        "an identifier cannot be made up by chance"
    )
    kept = found(folder, *({**work, "id": ID} for work in works))
    for work in kept:
        assert isinstance(work, Found)
        fold([work.record])
