"""What a file is taken for: by its content, whatever its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.errors import BadInput, UnknownFormat
from ingest.formats import READERS, reader_of
from ingest.opening import open_file
from tests.ingest.making import jsonl, packed, paper, run, store_in

WORK = {"id": "https://openalex.org/W1", "title": "Work", "publication_year": 2001, "referenced_works": []}
CSV = b"id,display_name,publication_year,doi\nhttps://openalex.org/W1,Work,2001,\n"


def format_of(folder: Path, content: bytes, name: str = "file") -> str:
    (folder / name).write_bytes(content)
    with open_file(folder / name) as opened:
        return reader_of(opened).NAME


@pytest.mark.parametrize("name", ["works.csv", "works.jsonl.gz", "Works", "x.xml"])
@pytest.mark.parametrize("pack", [bytes, packed])
def test_the_content_tells_and_the_name_does_not(tmp_path: Path, name: str, pack: type[bytes]) -> None:
    assert format_of(tmp_path, pack(jsonl([paper(1)])), name) == "papers"
    assert format_of(tmp_path, pack(jsonl([WORK])), name) == "openalex"
    assert format_of(tmp_path, pack(CSV), name) == "openalex-csv"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (json.dumps([WORK]).encode(), "openalex"),
        (json.dumps([paper(1)], indent=1).encode(), "papers"),
        (json.dumps(WORK, indent=2).encode(), "openalex"),
        (json.dumps({"meta": {"count": 1}, "results": [WORK]}).encode(), "openalex"),
        (jsonl([{"id": "W1", "authorships": [], "cited_by_count": 0}]), "openalex"),
        (b"\n\n  " + jsonl([WORK]), "openalex"),
        (b"{bad\n[1]\n" + jsonl([WORK]), "openalex"),
        (jsonl([{"ids": ["doi:10.1000/1"], "publication_year": 1, "cited_by_count": 2}]), "papers"),
        (b'\xef\xbb\xbf"id","display_name","publication_year","authorships.author.display_name"\r\n', "openalex-csv"),
        (CSV.replace(b"\n", b"\r"), "openalex-csv"),
    ],
)
def test_every_form_of_each_format(tmp_path: Path, content: bytes, expected: str) -> None:
    assert format_of(tmp_path, content) == expected


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"%PDF-1.7 \x1b[31m", r"it begins with '%PDF-1.7 \[31m'"),
        (b"<html>", "it begins with '<html>'"),
        (b"id,title\n1,x\n", "it begins with 'id,title"),
        (b'{"b": 1, "a\\u001b": 2}', "JSON with the fields a, b"),
        (b'{"id": {"x": ["openalex.org/W1"]}}', "JSON with the fields id"),
        (b"[1, 2, 3]", "it begins with"),
        (packed(b""), "it begins with ''"),
        (b"PK\x03\x04\x14\x00", "it is a ZIP archive or a spreadsheet: unpack it first"),
        (packed(b"papers.jsonl".ljust(257, b"\0") + b"ustar  \0"), "it is a tar archive: unpack it first"),
        (b"BZh91AY&SY", "it is packed by bzip2"),
        (b"\xfd7zXZ\x00\x00\x04", "it is packed by xz"),
        (b"\x28\xb5\x2f\xfd\x04", "it is packed by Zstandard"),
        (b" \n \n", "it begins with"),
    ],
)
def test_what_is_no_known_format_says_what_was_seen_and_what_there_is(
    tmp_path: Path, content: bytes, words: str
) -> None:
    with pytest.raises(UnknownFormat, match=words) as raised:
        format_of(tmp_path, content)
    text = str(raised.value)
    assert all(reader.NAME in text for reader in READERS)
    assert "--format" in text
    assert text.isprintable(), "nothing of the file reaches the terminal's controls"


def test_a_named_format_is_taken_at_its_word(tmp_path: Path) -> None:
    report = run(tmp_path / "a", jsonl([WORK, WORK]), format="papers")
    assert report.files[0].format == "papers"
    assert report.tally.rejected == {"no_identifier": 2}
    report = run(tmp_path / "b", packed(b""), format="papers")
    assert report.tally.read == 0
    assert report.incomplete == 0
    with pytest.raises(UnknownFormat, match="there is no format 'bibtex'; known are: papers"):
        run(tmp_path / "c", jsonl([WORK]), format="bibtex")


def test_every_file_is_checked_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"no format")
    for bad in (tmp_path / "gone", tmp_path / "bad", tmp_path):
        with pytest.raises(BadInput):
            run(tmp_path, jsonl([paper(1)]), bad)
    with store_in(tmp_path / "data") as store:
        assert store.size().papers == 0
        assert store.runs() == []
    assert not (tmp_path / "data" / "ledger").exists()
