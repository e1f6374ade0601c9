"""What is imported in bulk equals what the batches make of the same corpus, node by node."""

from __future__ import annotations

import base64
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from corpus.access import Access
from corpus.errors import BadInput, BooksDoNotBalance
from corpus.folding import fold
from corpus.local_neo4j import endpoint
from corpus.local_neo4j.process import stop
from corpus.model import PartialDate, Record
from corpus.neo4j_bulk import DELIMITER, MANIFEST, holds_anything, import_arguments, write_import_files
from corpus.neo4j_connection import Connection
from corpus.store import Store
from corpus.stores import open_store
from ingest.copy import copy_corpus
from tests.contract.making import paper, put, run
from tests.databases import Database, emptied

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Store]:
    """Papers with everything that a file of commas and quotes could trip over."""
    with closing(open_store("sqlite", tmp_path)) as store:
        put(
            store,
            paper(
                "doi:10.1002/(sici)1097;2-d", 'test:"q"', title='He said "hi"; x, y\\ and \' — Ünïcode \N{PILE OF POO}'
            ),
            paper("test:a", title="...", authors=["A, B", 'C "D"', "E; F"], areas=["x;y", "z"], date="1999-05"),
            paper("test:b", references=["test:a", "test:b", "test:nowhere", 'test:"q"'], date="2001"),
            paper("test:c", title="=cmd()", references=[]),
            fold([Record("test:d", ("test:d",), source=f"x{DELIMITER}y\n\u200bz", references=("test:a",))]),
            fold([Record("test:long", ("test:long",), abstract=noise())]),
            paper("arxiv:2101.00001", "openalex:W1", title="One", references=["test:nowhere", "test:else"]),
        )
        put(store, paper("openalex:W1", title="One, without its preprint", references=["arxiv:2101.00001"]))
        store.settle(run("r2", 5, finished=True), PartialDate.parse("2026-10-07"))
        store.settle(replace(run("r3"), files=()), None)
        yield store


def noise() -> str:
    """Text that hardly packs: more than the 4 MB that the import program reads of one field by itself."""
    return base64.b64encode(random.Random(1).randbytes(3_500_000)).decode()


def graph(url: str, access: Access) -> dict[str, Any]:
    """Everything in a database but the store's own numbers and the writer's."""
    questions = {
        "nodes": "MATCH (n) WHERE NOT n:Writer RETURN labels(n) AS labels, properties(n) AS has ORDER BY labels, n.id",
        "cites": "MATCH (a)-[:CITES]->(b) RETURN a.id, b.id ORDER BY a.id, b.id",
        "leads": "MATCH (a)-[:LEADS_TO]->(b) RETURN a.id, b.id ORDER BY a.id",
        "schema": "SHOW CONSTRAINTS YIELD name, labelsOrTypes, properties RETURN * ORDER BY name",
        "indexes": "SHOW INDEXES YIELD name, type, state, properties RETURN * ORDER BY name",
    }
    auth = (access.user, access.password or "")
    with GraphDatabase.driver(url, auth=auth) as driver:
        found = {name: [one.values() for one in driver.execute_query(text).records] for name, text in questions.items()}
    for _, has in found["nodes"]:
        for name in ("n", "next", "version", "build"):
            has.pop(name, None)
    return found


@pytest.mark.timeout(200)
def test_a_bulk_import_is_what_the_batches_make(filled: Store, neo4j: Database, tmp_path: Path) -> None:
    emptied(neo4j)
    with closing(open_store(neo4j.url, tmp_path, access=neo4j.access)) as batched:
        copy_corpus(filled, batched)
    counts = write_import_files(filled, tmp_path / "files")
    assert (counts.papers, counts.stubs, counts.aliases) == (7, 1, 2)
    data = tmp_path / "bulk"
    environment = {**os.environ, "PAPERATLAS_NEO4J__BOLT_PORT": "0", "PAPERATLAS_NEO4J__HEAP": "512m"}

    def command(*words: str, code: int = 0) -> str:
        line = [sys.executable, "-m", "cli.entry", "neo4j", *words, "--data", str(data), "--json"]
        done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=150, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout or done.stderr

    try:
        assert json.loads(command("import", str(tmp_path / "files")))["citations"] == counts.citations
        place = endpoint(data)
        assert graph(place.url, Access(place.user, place.password)) == graph(neo4j.url, neo4j.access)
        assert "--overwrite replaces it" in command("import", str(tmp_path / "files"), code=2)
        with closing(open_store("neo4j", data)) as store:
            assert [one.paper for one in store.stream()] == [one.paper for one in filled.stream()]
            assert store.runs() == filled.runs()
            put(store, paper("test:new", title="It goes on", references=["openalex:W1", "test:newer"]))
            assert store.size().papers == 8
            assert [row.id for row in store.search(["goes"], 5)] == ["test:new"]
    finally:
        stop(data)


def test_the_files_are_the_same_every_time_and_their_folder_is_a_new_one(filled: Store, tmp_path: Path) -> None:
    write_import_files(filled, tmp_path / "one")
    write_import_files(filled, tmp_path / "two")
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    with pytest.raises(BadInput, match="is not empty"):
        write_import_files(filled, tmp_path / "one")
    with pytest.raises(BadInput, match=r"has no import\.json"):
        import_arguments(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        (b"{", "damaged or of another version"),
        (b'{"schema":"import/1","papers":1}', "damaged or of another version"),
        (
            b'{"schema":"import/9","longest":1,"bytes":{},"counts":{"papers":1,"stubs":0,"citations":0,"aliases":0}}',
            "says import/9, this version reads import/3",
        ),
    ],
)
def test_files_of_another_version_are_refused_with_what_to_do(manifest: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(manifest)
    with pytest.raises(BadInput, match=f"{told}.*export-import-files"):
        import_arguments(tmp_path)


def test_files_that_were_cut_or_taken_away_are_refused_before_the_database_is_touched(
    filled: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    write_import_files(filled, folder)
    cites = (folder / "cites.csv").read_bytes()
    (folder / "cites.csv").write_bytes(cites[:-1])
    with pytest.raises(BadInput, match=rf"cites\.csv has {len(cites) - 1:,} bytes, import\.json says {len(cites):,}"):
        import_arguments(folder)
    (folder / "cites.csv").unlink()
    with pytest.raises(BadInput, match=r"cites\.csv is not there.*anew into another folder.*export-import-files"):
        import_arguments(folder)


def test_a_file_name_that_would_fall_apart_is_refused_and_leaves_nothing_to_import(tmp_path: Path) -> None:
    with closing(open_store("sqlite", tmp_path)) as store:
        store.settle(replace(run(), files=(f"one{DELIMITER}two.jsonl",)), None)
        with pytest.raises(BadInput, match="store copy"):
            write_import_files(store, tmp_path / "files")
    with pytest.raises(BadInput, match=r"has no import\.json"):
        import_arguments(tmp_path / "files")


def test_a_corpus_that_changes_while_it_is_written_leaves_nothing_to_import(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = list(filled.stream())
    monkeypatch.setattr(filled, "stream", lambda: iter([replace(stored[0], citations=77), *stored[1:]]))
    with pytest.raises(BooksDoNotBalance, match="changed while it was written"):
        write_import_files(filled, tmp_path / "files")
    with pytest.raises(BadInput, match=r"has no import\.json"):
        import_arguments(tmp_path / "files")


def test_an_import_would_replace_a_corpus_or_what_is_somebody_elses_and_an_empty_corpus_is_nothing(
    neo4j: Database,
) -> None:
    emptied(neo4j)
    with closing(Connection(neo4j.url, neo4j.access)) as connection:
        assert holds_anything(connection) is None
        connection.write(lambda transaction: transaction.run("CREATE (:Film {name: 'Alien'}), (:Corpus {name: 'x'})"))
        try:
            assert str(holds_anything(connection)).startswith("other data (a node with the labels [")
            connection.write(lambda transaction: transaction.run("MATCH (f:Film) DELETE f"))
            assert holds_anything(connection) == "other data (a node with the labels ['Corpus'])"
        finally:
            connection.write(lambda transaction: transaction.run("MATCH (n) WHERE n:Film OR n.name = 'x' DELETE n"))
        with closing(open_store(neo4j.url, Path("unused"), access=neo4j.access)) as store:
            assert holds_anything(connection) is None, "a corpus without papers"
            put(store, paper("test:a"))
            assert holds_anything(connection) == "a corpus"
