"""The neutral format: what is read of any object, what is written, and that both agree with the schema for users."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.folding import fold
from corpus.model import Author, PartialDate, Record, Status
from corpus.neutral import FIELDS, NoIdentifier, read, write

ROOT = Path(__file__).resolve().parents[2]
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "papers.schema.json").read_text("utf-8"))
FULL: dict[str, Any] = {
    "ids": ["doi:10.1000/Abc", "https://arxiv.org/abs/2101.00001v2"],
    "title": "A <i>title</i>",
    "abstract": "<p>Text</p>",
    "authors": ["Ann Lee", {"name": "Bo", "orcid": "0000-0001-2345-6789"}],
    "date": "2018-02-26",
    "venue": "Journal",
    "language": "en",
    "type": "article",
    "areas": ["cs.LG", "cs.DC"],
    "status": "retracted",
    "references": ["doi:10.1000/1", "Smith 1990"],
    "references_declared": 3,
    "cited_by_counts": {"openalex": 12},
    "source": "mine",
    "updated": "2024-05",
}


def test_every_field() -> None:
    record, flags = read(FULL)
    assert flags == []
    assert record == Record(
        key="doi:10.1000/abc",
        ids=("arxiv:2101.00001", "doi:10.1000/abc"),
        title="A <i>title</i>",
        abstract="<p>Text</p>",
        authors=(Author("Ann Lee"), Author("Bo", "0000-0001-2345-6789")),
        date=PartialDate(2018, 2, 26),
        venue="Journal",
        language="en",
        type="article",
        areas=("cs.LG", "cs.DC"),
        status=Status.RETRACTED,
        references=("doi:10.1000/1",),
        unresolved=("Smith 1990",),
        references_declared=3,
        cited_by_counts={"openalex": 12},
        source="mine",
        updated=PartialDate(2024, 5),
    )


def test_a_missing_field_is_unknown_and_never_zero_or_empty() -> None:
    record, flags = read({"ids": ["test:1"]})
    assert record == Record(key="test:1", ids=("test:1",))
    assert flags == []
    nulls, flags = read({**dict.fromkeys(FIELDS), "ids": ["test:1"]})
    assert nulls == record
    assert flags == []


@pytest.mark.parametrize(
    ("written", "references", "unresolved", "flags"),
    [
        (None, None, (), []),
        ([], (), (), []),
        (["Smith 1990"], (), ("Smith 1990",), []),
        (["test:1", "test:1", "TEST:1"], ("test:1",), (), []),
        (["test:1", 7, None], ("test:1",), (), ["odd_references"]),
        ([7, None, ""], None, (), ["odd_references"]),
        ("test:1", None, (), ["odd_references"]),
        ({}, None, (), ["odd_references"]),
        (0, None, (), ["odd_references"]),
    ],
)
def test_a_list_is_empty_only_where_it_says_so(
    written: object, references: tuple[str, ...] | None, unresolved: tuple[str, ...], flags: list[str]
) -> None:
    record, odd = read({"ids": ["test:9"], "references": written})
    assert (record.references, record.unresolved, odd) == (references, unresolved, flags)


@pytest.mark.parametrize(
    "ids", [None, [], [""], ["no identifier"], "doi:10.1000/1", [1], {}, ["http://example.org"], ["x\0:y"]]
)
def test_a_record_without_a_usable_identifier_is_the_only_one_rejected(ids: object) -> None:
    with pytest.raises(NoIdentifier, match="write at least one such as"):
        read({"ids": ids, "title": "x"})


@pytest.mark.parametrize(
    ("field", "value", "flag"),
    [
        ("ids", ["test:1", "not one"], "odd_ids"),
        ("title", 7, "odd_title"),
        ("abstract", ["x"], "odd_abstract"),
        ("authors", "Ann", "odd_authors"),
        ("authors", [7, {}, {"name": ""}], "odd_authors"),
        ("date", "2018-13", "odd_date"),
        ("date", "26 Feb 2018", "odd_date"),
        ("date", 2018, "odd_date"),
        ("date", "0000", "date_implausible"),
        ("date", "9999-01-01", "date_implausible"),
        ("updated", "9999-01-01", "updated_implausible"),
        ("status", "fine", "odd_status"),
        ("areas", "cs.LG", "odd_areas"),
        ("references_declared", -1, "odd_references_declared"),
        ("references_declared", True, "odd_references_declared"),
        ("references_declared", 2.0, "odd_references_declared"),
        ("references_declared", 2**70, "odd_references_declared"),
        ("cited_by_counts", {"s": -1, "t": 2**70, "u": "3"}, "odd_cited_by_counts"),
        ("cited_by_counts", 7, "odd_cited_by_counts"),
        ("colour", "red", "unknown_field_colour"),
        ("\x1b[31m\u202e" + "x" * 99, 1, "unknown_field_??31m?" + "x" * 34),
    ],
)
def test_what_is_odd_is_unknown_and_counted(field: str, value: object, flag: str) -> None:
    record, flags = read({"ids": ["test:1"], field: value})
    assert flags == [flag]
    assert record == Record(key="test:1", ids=("test:1",))


def test_the_date_keeps_its_precision() -> None:
    for date in ("2018", "2018-02", "2018-02-26"):
        assert write(fold([read({"ids": ["test:1"], "date": date})[0]]))["date"] == date


def test_reading_what_was_written_gives_the_same_paper() -> None:
    paper = fold([read(FULL)[0]])
    written = write(paper)
    assert list(written) == list(FIELDS)
    assert written["title"] == FULL["title"], "raw"
    assert written["abstract"] == FULL["abstract"], "raw"
    again = fold([read(written)[0]])
    assert write(again) == written
    assert (again.ids, again.title, again.abstract, again.references) == (
        paper.ids,
        paper.title,
        paper.abstract,
        paper.references,
    )


def test_an_abstract_of_no_known_source_is_not_given_one() -> None:
    paper = fold(
        [
            read({"ids": ["test:1"], "abstract": "Text"})[0],
            read({"ids": ["test:1", "test:2"], "source": "s", "updated": "2020"})[0],
        ]
    )
    written = write(paper)
    assert written["source"] is None
    assert fold([read(written)[0]]).abstract_source is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*FIELDS, "other"]), JSON))
@settings(max_examples=400, deadline=None)
def test_no_object_raises_anything_else_and_every_one_survives_the_round_trip(raw: Mapping[str, Any]) -> None:
    record, flags = read({**raw, "ids": ["test:1"]})
    assert len(flags) == len(set(flags))
    written = write(fold([record]))
    json.dumps(written, allow_nan=False)
    fits(written)
    again, none = read(written)
    assert none == []
    assert write(fold([again])) == written


def test_the_schema_has_exactly_the_fields() -> None:
    assert tuple(SCHEMA["properties"]) == FIELDS
    assert SCHEMA["required"] == ["ids"]
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_page_for_users_names_every_field_and_its_examples_are_read() -> None:
    page = (ROOT / "docs" / "papers-format.md").read_text("utf-8")
    assert [field for field in FIELDS if f"`{field}`" not in page] == []
    examples = [json.loads(line) for line in page.splitlines() if line.startswith('{"ids"')]
    assert len(examples) >= 3
    for example in examples:
        assert read(example)[1] == []
        fits(example)


def test_papers_as_users_write_them_fit_the_schema() -> None:
    fits(FULL)
    fits({"ids": ["test:1"]})
    fits({**dict.fromkeys(FIELDS), "ids": ["test:1"], "colour": "red"})
    wrong: list[dict[str, Any]] = [
        {},
        {"ids": []},
        {"ids": ["a:1"], "date": "26 Feb"},
        {"ids": ["a:1"], "references": "a:1"},
        {"ids": ["a:1"], "status": "x"},
    ]
    for bad in wrong:
        with pytest.raises(AssertionError):
            fits(bad)


TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "null": type(None), "array": list, "object": dict, "integer": int,
}  # fmt: skip


def fits(value: object, schema: Mapping[str, Any] = SCHEMA) -> None:
    """Check the keywords that the schema uses, and that it uses no other."""
    known = {
        "$schema",
        "$id",
        "title",
        "description",
        "examples",
        "type",
        "enum",
        "pattern",
        "minimum",
        "minLength",
        "minItems",
    }
    assert set(schema) <= known | {"items", "properties", "required", "additionalProperties", "anyOf", "default"}
    if "anyOf" in schema:
        assert any(_fits(value, one) for one in schema["anyOf"]), value
    types = schema.get("type", list(TYPES))
    assert any(isinstance(value, TYPES[one]) for one in ([types] if isinstance(types, str) else types)), value
    assert not (isinstance(value, bool) and "integer" in types), value
    assert "enum" not in schema or value in schema["enum"], value
    if isinstance(value, str):
        assert re.search(schema.get("pattern", ""), value), value
        assert len(value) >= schema.get("minLength", 0)
    if isinstance(value, int):
        assert value >= schema.get("minimum", value)
    if isinstance(value, list):
        assert len(value) >= schema.get("minItems", 0)
        for one in value:
            fits(one, schema.get("items", {}))
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value)
        for name, one in value.items():
            rest = schema.get("additionalProperties", {})
            fits(one, schema.get("properties", {}).get(name, {} if rest is True else rest))


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    try:
        fits(value, schema)
    except AssertionError:
        return False
    return True
