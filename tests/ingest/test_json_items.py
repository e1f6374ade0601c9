"""JSON as it comes: every good value is had, every bad one is named, and none is held with the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.errors import BadInput
from ingest.json_items import items
from ingest.json_value import Item
from ingest.opening import Opened, open_file
from ingest.records import Rejected
from tests.ingest.making import codes, jsonl, packed, read_items, values

A, B, C = ({"ids": [f"test:{name}"], "title": f"Paper {name}"} for name in "abc")
DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{not json", "bad_json"),
        (b'{"ids": ["test:b"], "title": "cut', "bad_json"),
        (b'{"ids": ["test:b"]} {"ids": ["test:b"]}', "bad_json"),
        (b'{"x": NaN}', "bad_json"),
        (b'{"x": Infinity}', "bad_json"),
        (b'{"x": -Infinity}', "bad_json"),
        (b'{"x": 1e400}', "bad_json"),
        (b'{"x": ' + b"9" * 5000 + b"}", "bad_json"),
        (b'{"x": ' + DEEP + b"}", "too_deep"),
        (DEEP, "too_deep"),
        (b'{"x": "\x01"}', "bad_json"),
        (b"\x00\x00\x00", "bad_json"),
        (b"\xff\xfe\x00", "bad_json"),
    ],
)
def test_a_bad_line_costs_no_other(tmp_path: Path, line: bytes, code: str) -> None:
    found, trouble = read_items(tmp_path, jsonl([A]) + line + b"\n" + jsonl([C]))
    assert values(found) == [A, C]
    (bad,) = (one for one in found if isinstance(one, Rejected))
    assert (bad.place, bad.code) == (2, code)
    assert bad.sample == (line + b"\n")[:200]
    assert bad.message
    assert trouble.incomplete is None


@pytest.mark.parametrize(
    ("line", "value", "flags"),
    [
        (b'{"x": "\xff\xfe ok"}', {"x": "\ufffd\ufffd ok"}, ("bad_utf8",)),
        (rb'{"x": "a\ud800b"}', {"x": "a\ufffdb"}, ("lone_surrogate",)),
        (rb'{"x": "\udc00\ud800"}', {"x": "\ufffd\ufffd"}, ("lone_surrogate",)),
        (b'{"x": "\xff \\ud83d\\ude00"}', {"x": "\ufffd \U0001f600"}, ("bad_utf8",)),
        (rb'{"x": "\u0000"}', {"x": "\0"}, ()),
        (b'{"x": 1, "x": 2}', {"x": 2}, ()),
        (b'{"x": 123456789012345678901234567890}', {"x": 123456789012345678901234567890}, ()),
        (b'\xef\xbb\xbf{"x": 1}', {"x": 1}, ()),
        ('{"x": "\ufffd"}'.encode(), {"x": "\ufffd"}, ()),
        (b"[1]", [1], ()),
        (b'"text"', "text", ()),
        (b"null", None, ()),
    ],
)
def test_what_loses_no_meaning_is_repaired_and_counted(
    tmp_path: Path, line: bytes, value: object, flags: tuple[str, ...]
) -> None:
    found, _ = read_items(tmp_path, jsonl([A]) + line + b"\n" + jsonl([C]))
    assert values(found) == [A, value, C]
    item = found[1]
    assert isinstance(item, Item)
    assert item.flags == flags


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n", "\r\n \t\r\n"])
def test_line_ends_of_every_kind_and_blank_lines(tmp_path: Path, end: str) -> None:
    content = end.join(json.dumps(one) for one in (A, B, C))
    for tail in ("", end):
        assert values(read_items(tmp_path, (content + tail).encode())[0]) == [A, B, C]


def test_a_line_over_the_cap_is_passed_over(tmp_path: Path) -> None:
    long = json.dumps({"x": "y" * 300_000}).encode()
    for cap in (100, 1000, 299_999):
        found, trouble = read_items(tmp_path, jsonl([A]) + long + b"\n" + jsonl([C]), cap)
        assert values(found) == [A, C]
        assert codes(found) == ["too_long"]
        assert trouble.incomplete is None
    assert codes(read_items(tmp_path, long, 100)[0]) == ["too_long"]
    exact = len(json.dumps(A))
    assert values(read_items(tmp_path, json.dumps(A).encode(), exact)[0]) == [A]
    assert codes(read_items(tmp_path, json.dumps(A).encode(), exact - 1)[0]) == ["too_long"]
    assert values(read_items(tmp_path, jsonl([A, A]), exact)[0]) == [A, A]


ARRAYS: dict[str, tuple[bytes, list[Any]]] = {
    "compact": (b'[{"x":1},{"x":[{"y":"]}"}]},{"x":3}]', [{"x": 1}, {"x": [{"y": "]}"}]}, {"x": 3}]),
    "indented": (json.dumps([A, B, C], indent=2).encode(), [A, B, C]),
    "indented by nothing": (json.dumps([A, B, C], indent=0).encode(), [A, B, C]),
    "with a byte order mark": (b"\xef\xbb\xbf" + json.dumps([A, B]).encode(), [A, B]),
    "with CRLF": (json.dumps([A, B], indent=1).replace("\n", "\r\n").encode(), [A, B]),
    "of nothing": (b" [ ] ", []),
    "of scalars": (b'[1, "a,]b", null, true, -2.5e3]', [1, "a,]b", None, True, -2500.0]),
    "with escapes": (rb'[{"x": "\\"}, {"x": "\"}]"}, {"x": "\u005d\\\""}]', [{"x": "\\"}, {"x": '"}]'}, {"x": ']\\"'}]),
    "one after the other": (json.dumps([A, B]).encode() + b"\n" + json.dumps([C]).encode(), [A, B, C]),
    "and an object": (json.dumps([A, B]).encode() + json.dumps(C, indent=1).encode(), [A, B, C]),
    "with a comma too many": (b'[{"x":1},,{"x":2},]', [{"x": 1}, {"x": 2}]),
    "one object, indented": (json.dumps(A, indent=4).encode(), [A]),
    "objects, indented": (b"\n".join(json.dumps(one, indent=4).encode() for one in (A, B)), [A, B]),
    "an API answer": (json.dumps({"meta": {"count": 2}, "results": [A, B], "group_by": []}).encode(), [A, B]),
    "an API answer, indented": (json.dumps({"meta": {"count": 2, "page": None}, "results": [A, B]}, indent=2).encode(), [A, B]),
    "an API answer, results first": (json.dumps({"results": [A, B], "meta": {"a": [{}]}}).encode(), [A, B]),
    "an API answer of data": (json.dumps({"total": 9, "offset": 0, "next": 2, "data": [A]}).encode(), [A]),
    "an API answer of nothing": (b'{"meta":{"count":0},"results":[]}', []),
    "API answers, a page a line": (jsonl([{"meta": {"page": n}, "results": [one]} for n, one in enumerate((A, B, C))]), [A, B, C]),
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_and_answers(tmp_path: Path, name: str) -> None:
    content, expected = ARRAYS[name]
    for whole in (content, packed(content)):
        found, trouble = read_items(tmp_path, whole)
        assert values(found) == expected
        assert codes(found) == []
        assert [one.place for one in found] == list(range(1, len(expected) + 1))
        assert trouble.incomplete is None


@pytest.mark.parametrize(
    "bad",
    [
        b"nonsense",
        b'{"ids": }',
        b'{"ids": ["test:b"],, "title": "x"}',
        b'{"ids": NaN}',
        b'{"ids": ["test:b"], "title": "Paper b"',
        b'{"ids": ["test:b", "title": "Paper b"}',
        b'{"ids": ["test:b"]], "title": "Paper b"}',
        b'{"ids": ["test:b"], "title": "Paper b"}}',
        b'{"ids": ["test:b"], "title": "Paper b}',
        b'{"ids": ["test:b"], "title: "Paper b"}',
        b'{"ids": ["test:b"], "title": "Paper "b"}',
        b'{"ids": ["test:b"], "authors": [{"name": "A"}, {"name": "B"}, "title": "Paper b"}',
        DEEP,
    ],
)
@pytest.mark.parametrize("comma", [b",", b",\n", b",\n  "])
def test_one_bad_item_costs_no_other(tmp_path: Path, bad: bytes, comma: bytes) -> None:
    good = [json.dumps(one).encode() for one in (A, C, A, C)]
    found, _ = read_items(tmp_path, b"[" + comma.join([good[0], bad, *good[1:]]) + b"]")
    kept = [value for value in values(found) if isinstance(value, dict)]
    assert [value for value in kept if value != B] == [A, C, A, C]
    assert 1 <= len(found) - len(kept) <= 6, "the pieces of the bad one"
    assert [one.place for one in found] == list(range(1, len(found) + 1))


def test_a_bad_first_item_costs_no_other_where_brackets_match(tmp_path: Path) -> None:
    found, _ = read_items(tmp_path, b'[{"x": }, {"x": 1}, {"x": 2}]')
    assert values(found) == [{"x": 1}, {"x": 2}]


@pytest.mark.parametrize("form", ["array", "answer"])
def test_a_cut_array_gives_its_whole_items_and_says_so(tmp_path: Path, form: str) -> None:
    whole = json.dumps([A, B, C] if form == "array" else {"meta": {"count": 3}, "results": [A, B, C]}).encode()
    begin = whole.index(b"[{") + 2
    ends = [whole.index(json.dumps(one).encode()) + len(json.dumps(one)) for one in (A, B, C)]
    for cut in range(begin, len(whole)):
        found, trouble = read_items(tmp_path, whole[:cut])
        assert values(found) == [one for one, end in zip((A, B, C), ends, strict=True) if end <= cut]
        assert set(codes(found)) <= {"cut"}
        assert trouble.incomplete == "the JSON is not closed"


def test_a_cut_object_is_cut(tmp_path: Path) -> None:
    found, trouble = read_items(tmp_path, json.dumps(A, indent=1).encode()[:-3])
    assert codes(found) == ["cut"]
    assert trouble.incomplete


def test_an_item_over_the_cap_is_passed_over(tmp_path: Path) -> None:
    long = {"x": ["y" * 1000] * 1000, "z": '"}]\\'}
    for content in ([A, long, C], {"meta": {}, "results": [A, long, C]}):
        for cap in (100, 5_000, 400_000, 999_999):
            found, trouble = read_items(tmp_path, json.dumps(content).encode(), cap)
            assert values(found) == [A, C]
            assert codes(found) == ["too_long"]
            assert trouble.incomplete is None
    found, trouble = read_items(tmp_path, json.dumps([A, long]).encode()[:-9], 5_000)
    assert codes(found) == ["too_long"]
    assert trouble.incomplete


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(JSON, max_size=6), st.sampled_from([None, 0, 3]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_array_comes_out_as_it_went_in(
    tmp_path_factory: Any, content: list[Any], indent: int | None, plain: bool
) -> None:
    folder = tmp_path_factory.getbasetemp()
    found, trouble = read_items(folder, json.dumps(content, indent=indent, ensure_ascii=plain).encode())
    assert values(found) == content
    assert codes(found) == []
    assert trouble.incomplete is None


@given(st.binary(max_size=300), st.sampled_from([b"", b"[", b'{"results": [', b'[{"x":1},', b'{\n"']))
@settings(max_examples=400, deadline=None)
def test_no_content_raises(tmp_path_factory: Any, content: bytes, head: bytes) -> None:
    if content := (head + content):
        (tmp_path_factory.getbasetemp() / "any").write_bytes(content)
        opened = _opened(tmp_path_factory.getbasetemp() / "any")
        if opened is not None:
            with opened:
                assert all(isinstance(one, Item | Rejected) for one in items(opened))


def _opened(path: Path) -> Opened | None:

    try:
        return open_file(path)
    except BadInput:
        return None


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "piece",
    [b'{"', b"[", b'[{"x":', b'{"x":"\\', b"\\", b'"', b'{"a":1,{', b"{", b"]", b'{"x":1}'],
)
def test_damage_of_any_kind_takes_linear_time(tmp_path: Path, piece: bytes) -> None:
    """What is linear is read within the time limit of the test; quadratic work would take hours."""
    read_items(tmp_path, b'[{"x":1},\n' + piece * (200_000 // len(piece)))
    read_items(tmp_path, piece * (200_000 // len(piece)))
