"""The whole road on a real Neo4j, through the commands: the same map, the same numbers in the graph."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from cli.main import app
from corpus.local_neo4j import endpoint
from corpus.local_neo4j.place import Place
from tests.databases import Database, emptied

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str, environment: dict[str, str] | None = None, code: int = 0) -> tuple[Any, str]:
    """Run the command; return its JSON and what it said on stderr."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PAPERATLAS_")}
    done = subprocess.run(
        [sys.executable, "-m", "cli.entry", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=clean | (environment or {}),
        timeout=240,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if done.stdout.strip() else None, done.stderr


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Papers of two fields that cite within their own, one without a list, one with none of its list held."""
    file = tmp_path / "papers.jsonl"
    words = ["graph layout of citation networks", "protein folding in living cells"]
    rows: list[dict[str, object]] = [
        {
            "ids": [f"test:{n}"],
            "title": f"{words[n % 2]} {n}",
            "references": [f"test:{m}" for m in range(n % 2, 40, 2) if m != n and (m + n) % 3][:6],
            "date": str(2000 + n % 20),
        }
        for n in range(40)
    ]
    rows += [{"ids": ["test:x"], "title": "No list at all"}, {"ids": ["test:y"], "references": ["test:nowhere"]}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def in_graph(database: Database, question: str) -> list[list[Any]]:
    """Ask as an owner would, with the driver alone."""
    auth = (database.access.user, database.access.password or "")
    with GraphDatabase.driver(database.url, auth=auth) as driver:
        return [record.values() for record in driver.execute_query(question).records]


def test_ingest_layout_status_and_why_give_what_they_give_on_sqlite(
    neo4j: Database, papers: Path, tmp_path: Path
) -> None:
    emptied(neo4j)
    secret = tmp_path / "password"
    secret.write_text(neo4j.access.password or "")
    secret.chmod(0o600)
    graph = {
        "PAPERATLAS_STORE": neo4j.url,
        "PAPERATLAS_NEO4J__PASSWORD_FILE": str(secret),
        "PAPERATLAS_DATA": str(tmp_path / "graph"),
    }
    embedded = {"PAPERATLAS_DATA": str(tmp_path / "embedded")}
    answers: list[dict[str, Any]] = []
    for environment in (graph, embedded):
        run("ingest", str(papers), "--json", environment=environment)
        run("layout", "--json", environment=environment)
        status, _ = run("status", "--json", environment=environment)
        why, _ = run("why", "test:x", "--json", environment=environment)
        assert why["binding"] == "no_reference_list"
        answers.append(status)
    kept, expected = answers
    assert kept["store"]["kind"] == "neo4j"
    assert kept["store"]["edition"] in {"community", "enterprise"}
    assert kept["store"]["connect"] == {
        "url": neo4j.url,
        "user": neo4j.access.user,
        "password_file": str(secret),
        "database": "neo4j",
    }
    assert expected["store"]["connect"] is None
    assert (neo4j.access.password or "?") not in json.dumps(kept)
    for name in ("records", "papers", "stubs", "citations", "placed", "unplaced", "data_date"):
        assert kept[name] == expected[name]
    assert kept["build"]["hash"] == expected["build"]["hash"], "the same map, byte for byte"
    counted = in_graph(neo4j, "MATCH (p:Paper) WHERE p.unplaced IS NOT NULL RETURN p.unplaced, count(*)")
    assert dict(counted) == kept["unplaced"]
    placed = in_graph(neo4j, "MATCH (p:Paper)-[:IN_REGION]->(r:Region {key: p.region}) RETURN count(p)")
    assert placed == [[kept["placed"]]]
    assert in_graph(neo4j, "MATCH (b:MapBuild) RETURN b.hash, b.placed") == [[kept["build"]["hash"], kept["placed"]]]


def test_each_store_of_a_directory_is_told_of_the_other_and_whose_the_map_is(
    neo4j: Database, papers: Path, tmp_path: Path
) -> None:
    if neo4j.data is None:
        pytest.skip("the server of NEO4J_URI is not under a data directory")
    emptied(neo4j)
    data = tmp_path / "data"
    data.mkdir()
    (data / "neo4j").symlink_to(neo4j.data / "neo4j")
    where = {"PAPERATLAS_DATA": str(data)}
    _, said = run("status", environment=where, code=1)
    assert "beside it" not in said, "the Neo4j there is empty"
    run("ingest", str(papers), "--store", "neo4j", environment=where)
    _, said = run("status", environment=where, code=1)
    assert "there is a corpus in the Neo4j beside it: choose it with --store neo4j" in said
    run("layout", "--store", "neo4j", environment=where)
    other = tmp_path / "other.jsonl"
    other.write_text('{"ids": ["test:other"], "title": "Another paper", "references": ["test:nobody"]}\n')
    run("ingest", str(other), environment=where)
    status, _ = run("status", "--json", environment=where)
    assert (status["build"]["from_this_corpus"], status["placed"]) == (False, 0)
    hint = (
        "the current map is not of this corpus, or its verdicts have not come into this store; run `paperatlas layout`"
    )
    for command in (["why", "test:other", "--json"], ["export", "map", str(tmp_path / "map.csv"), "--json"]):
        _, said = run(*command, environment=where)
        assert hint in said
        _, said = run(*command, "--store", "neo4j", environment=where)
        assert "not of this corpus" not in said
    status, _ = run("status", "--json", "--store", "neo4j", environment=where)
    assert status["build"]["from_this_corpus"]
    place = endpoint(data)
    connect = {"url": place.url, "user": "neo4j", "password_file": str(place.password_file), "database": "neo4j"}
    assert status["store"]["connect"] == connect


def test_a_password_that_others_can_read_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("open to all")
    secret.chmod(0o644)
    environment = {"PAPERATLAS_NEO4J__PASSWORD_FILE": str(secret), "PAPERATLAS_DATA": str(tmp_path)}
    _, said = run("status", "--store", "bolt://127.0.0.1:1", environment=environment, code=2)
    assert "chmod 600" in said
    environment["PAPERATLAS_NEO4J__PASSWORD_FILE"] = str(tmp_path)
    _, said = run("status", "--store", "bolt://127.0.0.1:1", environment=environment, code=2)
    assert "is a folder; name the file" in said
    (tmp_path / "paperatlas.toml").write_text('[neo4j]\npassword = "open to all"\n')
    (tmp_path / "paperatlas.toml").chmod(0o644)
    _, said = run("status", environment={"PAPERATLAS_DATA": str(tmp_path)}, code=2)
    assert "chmod 600" in said
    assert "open to all" not in said


def test_a_database_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    environment = {"PAPERATLAS_DATA": str(tmp_path), "PAPERATLAS_NEO4J__PASSWORD": "never shown"}
    _, said = run("status", "--store", "bolt://127.0.0.1:1", environment=environment, code=5)
    assert said.count("\n") <= 2
    assert "bolt://127.0.0.1:1 does not answer" in " ".join(said.split())
    shown, _ = run("config", "show", "--json", environment=environment)
    assert "never shown" not in json.dumps(shown)


def test_status_of_the_local_server(neo4j: Database) -> None:
    if neo4j.data is None:
        pytest.skip("the server of NEO4J_URI is not under a data directory")
    facts, _ = run("neo4j", "status", "--json", "--data", str(neo4j.data))
    assert facts["running"]
    assert facts["url"] == endpoint(neo4j.data).url
    assert facts["password_file"] == str(Place.under(neo4j.data).password_file)


def test_status_without_a_local_server_names_no_file_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "none"
    app(["neo4j", "status", "--json", "--data", str(data)], standalone_mode=False)
    facts = json.loads(capsys.readouterr().out)
    assert (facts["running"], facts["version"], facts["bytes"]) == (False, None, 0)
    assert (facts["password_file"], facts["log"]) == (None, None)
    app(["neo4j", "status", "--data", str(data)], standalone_mode=False)
    assert capsys.readouterr().out == f"There is no local Neo4j yet: `paperatlas neo4j start --data {data}`\n"
    assert not data.exists()


def test_a_corpus_moves_into_the_graph_with_its_map(neo4j: Database, papers: Path, tmp_path: Path) -> None:
    emptied(neo4j)
    environment = {
        "PAPERATLAS_DATA": str(tmp_path / "data"),
        "PAPERATLAS_NEO4J__PASSWORD": neo4j.access.password or "",
    }
    run("ingest", str(papers), environment=environment)
    run("layout", environment=environment)
    expected, _ = run("status", "--json", environment=environment)
    copied, said = run("store", "copy", "--from", "sqlite", "--to", neo4j.url, "--json", environment=environment)
    assert (copied["papers"], copied["build"]) == (expected["papers"], expected["build"]["hash"])
    assert f"--store {neo4j.url}" in said
    kept, _ = run("status", "--store", neo4j.url, "--json", environment=environment)
    assert {**kept, "store": None} == {**expected, "store": None}
    counted = in_graph(neo4j, "MATCH (p:Paper) WHERE p.unplaced IS NOT NULL RETURN p.unplaced, count(*)")
    assert dict(counted) == expected["unplaced"]
