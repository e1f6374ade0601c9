"""What a hint names can be typed as it stands, and leads to the same corpus."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cli.hints import Way
from cli.session import Session
from corpus.errors import LayoutFailed, NoCorpus

ROOT = Path(__file__).resolve().parents[2]
GRAPH = Way({"--data": "/my data", "--store": "neo4j", "--config": "/c.toml"})


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAPERATLAS_DATA", "PAPERATLAS_STORE", "PAPERATLAS_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("layout", "`paperatlas layout --data '/my data' --store neo4j --config /c.toml`"),
        ("ingest FILE", "`paperatlas ingest FILE --data '/my data' --store neo4j --config /c.toml`"),
        ("neo4j start", "`paperatlas neo4j start --data '/my data' --config /c.toml`"),
        ("store copy", "`paperatlas store copy --data '/my data' --config /c.toml`"),
        ("neo4j fetch", "`paperatlas neo4j fetch`"),
        (
            "store export-import-files DIR",
            "`paperatlas store export-import-files DIR --data '/my data' --store neo4j --config /c.toml`",
        ),
    ],
)
def test_a_command_has_the_flags_that_it_takes(words: str, command: str) -> None:
    assert GRAPH.command(words) == command
    assert GRAPH.complete(f"do this: {GRAPH.command(words)} now") == f"do this: {command} now", "not twice"
    assert GRAPH.complete(f"do this: `paperatlas {words}` now") == f"do this: {command} now"


def test_without_flags_nothing_is_added() -> None:
    text = "no map has been laid out yet; run `paperatlas layout`"
    assert Way({}).complete(text) == text
    assert Way({}).arguments() == ""
    assert (
        GRAPH.complete("set `layout.policy = links`, or `chmod 600 x`")
        == "set `layout.policy = links`, or `chmod 600 x`"
    )


def test_only_what_flags_said_is_said_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Session.of(None, None, None).way.flags == {}
    (tmp_path / "paperatlas.toml").write_text('store = "neo4j"\n')
    assert Session.of(".", None, None).way.flags == {"--data": str(tmp_path)}, "the file there is found again"
    monkeypatch.setenv("PAPERATLAS_STORE", "neo4j")
    monkeypatch.setenv("PAPERATLAS_DATA", str(tmp_path))
    assert Session.of(None, None, None).way.flags == {}
    assert Session.of(None, "sqlite", None).way.flags == {"--store": "sqlite"}
    assert Session.of(None, None, "paperatlas.toml").way.flags == {"--config": str(tmp_path / "paperatlas.toml")}


def test_what_an_error_says_is_completed_and_it_stays_the_same_error() -> None:
    with pytest.raises(NoCorpus, match=r"ingest FILE --data '/my data' --store neo4j") as told, GRAPH.completing():
        raise NoCorpus("at /x")
    assert told.value.where == "at /x"
    with pytest.raises(LayoutFailed, match="the previous map is still current") as failed, GRAPH.completing():
        raise LayoutFailed("start", "a bug")
    assert failed.value.stage == "start"


def test_commands_in_messages_stand_in_backticks_so_that_they_can_be_completed() -> None:
    commands = r"(?:ingest|layout|serve|why|status|export|demo|map|config|doctor|neo4j|store) ?"
    bare = re.compile(rf"(?<!`)\bpaperatlas {commands}")
    found = 0
    for package in ("corpus", "ingest", "layout", "server", "cli"):
        for module in (ROOT / package).rglob("*.py"):
            tree = ast.parse(module.read_text("utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    assert not bare.search(node.value), f"{module}:{node.lineno}"
                    found += "`paperatlas " in node.value
    assert found > 20, "this looks for something that is nowhere"
