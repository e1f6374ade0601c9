"""OpenAlex works as the web site exports them: CSV with a column for each path of the JSON, lists joined with `|`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from corpus.neutral import NoIdentifier
from ingest.csv_rows import CsvRow, rows
from ingest.openalex_work import Work, record_of
from ingest.opening import Opened
from ingest.records import Found, Rejected, Sample

NAME: Final = "openalex-csv"
TITLE: Final = "OpenAlex works, CSV export of the web site"
_NEEDED: Final = frozenset(("id", "display_name", "publication_year"))
_NOTHING: Final = frozenset(("", "None", "nan", "null"))


def recognises(sample: Sample) -> bool:
    """A header row with a work's columns."""
    header = sample.head.lstrip().partition(b"\n")[0].partition(b"\r")[0].decode("utf-8", "replace")
    columns = {column.strip().strip('"') for column in header.split(",")}
    return columns >= _NEEDED and bool(
        columns & {"referenced_works", "cited_by_count", "doi", "authorships.author.display_name"}
    )


def records(opened: Opened) -> Iterator[Found | Rejected]:
    """Every row of the file; its place is the line on which it begins."""
    for row in rows(opened):
        yield row if isinstance(row, Rejected) else _read(row)


def _read(row: CsvRow) -> Found | Rejected:
    work = _work({name: cell for name, cell in row.cells.items() if cell not in _NOTHING})
    try:
        return Found(row.place, record_of(work), (*row.flags, *work.flags))
    except NoIdentifier as error:
        return Rejected(row.place, "no_identifier", str(error), row.start)


def _work(cells: Mapping[str, str]) -> Work:
    names = _list(cells, "authorships.author.display_name") or _list(cells, "authorships.raw_author_name")
    orcids = _list(cells, "authorships.author.orcid")
    orcids = orcids if len(orcids) == len(names) else [""] * len(names)
    links = [link for link in _list(cells, "locations.landing_page_url") if "arxiv.org/" in link]
    return Work(
        id=cells.get("id"),
        ids=[
            cells.get("doi"),
            *(cells[name] for name in cells if name.startswith("ids.") and name != "ids.mag"),
            *links,
        ],
        title=cells.get("title") or cells.get("display_name"),
        abstract=cells.get("abstract"),
        authors=list(zip(names, orcids, strict=True)),
        publication_date=cells.get("publication_date"),
        publication_year=cells.get("publication_year"),
        venue=cells.get("primary_location.source.display_name"),
        language=cells.get("language"),
        type=cells.get("type"),
        is_paratext=cells.get("is_paratext", "").lower() == "true",
        is_retracted=cells.get("is_retracted", "").lower() == "true",
        areas=_areas(cells),
        referenced_works=_list(cells, "referenced_works"),
        referenced_works_count=cells.get("referenced_works_count"),
        cited_by_count=cells.get("cited_by_count"),
        updated_date=cells.get("updated_date"),
    )


def _areas(cells: Mapping[str, str]) -> list[object]:
    areas: list[object] = []
    for part in ("subfield", "field"):
        areas += [cells.get(f"primary_topic.{part}.display_name"), *_list(cells, f"topics.{part}.display_name")]
    return areas


def _list(cells: Mapping[str, str], name: str) -> list[str]:
    """The values of a joined cell, places kept: an empty one stays empty."""
    cell = cells.get(name)
    return ["" if value in _NOTHING else value for value in cell.split("|")] if cell else []
