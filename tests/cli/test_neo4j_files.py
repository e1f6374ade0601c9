"""A copy of the graph in one file, and back: on a real Neo4j, through the commands."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from cli.main import app
from cli.neo4j_files import Loaded, _tell_of_map
from cli.session import Session
from corpus.errors import BadInput
from corpus.local_neo4j import endpoint
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.place import Place
from corpus.local_neo4j.process import start, stop
from corpus.store import Size
from corpus.stores import open_store
from tests.cli.test_neo4j_commands import run
from tests.contract.making import paper, put

SMALL = Configuration(heap="512m", page_cache="64m", bolt_port=0)


def database_files(data: Path) -> dict[str, bytes]:
    """The files of the database of a server that is stopped, locks apart."""
    folder = Place.under(data).home / "data"
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.endswith("_lock")]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.mark.timeout(400)
def test_a_dump_brings_the_corpus_back_and_a_damaged_one_leaves_what_is_there(tmp_path: Path) -> None:
    data, dump, cut = tmp_path / "data", tmp_path / "one.dump", tmp_path / "cut.dump"
    environment = {"PAPERATLAS_NEO4J__BOLT_PORT": "0", "PAPERATLAS_NEO4J__HEAP": "512m", "PAPERATLAS_DATA": str(data)}
    start(data, SMALL)
    first = endpoint(data)
    try:
        with closing(open_store("neo4j", data)) as store:
            put(store, paper("test:a", references=["test:b"]))
        run("neo4j", "dump", str(dump), environment=environment)
        assert endpoint(data) == first, "it runs again, and what a person noted of it stays right"
        with closing(open_store("neo4j", data)) as store:
            put(store, paper("test:b"))
        _, said = run("neo4j", "load", str(dump), environment=environment, code=2)
        assert "holds a corpus already; --overwrite replaces it" in said
        stop(data)
        before = database_files(data)
        cut.write_bytes(dump.read_bytes()[: dump.stat().st_size * 3 // 4])
        _, said = run("neo4j", "load", str(cut), "--overwrite", environment=environment, code=2)
        assert f"{cut} cannot be loaded: it was cut; take another copy of it; the corpus that was there is as" in said
        assert database_files(data) == before
        loaded, said = run("neo4j", "load", str(dump), "--overwrite", "--json", environment=environment)
        assert (loaded["papers"], loaded["build"]) == (1, None)
        assert "holds no map" not in said, "neither has one"
        with closing(open_store("neo4j", data)) as store:
            assert store.size() == Size(papers=1, stubs=1, citations=1)
        stop(data)
        checked, _ = run("neo4j", "check", "--json", environment=environment)
        assert checked["consistent"]
    finally:
        stop(data)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["dump", "there"], "there is there already; --overwrite replaces it"),
        (["dump", "there", "--overwrite"], "`paperatlas neo4j start --data none` makes one"),
        (["dump", "folder"], "folder is a folder; name a file"),
        (["dump", "none/a.dump"], "there is no folder .*none; make it"),
        (["load", "folder"], "folder is a folder; name a file"),
        (["load", "none"], "none is not there; name a file"),
        (["load", "there"], "there cannot be loaded: it is no dump of a Neo4j database; name a file"),
    ],
)
def test_what_is_no_file_or_must_not_be_replaced_is_said_before_anything_is_touched(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "there").write_text("no dump")
    with pytest.raises(BadInput, match=told.replace("--data none", f"--data {tmp_path}/none")):
        app(["neo4j", *words, "--data", "none"], standalone_mode=False)
    assert (tmp_path / "there").read_text() == "no dump"
    assert {file.name for file in tmp_path.iterdir()} == {"there", "folder"}


def test_verdicts_of_another_map_are_told_after_a_load(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = Session.of(str(tmp_path), "neo4j", None)
    _tell_of_map(session, Loaded("neo4j-load/1", "a.dump", 1, None))
    assert capsys.readouterr().err == ""
    _tell_of_map(session, Loaded("neo4j-load/1", "a.dump", 1, "0123456789abcdef"))
    said = " ".join(capsys.readouterr().err.split())
    assert "are those of the map 0123456789ab," in said
    assert f"`paperatlas layout --data {tmp_path} --store neo4j` makes them agree" in said
