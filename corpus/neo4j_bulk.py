"""A corpus as the files that `neo4j-admin database import full` takes: what it makes of them is what the batches make.

Numbers are the files' own keys. Text is always quoted and what is unknown is an empty field, so that an empty text stays one.
Twice through the corpus: first for the citations, then for the papers with their counts; only identifiers and numbers are held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from corpus.errors import BadInput, BooksDoNotBalance
from corpus.neo4j_connection import Connection
from corpus.neo4j_paper import properties
from corpus.neo4j_schema import SCHEMA_VERSION, constrain
from corpus.reasons import Reason
from corpus.store import Store

DELIMITER: Final = "\x1f"
"""Between the elements of a list: a control character, which clean text does not hold. DOIs hold every other one."""
MANIFEST: Final = "import.json"
_PAPER: Final = {
    "id": "string",
    "ids": "string[]",
    "title": "string",
    "title_words": "string",
    "authors": "string[]",
    "author_words": "string",
    "date": "string",
    "year": "long",
    "areas": "string[]",
    "references_state": "string",
    "references_source": "string",
    "sources": "string[]",
    "paper": "byte[]",
    "n": "long",
    "citations": "long",
    "unplaced": "string",
}
_STUB: Final = {"id": "string", "n": "long", "citations": "long"}
_RUN: Final = {
    "id": "string",
    "seq": "long",
    "started": "string",
    "finished": "string",
    "files": "string[]",
    "tally": "string",
}
_CORPUS: Final = {
    "name": "string",
    "schema": "long",
    "version": "long",
    "next": "long",
    "runs": "long",
    "data_date": "string",
}
_NODES: Final = {
    "Paper": "papers",
    "Paper:Stub": "stubs",
    "Alias": "aliases",
    "IngestRun": "runs",
    "Corpus": "corpus",
    "Writer": "writer",
}
_RELATIONSHIPS: Final = {"CITES": "cites", "LEADS_TO": "leads_to"}
_COUNTS: Final = (
    "RETURN COUNT { (:Paper) } - COUNT { (:Stub) }, COUNT { (:Stub) }, COUNT { ()-[:CITES]->() }, COUNT { (:Alias) }"
)


class Counts(msgspec.Struct, frozen=True):
    """What the files of a folder hold."""

    schema: str
    papers: int
    stubs: int
    citations: int
    aliases: int


@dataclass(slots=True)
class _Numbers:
    """The numbers of papers and stubs by every identifier that leads to them."""

    of: dict[str, int]
    stubs: dict[str, int]
    citations: np.ndarray[Any, np.dtype[np.int64]]


def write_import_files(store: Store, folder: Path) -> Counts:
    """Write a store's corpus into a folder that is empty or not there; return what it holds. Raises `BadInput`."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new folder")
    addresses = {stored.paper.address: n for n, stored in enumerate(store.stream(), start=1)}
    others = [(name, addresses[address]) for name, address in store.identifiers()]
    numbers = _Numbers(addresses | dict(others), {}, np.zeros(0, np.int64))
    cites = _write_citations(store, folder, numbers, addresses)
    _lines(folder / "papers.csv", "Paper", _PAPER, _papers(store, numbers))
    counted = numbers.citations
    stubs = ((n, {"id": name, "n": n, "citations": int(counted[n])}) for name, n in numbers.stubs.items())
    _lines(folder / "stubs.csv", "Paper", _STUB, stubs)
    _lines(
        folder / "aliases.csv", "Alias", {"id": "string"}, ((at, {"id": name}) for at, (name, _) in enumerate(others))
    )
    with (folder / "leads_to.csv").open("w", encoding="utf-8", newline="\n") as file:
        file.write(":START_ID(Alias),:END_ID(Paper)\n")
        file.writelines(f"{at},{n}\n" for at, (_, n) in enumerate(others))
    _write_books(store, folder, len(addresses) + len(numbers.stubs) + 1)
    counts = Counts("import/1", len(addresses), len(numbers.stubs), cites, len(others))
    (folder / MANIFEST).write_bytes(msgspec.json.encode(counts))
    return counts


def import_arguments(folder: Path) -> tuple[dict[str, list[Path]], dict[str, list[Path]]]:
    """Files by labels and by relationship type. Raises `BadInput` where the folder is not one of ours."""
    if not (folder / MANIFEST).is_file():
        raise BadInput(f"{folder} has no {MANIFEST}; write it with `paperatlas store export-import-files {folder}`")
    nodes, relationships = (
        {name: [folder / f"{file}.csv"] for name, file in table.items()} for table in (_NODES, _RELATIONSHIPS)
    )
    return nodes, relationships


def holds_papers(connection: Connection) -> bool:
    """Whether there is a corpus that an import would replace."""
    return bool(connection.read("MATCH (p:Paper) RETURN p.n LIMIT 1"))


def finish_import(connection: Connection, folder: Path) -> Counts:
    """Make constraints and indexes over what was imported, and count it. Raises `BooksDoNotBalance`."""
    expected = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Counts)
    constrain(connection)
    found = Counts(expected.schema, *connection.read(_COUNTS)[0])
    if found != expected:
        raise BooksDoNotBalance(
            f"the database holds {found}, the files {expected}; write the files again and import them"
        )
    return found


def _write_citations(store: Store, folder: Path, numbers: _Numbers, addresses: Mapping[str, int]) -> int:
    cited: list[int] = []
    with (folder / "cites.csv").open("w", encoding="utf-8", newline="\n") as file:
        file.write(":START_ID(Paper),:END_ID(Paper)\n")
        for stored in store.stream():
            ends: dict[int, None] = {}
            for name in stored.paper.references or ():
                n = numbers.of.get(name)
                if n is None:
                    n = numbers.of[name] = numbers.stubs[name] = len(addresses) + len(numbers.stubs) + 1
                ends[n] = None
            start = addresses[stored.paper.address]
            file.writelines(f"{start},{end}\n" for end in ends)
            cited += ends
    numbers.citations = np.bincount(np.array(cited, np.int64), minlength=len(addresses) + len(numbers.stubs) + 1)
    return len(cited)


def _papers(store: Store, numbers: _Numbers) -> Iterator[tuple[int, dict[str, Any]]]:
    for stored in store.stream():
        n = numbers.of[stored.paper.address]
        row = properties(n, stored.paper)
        yield n, row | {"citations": int(numbers.citations[n]), "unplaced": Reason.NOT_YET_LAID_OUT.value}


def _write_books(store: Store, folder: Path, following: int) -> None:
    runs = store.runs()
    rows = (
        {
            "id": run.id,
            "seq": seq,
            "started": run.started,
            "finished": run.finished,
            "files": list(run.files) or None,
            "tally": msgspec.json.encode(run.tally).decode(),
        }
        for seq, run in enumerate(runs, start=1)
    )
    _lines(folder / "runs.csv", "IngestRun", _RUN, enumerate(rows))
    date = store.data_date()
    corpus = {"name": "paperatlas", "schema": SCHEMA_VERSION, "version": max(store.version(), 1), "next": following}
    corpus |= {"runs": len(runs), "data_date": str(date) if date else None}
    _lines(folder / "corpus.csv", "Corpus", _CORPUS, [(0, corpus)])
    _lines(folder / "writer.csv", "Writer", {"name": "string"}, [(0, {"name": "paperatlas"})])


def _lines(file: Path, group: str, columns: Mapping[str, str], rows: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
    head = ",".join([f":ID({group})", *(f"{name}:{kind}" for name, kind in columns.items())])
    with file.open("w", encoding="utf-8", newline="\n") as opened:
        opened.write(head + "\n")
        for key, row in rows:
            opened.write(",".join([str(key), *(_field(row[name]) for name in columns)]) + "\n")


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return DELIMITER.join(map(str, np.frombuffer(value, np.int8).tolist()))
    if isinstance(value, list) and any(DELIMITER in text for text in value):
        raise BadInput(
            f"{value!r:.200} has a control character that import files cannot hold; use `paperatlas store copy`"
        )
    text = DELIMITER.join(value) if isinstance(value, list) else str(value)
    return '"' + text.replace('"', '""') + '"'
