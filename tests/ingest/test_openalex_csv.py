"""The CSV export of the OpenAlex site: lists, quotes, and damage that costs no other row."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from corpus.errors import BadInput
from corpus.model import Author, PartialDate, Status
from ingest import openalex_csv
from ingest.csv_rows import CsvRow, rows
from ingest.opening import open_file
from ingest.records import Found, Rejected
from tests.ingest.making import balanced, packed, rejects, run

HEADER = ["id", "doi", "display_name", "publication_year", "referenced_works", "abstract"]


def table(*body: Sequence[str], header: Sequence[str] = HEADER) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([header, *body])
    return text.getvalue().encode()


def work(number: int, **cells: str) -> list[str]:
    one = {
        "id": f"https://openalex.org/W{number}",
        "display_name": f"Work {number}",
        "publication_year": "2001",
        **cells,
    }
    return [one.get(name, "") for name in HEADER]


def found_in(folder: Path, content: bytes, longest: int = 1 << 20) -> list[CsvRow | Rejected]:
    (folder / "file").write_bytes(content)
    with open_file(folder / "file") as opened:
        return list(rows(opened, longest))


def ids(found: Sequence[CsvRow | Rejected]) -> list[str]:
    return [one.cells["id"].rpartition("/")[2] for one in found if isinstance(one, CsvRow)]


def record(folder: Path, **cells: str) -> Found:
    header = [*cells]
    (folder / "file").write_bytes(table([cells[name] for name in header], header=header))
    with open_file(folder / "file") as opened:
        (found,) = openalex_csv.records(opened)
    assert isinstance(found, Found)
    return found


def test_quotes_line_ends_and_bars_inside_cells(tmp_path: Path) -> None:
    title = 'A "quoted" title, with a comma\nand a line end\r\nand | a bar'
    found = found_in(tmp_path, table(work(1, display_name=title), work(2)))
    assert ids(found) == ["W1", "W2"]
    assert isinstance(found[0], CsvRow)
    assert found[0].cells["display_name"] == title
    assert [one.place for one in found] == [2, 5]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_byte_order_marks_and_blank_lines(tmp_path: Path, end: str, mark: str) -> None:
    text = mark + table(work(1), work(2)).decode().replace("\r\n", end) + end * 3
    report = run(tmp_path, text.encode())
    assert report.files[0].format == "openalex-csv"
    assert report.tally.accepted == 2
    assert report.rejected == 0


@pytest.mark.parametrize(
    "bad",
    [
        b"https://openalex.org/W9,too,few",
        b"https://openalex.org/W9,too,many,,,,,,,",
        b'https://openalex.org/W9,,"never closed,2001,,',
        b'https://openalex.org/W9,,x,2001,,"never closed',
        b'"https://openalex.org/W9,,x,2001,,',
        b'https://openalex.org/W9,,"closed" too early,2001,,',
        b'https://openalex.org/W9,too few,"of\nthree\nlines"',
        b'https://openalex.org/W9,"a ""b"" c"",d,2001,,',
        b"\0\0\0",
        b'"' * 7,
    ],
)
def test_a_bad_row_costs_no_other(tmp_path: Path, bad: bytes) -> None:
    good = table(work(1), work(2, display_name='with "quotes"'), work(3), work(4, abstract="two\nlines"), work(5))
    lines = good.split(b"\r\n")
    content = b"\r\n".join([*lines[:2], bad, *lines[2:]])
    found = found_in(tmp_path, content)
    assert ids(found) == ["W1", "W2", "W3", "W4", "W5"]
    wrong = [one for one in found if isinstance(one, Rejected)]
    assert 1 <= len(wrong) <= 3, "the lines of the bad one"
    assert wrong[0].place == 3
    assert wrong[0].sample.startswith(bad[:10])


def test_rows_between_two_open_quotes_are_not_lost(tmp_path: Path) -> None:
    bad = b'https://openalex.org/W9,,x,2001,,"open'
    lines = table(*(work(number) for number in range(1, 9))).split(b"\r\n")
    found = found_in(tmp_path, b"\n".join([*lines[:2], bad, *lines[2:5], bad, *lines[5:]]))
    assert ids(found) == [f"W{number}" for number in range(1, 9)]
    assert [one.place for one in found if isinstance(one, Rejected)] == [3, 7]


def test_a_cut_row_is_cut_even_if_its_cells_are_all_there(tmp_path: Path) -> None:
    content = table(work(1), work(2, abstract="the whole abstract"))
    report = run(tmp_path, packed(content[:-9])[:-8])
    assert report.tally.accepted == 1
    assert report.tally.rejected == {"cut": 1}
    assert report.incomplete == 1
    assert balanced(report)
    assert rejects(report)[0]["line"] == 3


def test_nul_bad_utf_8_and_their_flags(tmp_path: Path) -> None:
    content = table(
        work(1, display_name="nul \0 in it"), work(2, display_name="Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}")
    )
    found = found_in(tmp_path, content.replace("\u00eb".encode(), b"\xeb"))
    assert all(isinstance(one, CsvRow) for one in found)
    assert [one.cells["display_name"] for one in found if isinstance(one, CsvRow)] == ["nul  in it", "Zo\ufffd"]
    assert [one.flags for one in found if isinstance(one, CsvRow)] == [(), ("bad_utf8",)]


def test_a_row_over_the_cap_is_passed_over(tmp_path: Path) -> None:
    long = "x" * 30_000
    for cell in (long, long.replace("xxx", "x\nx"), "\n" * 30_000):
        found = found_in(tmp_path, table(work(1), work(9, abstract=cell), work(2)), 10_000)
        assert ids(found)[0] == "W1"
        assert ids(found)[-1] == "W2"
        assert "W9" not in ids(found)
        assert any(isinstance(one, Rejected) and one.place == 3 for one in found)


def test_a_header_that_does_not_end_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="header row cannot be read"):
        found_in(tmp_path, b"x" * 20_000, 10_000)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("line", [b'a"b,"c', b'"', b'""', b'"a,b', b'x,"""', b",,,,,"])
def test_damage_of_any_kind_takes_linear_time(tmp_path: Path, line: bytes) -> None:
    content = table(work(1)) + (line + b"\n") * (300_000 // len(line))
    found = found_in(tmp_path, content, 100_000)
    assert ids(found)[0] == "W1"


def test_every_cell_of_a_work(tmp_path: Path) -> None:
    found = record(
        tmp_path,
        **{
            "id": "https://openalex.org/W7",
            "doi": "https://doi.org/10.1000/ABC",
            "display_name": "Title",
            "publication_date": "2001-02-03",
            "publication_year": "2001",
            "ids.pmid": "https://pubmed.ncbi.nlm.nih.gov/123",
            "ids.mag": "999",
            "locations.landing_page_url": "https://arxiv.org/abs/2101.00001|https://example.org/x",
            "authorships.author.display_name": "Ann Lee|Bo | |Cy",
            "authorships.author.orcid": "https://orcid.org/0000-0001|None||",
            "primary_location.source.display_name": "Journal",
            "language": "en",
            "type": "article",
            "is_retracted": "True",
            "is_paratext": "False",
            "primary_topic.subfield.display_name": "Optics",
            "topics.subfield.display_name": "Optics|Acoustics",
            "topics.field.display_name": "Physics|Physics",
            "referenced_works": "https://openalex.org/W1|https://openalex.org/W2||https://openalex.org/W1",
            "referenced_works_count": "3",
            "cited_by_count": "12",
            "updated_date": "2024-05-06T01:02:03",
            "abstract": "Words",
        },
    )
    one = found.record
    assert one.ids == ("arxiv:2101.00001", "doi:10.1000/abc", "openalex:W7", "pmid:123")
    assert (one.key, one.source, one.title, one.abstract) == ("openalex:W7", "openalex", "Title", "Words")
    assert one.authors == (Author("Ann Lee", "0000-0001"), Author("Bo"), Author("Cy"))
    assert one.date == PartialDate(2001, 2, 3)
    assert one.updated == PartialDate(2024, 5, 6)
    assert (one.venue, one.language, one.type, one.status) == ("Journal", "en", "article", Status.RETRACTED)
    assert one.areas == ("Optics", "Acoustics", "Physics")
    assert one.references == ("openalex:W1", "openalex:W2")
    assert (one.references_declared, dict(one.cited_by_counts)) == (3, {"openalex": 12})


@pytest.mark.parametrize("nothing", ["", "None", "nan", "null"])
def test_an_empty_cell_is_unknown(tmp_path: Path, nothing: str) -> None:
    cells = dict.fromkeys(["doi", "display_name", "referenced_works", "abstract", "cited_by_count"], nothing)
    one = record(tmp_path, id="https://openalex.org/W7", **cells).record
    assert (one.title, one.abstract, one.references, one.date, dict(one.cited_by_counts)) == (None,) * 4 + ({},)


def test_a_row_without_an_identifier_is_rejected_with_its_text(tmp_path: Path) -> None:
    report = run(tmp_path, table(work(1), ["", "https://doi.org/10.1/x", "No id", "2001", "", ""]))
    assert report.tally.rejected == {"no_identifier": 1}
    (row,) = rejects(report)
    assert row["line"] == 3
    assert row["start"].startswith(",https://doi.org/10.1/x,No id")
