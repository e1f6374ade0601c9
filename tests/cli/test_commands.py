"""The command as a person or a script runs it: real processes, real store, real layout."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]

TOPICS = {
    "maps": "citation map layout of scholarly papers with neighbour embedding and region names",
    "cells": "protein folding inside living cells measured with fluorescence microscopy and labels",
    "stars": "rotation curves of spiral galaxies and dark matter haloes from radio telescopes",
}

AWAY = "bolt://127.0.0.1:1"
"""Where no database answers."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAPERATLAS_")}
    environment["PAPERATLAS_DATA"] = str(tmp_path / "data")

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cli.entry", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=200, check=False
        )

    return call


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """36 papers on three topics that cite within their topic, one without a list, one stub, one bad line."""
    lines: list[dict[str, Any]] = []
    for topic, words in TOPICS.items():
        for place in range(12):
            cited = [f"test:{topic}-{earlier}" for earlier in range(place)] or [f"test:{topic}-classic"]
            title = f"{topic} {place}: {words}"
            lines.append(
                {"ids": [f"test:{topic}-{place}"], "title": title, "date": str(2000 + place), "references": cited}
            )
    lines.append({"ids": ["test:unlisted"], "title": "A paper whose list was never obtained", "references": None})
    file = tmp_path / "papers.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n{not json\n", encoding="utf-8")
    return file


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one object on stdout."""
    return dict(json.loads(done.stdout))


def test_from_a_file_to_a_map_that_balances(run: Run, papers: Path, tmp_path: Path) -> None:
    done = run("ingest", str(papers), "--json")
    assert done.returncode == 3, done.stderr
    assert "papers.jsonl" in done.stderr, "it says what it took the file for"

    before = answer(run("status", "--json"))
    assert before["papers"] == 37
    assert before["unplaced"] == {"not_yet_laid_out": 37}
    assert before["build"] is None

    assert run("layout").returncode == 0
    status = answer(run("status", "--json"))
    records = status["records"]
    assert (
        records["read"] == records["accepted"] + records["rejected"] + records["duplicates"] + records["merged"] == 38
    )
    assert (status["placed"], status["unplaced"]) == (36, {"no_reference_list": 1})
    assert status["papers"] == status["placed"] + sum(status["unplaced"].values())
    assert status["stubs"] == 3
    assert status["build"]["from_this_corpus"]
    assert "Note" not in run("status").stdout

    again = run("layout", "--add", "--json")
    assert "Nothing has changed" in again.stderr
    assert answer(again)["build"]["hash"] == status["build"]["hash"]

    assert "policy references, seed 42" in run("status").stdout
    (tmp_path / "data" / "region-names.toml").write_text('"9-99" = "Nowhere"\n')
    assert 'no region has the key or the name "9-99"' in run("layout").stderr.replace("\n", " ")

    why = answer(run("why", "test:unlisted", "--json"))
    assert (why["on_map"], why["binding"]) == (False, "no_reference_list")
    assert (why["x"], why["y"]) == (None, None)
    assert answer(run("why", "complete rubbish ???", "--json"))["binding"] == "not_understood"
    assert answer(run("why", "test:maps-3", "--json"))["on_map"]

    table = tmp_path / "map.csv"
    assert run("export", "map", str(table)).returncode == 0
    rows = table.read_text().splitlines()
    assert rows[0] == "id,title,year,x,y,region,citations,reason"
    assert len(rows) == 38
    assert sum(row.endswith(",no_reference_list") for row in rows) == 1


def test_a_layout_for_which_there_is_not_enough_memory_is_refused_in_a_line(
    run: Run, papers: Path, tmp_path: Path
) -> None:
    run("ingest", str(papers))
    settings = tmp_path / "data" / "paperatlas.toml"
    settings.write_text('[layout]\nmemory = "100MB"\n')
    refused = run("layout")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "takes about 0.5 GB of memory, and 0.1 GB are free" in " ".join(refused.stderr.split())
    assert "there is no map" in " ".join(refused.stderr.split())
    settings.write_text('[layout]\nmemory = "16GB"\n')
    assert run("layout").returncode == 0


def test_why_says_what_could_not_be_looked_up_while_the_database_is_away(run: Run, papers: Path) -> None:
    run("ingest", str(papers))
    nothing = run("why", "test:maps-3", "--store", AWAY)
    assert (nothing.returncode, "nothing is known of any paper now" in nothing.stdout) == (5, True)
    run("layout")
    placed = run("why", "test:maps-3", "--store", AWAY)
    assert placed.returncode == 5
    for said in ("On the map", "This is what the map knows", "since the map was made could not be checked"):
        assert said in placed.stdout
    assert "does not answer" in placed.stderr
    assert "No reference list" in run("why", "test:unlisted", "--store", AWAY).stdout
    absent = run("why", "arxiv:2101.00001", "--store", AWAY)
    assert "It cannot be looked up now" in absent.stdout
    assert "Whether the corpus has it could not be checked" in absent.stdout
    machine = run("why", "arxiv:2101.00001", "--store", AWAY, "--json")
    assert machine.returncode == 5
    told = answer(machine)
    assert (told["store"], told["binding"], len(told["notes"])) == ("unavailable", None, 2)
    whole = run("why", "arxiv:2101.00001")
    assert (whole.returncode, "could not be checked" in whole.stdout) == (0, False)


def test_the_same_file_twice_changes_nothing_but_the_ledger(run: Run, papers: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("ingest", str(papers))
    assert run("export", "papers", str(first)).returncode == 0
    run("ingest", str(papers))
    run("export", "papers", str(second))
    assert first.read_bytes() == second.read_bytes()
    records = answer(run("status", "--json"))["records"]
    assert records == {"read": 76, "accepted": 37, "rejected": 2, "duplicates": 37, "merged": 0}


def test_what_was_odd_about_records_that_were_taken_is_told(run: Run, tmp_path: Path) -> None:
    odd = {"ids": ["test:a"], "title": "One", "date": "3024", "references": None}
    fields = {f"field{at}": 1 for at in range(9)}
    file = tmp_path / "odd.jsonl"
    file.write_text(
        "".join(json.dumps(odd | more | {"ids": [f"test:{at}"]}) + "\n" for at, more in enumerate(({}, fields)))
    )
    done = run("ingest", str(file))
    assert done.returncode == 0
    said = " ".join(done.stderr.split())
    assert "odd: 2 date_implausible, 1 unknown_field_field0," in said
    assert "and 2 other kinds (--json has all)" in said


def test_an_export_ingested_elsewhere_is_the_same_corpus(run: Run, papers: Path, tmp_path: Path) -> None:
    first, second, other = tmp_path / "first.jsonl", tmp_path / "second.jsonl", str(tmp_path / "other")
    run("ingest", str(papers))
    run("export", "papers", str(first))
    assert run("ingest", str(first), "--data", other).returncode == 0
    run("export", "papers", str(second), "--data", other)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["status"], 2, "ingest"),
        (["layout"], 2, "ingest"),
        (["ingest", "/nowhere/at/all.jsonl"], 2, "/nowhere/at/all.jsonl"),
        (["ingest"], 2, "FILE..."),
        (["serve", "--host", "0.0.0.0"], 2, "--public"),  # noqa: S104  that it is refused is the test
        (["layout", "--engine", "magic"], 2, "engine"),
        (["layout", "--add", "--scratch"], 2, "give one of them"),
        (["map", "x.csv", "--port", "99999"], 2, "port"),
        (["ingest", "README.md", "--data-date", "yesterday"], 2, "yesterday"),
    ],
)
def test_an_error_is_one_line_that_says_what_to_do(run: Run, arguments: list[str], code: int, words: str) -> None:
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("command", [["status"], ["layout"], ["serve"], ["why", "x"], ["ingest", "README.md"]])
def test_from_nothing_a_local_neo4j_is_begun_by_its_start(run: Run, tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "not yet").mkdir()
    for data in (tmp_path / "not yet", tmp_path / "nowhere"):
        done = run(*command, "--data", str(data), "--store", "neo4j")
        assert done.returncode in {2, 5}
        assert done.stdout == ""
        begin = f"`paperatlas neo4j start --data {shlex.quote(str(data))}`"
        ingest = f", then `paperatlas ingest FILE --data {shlex.quote(str(data))} --store neo4j`"
        assert done.stderr.rstrip().count("\n") == 0
        assert begin in done.stderr
        assert ingest in done.stderr or command[0] == "ingest"


def test_a_store_that_is_none_is_told_before_anything_else(run: Run) -> None:
    done = run("status", "--store", "mysql")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "write sqlite, neo4j, bolt://host:port or neo4j://host:port" in done.stderr


def test_a_corpus_in_the_other_store_of_the_directory_is_named(run: Run, papers: Path) -> None:
    run("ingest", str(papers))
    for command in ("status", "layout", "serve"):
        said = run(command, "--store", "neo4j").stderr
        assert "there is a corpus in SQLite beside it: choose it with --store sqlite, or run `paperatlas neo4j" in said


def test_hints_lead_to_the_same_corpus(run: Run, papers: Path, tmp_path: Path) -> None:
    data = str(tmp_path / "my data")
    absent = run("status", "--data", data).stderr
    assert f"`paperatlas ingest FILE --data '{data}'`" in absent
    run("ingest", str(papers), "--data", data)
    status = run("status", "--data", data).stdout
    assert f"none yet: run `paperatlas layout --data '{data}'`\n" in status
    assert f"`paperatlas layout --data '{data}'`" in run("doctor", "--data", data).stdout
    assert f"`paperatlas layout --data '{data}'`" in run("why", "test:maps-3", "--data", data).stdout
    assert (
        f"`paperatlas layout --data '{data}'`" in run("export", "map", str(tmp_path / "x.csv"), "--data", data).stderr
    )


def test_what_serve_says_can_be_typed_elsewhere(papers: Path, run: Run, tmp_path: Path) -> None:
    data = tmp_path / "my data"
    run("ingest", str(papers), "--data", str(data))
    (data / "current").symlink_to("builds/gone")
    command = [sys.executable, "-m", "cli.entry", "serve", "--port", "0", "--data", "my data"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = ""
        while "Other commands" not in said and (line := server.stderr.readline()):
            said += line
        server.terminate()
    assert f"leads nowhere; run `paperatlas layout --data '{data}'` again" in said, "the log"
    assert f"Other commands find it with --data '{data}'\n" in said


def test_what_is_piped_is_not_broken_and_one_is_not_plural(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "papers.jsonl"
    file.write_text('{"ids": ["test:a"], "title": "A", "references": ["test:b"]}\n')
    said = run("ingest", str(file)).stderr
    assert "Read 1 record: 1 accepted, 0 rejected, 0 duplicates, 0 merged" in said
    lines = run("status").stdout.splitlines()
    assert "Corpus          1 paper, 1 cited work without a record, 1 citation" in lines
    assert [line for line in lines if line != line.rstrip()] == []
    long = tmp_path / ("a" * 100)
    shown = run("config", "show", "--data", str(long)).stdout.splitlines()
    assert any(str(long) in line and line.endswith("flag") for line in shown)
    assert "1 paper written" in run("export", "papers", str(tmp_path / "out.jsonl")).stderr


def test_a_taken_port_is_told_before_the_work(run: Run, papers: Path, tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("map", str(papers), "--port", str(port))
    assert done.returncode == 1
    assert f":{port}" in done.stderr
    assert not (tmp_path / "data" / "corpus.sqlite").exists()


def test_config_show_says_where_each_value_came_from(run: Run) -> None:
    settings = answer(run("config", "show", "--json"))["settings"]
    assert settings["data"]["origin"] == "environment"
    assert settings["layout.seed"] == {"value": 42, "origin": "default"}


def test_doctor_names_what_is_missing(run: Run) -> None:
    done = run("doctor", "--json")
    names = [check["name"] for check in answer(done)["checks"]]
    assert names == ["SQLite", "disk", "web page", "map"]


def test_an_interrupt_in_the_first_moments_is_one_line() -> None:
    """Imports take half a second, in which Python alone would answer Ctrl-C: with a traceback."""
    code = """if True:
        import signal, sys
        from cli.entry import main

        class Interrupt:
            @staticmethod
            def find_spec(name, path=None, target=None):
                if name == "cli.main":
                    signal.raise_signal(signal.SIGINT)

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
        sys.meta_path.insert(0, Interrupt)
        main()
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "paperatlas: interrupted; what was finished is kept\n"
