"""A corpus as the files that `neo4j-admin database import full` takes: what it makes of them is what the batches make.

Numbers are the files' own keys. Text is always quoted and what is unknown is an empty field, so that an empty text stays one.
Once through the corpus; only identifiers and numbers are held.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow.csv import WriteOptions, write_csv

from corpus.errors import BadInput, BooksDoNotBalance
from corpus.neo4j_connection import Connection
from corpus.neo4j_paper import properties
from corpus.neo4j_schema import MARKER, SCHEMA_VERSION, constrain
from corpus.reasons import Reason
from corpus.store import Store, Stored

_Ints = NDArray[np.int64]
DELIMITER: Final = "\x1f"
"""Between the elements of a list: a control character, which clean text does not hold. DOIs hold every other one."""
MANIFEST: Final = "import.json"
_FORM: Final = "import/3"
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
    "paper": "string",
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
_REPLACED: Final = (
    "MATCH (n) WHERE NOT (n:Corpus OR n:Writer) OR n.name <> 'paperatlas' OR n.name IS NULL RETURN labels(n) LIMIT 1"
)
_COUNTS: Final = (
    "RETURN COUNT { (:Paper) } - COUNT { (:Stub) }, COUNT { (:Stub) }, COUNT { ()-[:CITES]->() }, COUNT { (:Alias) }"
)


class Counts(msgspec.Struct, frozen=True):
    """What the files of a folder hold."""

    papers: int
    stubs: int
    citations: int
    aliases: int


class Manifest(msgspec.Struct, frozen=True):
    """What has to be known of the files before they are imported."""

    schema: str
    counts: Counts
    longest: int
    """Characters of the longest line: what the import program must have room for."""
    bytes: dict[str, int]
    """Size of each file: one that was cut would end the import in its middle, which leaves no database that can be used."""


def write_import_files(store: Store, folder: Path) -> Counts:
    """Write a store's corpus into a folder that is empty or not there; return what it holds.

    Raises `BadInput`, and `BooksDoNotBalance` where the corpus changed while it was written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new folder")
    lists = _Lists()
    longest = _lines(folder / "papers.csv", "Paper", _PAPER, _papers(store, lists))
    others = [(name, lists.papers[address]) for name, address in store.identifiers()]
    citing, cited, stubs = lists.citations(dict(others))
    papers, following = len(lists.papers), len(lists.papers) + len(stubs) + 1
    counted = np.bincount(cited, minlength=following)
    if counted[1 : papers + 1].tolist() != lists.counts.tolist():
        raise BooksDoNotBalance("the corpus changed while it was written; write the files again into a new folder")
    _pairs(folder / "cites.csv", "Paper", citing, cited)
    rows = ((n, {"id": name, "n": n, "citations": int(counted[n])}) for n, name in enumerate(stubs, start=papers + 1))
    longest = max(longest, _lines(folder / "stubs.csv", "Paper", _STUB, rows))
    names = enumerate({"id": name} for name, _ in others)
    longest = max(longest, _lines(folder / "aliases.csv", "Alias", {"id": "string"}, names))
    _pairs(folder / "leads_to.csv", "Alias", np.arange(len(others)), np.array([n for _, n in others], np.int64))
    longest = max(longest, _write_books(store, folder, following))
    counts = Counts(papers, len(stubs), len(citing), len(others))
    sizes = {name: (folder / name).stat().st_size for name in _files()}
    (folder / MANIFEST).write_bytes(msgspec.json.encode(Manifest(_FORM, counts, longest, sizes)))
    return counts


def import_arguments(folder: Path) -> tuple[dict[str, list[Path]], dict[str, list[Path]], int]:
    """Files by labels and by relationship type, and their longest line. Raises `BadInput` where the folder is not one of ours."""
    manifest = _manifest(folder)
    nodes, relationships = (
        {name: [folder / f"{file}.csv"] for name, file in table.items()} for table in (_NODES, _RELATIONSHIPS)
    )
    return nodes, relationships, manifest.longest


def _manifest(folder: Path) -> Manifest:
    """What a folder holds. Raises `BadInput` where it has no files that can be imported."""
    write = f"write it with `paperatlas store export-import-files {folder}`"
    anew = "write the files anew into another folder: `paperatlas store export-import-files`"
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except OSError as error:
        raise BadInput(
            f"{folder} has no {MANIFEST} that can be read ({error.strerror}); {anew if folder.exists() else write}"
        ) from error
    except msgspec.MsgspecError as error:
        raise BadInput(f"{folder / MANIFEST} is damaged or of another version ({error}); {anew}") from error
    if manifest.schema != _FORM:
        raise BadInput(f"{folder / MANIFEST} says {manifest.schema}, this version reads {_FORM}; {anew}")
    for name in _files():
        file, expected = folder / name, manifest.bytes.get(name)
        size = file.stat().st_size if file.is_file() else None
        if size is None or size != expected:
            found = "is not there" if size is None else f"has {size:,} bytes"
            raise BadInput(f"{file} {found}, {MANIFEST} says {expected or 0:,}; {anew}")
    return manifest


def _files() -> list[str]:
    return [f"{file}.csv" for file in (*_NODES.values(), *_RELATIONSHIPS.values())]


def holds_anything(connection: Connection) -> str | None:
    """What an import would replace, for people: a corpus, or somebody else's data; None in an empty database, or an empty corpus."""
    found = connection.read(_REPLACED)
    if not found:
        return None
    return "a corpus" if connection.read(MARKER) else f"other data (a node with the labels {found[0][0]})"


def finish_import(connection: Connection, folder: Path) -> Counts:
    """Make constraints and indexes over what was imported, and count it. Raises `BooksDoNotBalance`."""
    expected = _manifest(folder).counts
    constrain(connection)
    found = Counts(*connection.read(_COUNTS)[0])
    if found != expected:
        raise BooksDoNotBalance(
            f"the database holds {found}, the files {expected}; write the files again and import them"
        )
    return found


@dataclass(slots=True)
class _Lists:
    """What has to be known of all papers before their citations can be written: numbers and names, not the papers."""

    papers: dict[str, int] = field(default_factory=dict)
    """Numbers by address, from 1 in the order of the walk."""
    counts: array[int] = field(default_factory=lambda: array("q"))
    """Citations of each paper, by the store."""
    names: dict[str, int] = field(default_factory=dict)
    """Every identifier on a reference list, numbered as it is met."""
    citing: array[int] = field(default_factory=lambda: array("q"))
    listed: array[int] = field(default_factory=lambda: array("q"))
    """Names, beside `citing`."""

    def add(self, stored: Stored) -> int:
        """The number of the next paper."""
        n = self.papers[stored.paper.address] = len(self.papers) + 1
        self.counts.append(stored.citations)
        names = self.names
        listed = [names.setdefault(name, len(names)) for name in stored.paper.references or ()]
        self.citing.extend([n] * len(listed))
        self.listed.extend(listed)
        return n

    def citations(self, others: Mapping[str, int]) -> tuple[_Ints, _Ints, list[str]]:
        """(citing, cited): int64 (m,) each, sorted, each pair once; and the stubs, numbered on from the last paper."""
        ends = np.zeros(len(self.names), np.int64)
        stubs = []
        for name, at in self.names.items():
            n = self.papers.get(name) or others.get(name)
            if n is None:
                stubs.append(name)
            ends[at] = n or len(self.papers) + len(stubs)
        pairs = np.stack([np.array(self.citing, np.int64), ends[np.array(self.listed, np.int64)]])
        citing, cited = np.unique(pairs, axis=1)
        return citing, cited, stubs


def _papers(store: Store, lists: _Lists) -> Iterator[tuple[int, dict[str, Any]]]:
    for stored in store.stream():
        n = lists.add(stored)
        row = properties(n, stored.paper)
        yield n, row | {"citations": stored.citations, "unplaced": Reason.NOT_YET_LAID_OUT.value}


def _write_books(store: Store, folder: Path, following: int) -> int:
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
    longest = _lines(folder / "runs.csv", "IngestRun", _RUN, enumerate(rows))
    date = store.data_date()
    corpus = {"name": "paperatlas", "schema": SCHEMA_VERSION, "version": max(store.version(), 1), "next": following}
    corpus |= {"runs": len(runs), "data_date": str(date) if date else None}
    _lines(folder / "corpus.csv", "Corpus", _CORPUS, [(0, corpus)])
    _lines(folder / "writer.csv", "Writer", {"name": "string"}, [(0, {"name": "paperatlas"})])
    return longest


def _lines(file: Path, group: str, columns: Mapping[str, str], rows: Iterable[tuple[int, Mapping[str, Any]]]) -> int:
    """Write a file of nodes; return the characters of its longest line."""
    longest = 0
    head = ",".join([f":ID({group})", *(f"{name}:{kind}" for name, kind in columns.items())])
    with file.open("w", encoding="utf-8", newline="\n") as opened:
        opened.write(head + "\n")
        for key, row in rows:
            longest = max(longest, opened.write(",".join([str(key), *(_field(row[name]) for name in columns)]) + "\n"))
    return longest


def _pairs(file: Path, start: str, starts: _Ints, ends: _Ints) -> None:
    columns = {f":START_ID({start})": pa.array(starts), ":END_ID(Paper)": pa.array(ends)}
    write_csv(pa.table(columns), file, WriteOptions(quoting_style="none"))


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list) and any(DELIMITER in text for text in value):
        raise BadInput(
            f"{value!r:.200} has a control character that import files cannot hold; use `paperatlas store copy`"
        )
    text = DELIMITER.join(value) if isinstance(value, list) else str(value)
    return '"' + text.replace('"', '""') + '"'
