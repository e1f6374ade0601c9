"""Small files, and what comes of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpus.store import Store
from corpus.stores import open_store
from ingest.export import export_papers
from ingest.json_items import MAX_ITEM, items
from ingest.json_value import Item
from ingest.opening import Trouble, open_file
from ingest.records import Rejected
from ingest.report import Report
from ingest.run import ingest

Raw = Mapping[str, Any]


def paper(number: int, **fields: object) -> dict[str, Any]:
    """A paper of the neutral format."""
    return {"ids": [f"test:{number}"], "title": f"Paper {number}", **fields}


def jsonl(papers: Iterable[Raw]) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(one, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for one in papers)


def packed(content: bytes, level: int = 6) -> bytes:
    """One gzip member."""
    return gzip.compress(content, level, mtime=0)


@contextmanager
def store_in(folder: Path) -> Iterator[Store]:
    """An opened corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    store = open_store("sqlite", folder)
    try:
        yield store
    finally:
        store.close()


def run(folder: Path, *contents: bytes | Path, **options: Any) -> Report:
    """Ingest these contents into the corpus of a folder."""
    files = []
    for number, content in enumerate(contents):
        if isinstance(content, bytes):
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"in-{number}"
            path.write_bytes(content)
            files.append(path)
        else:
            files.append(content)
    with store_in(folder / "data") as store:
        return ingest(files, store, folder / "data", **options)


def exported(folder: Path) -> list[dict[str, Any]]:
    """The corpus of a folder, as it is exported."""
    file = folder / "out.jsonl"
    with store_in(folder / "data") as store:
        export_papers(store, file)
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def addresses(folder: Path) -> list[str]:
    """The addresses of the corpus of a folder."""
    return [one["ids"][0] for one in exported(folder)]


def rejects(report: Report) -> list[dict[str, Any]]:
    """The rows of the rejects file."""
    if report.rejects_file is None:
        return []
    with gzip.open(report.rejects_file) as lines:
        return [json.loads(line) for line in lines]


def read_items(folder: Path, content: bytes, longest: int = MAX_ITEM) -> tuple[list[Item | Rejected], Trouble]:
    """The JSON values of a content, and the trouble with it."""
    path = folder / "items"
    path.write_bytes(content)
    with open_file(path) as opened:
        return list(items(opened, longest)), opened.trouble


def values(found: Iterable[Item | Rejected]) -> list[object]:
    """What was decoded."""
    return [one.value for one in found if isinstance(one, Item)]


def codes(found: Iterable[Item | Rejected]) -> list[str]:
    """Why the rest was not."""
    return [one.code for one in found if isinstance(one, Rejected)]


def balanced(report: Report) -> bool:
    """Whether every record is accounted for, for the run and for its files."""
    counted = sum(file.records for file in report.files) == report.tally.read
    return report.tally.balanced and counted and sum(file.rejected for file in report.files) == report.rejected
