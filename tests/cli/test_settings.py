"""Settings: layers, origins, errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.settings import keys, load
from corpus.errors import BadSetting
from corpus.reasons import Policy

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAPERATLAS_DATA", "PAPERATLAS_STORE", "PAPERATLAS_CONFIG", "PAPERATLAS_SERVER__PORT"):
        monkeypatch.delenv(name, raising=False)


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "paperatlas.toml").write_text('[server]\nport = 1\nhost = "::1"\n[layout]\npolicy = "links"\n')
    monkeypatch.setenv("PAPERATLAS_SERVER__PORT", "2")
    loaded = load({"data": str(tmp_path)})
    assert (loaded.settings.server.port, loaded.settings.server.host) == (2, "::1")
    assert loaded.settings.layout.policy is Policy.LINKS
    assert loaded.origins["server.port"] == "environment"
    assert loaded.origins["server.host"].endswith("paperatlas.toml")
    assert loaded.origins["layout.seed"] == "default"
    assert load({"data": str(tmp_path), "server.port": 3}).settings.server.port == 3


def test_an_unknown_key_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "paperatlas.toml").write_text("[layout]\nsede = 7\n")
    with pytest.raises(BadSetting, match=r"layout\.sede"):
        load({"data": str(tmp_path)})
    monkeypatch.setenv("PAPERATLAS_SERVER__PROT", "8")
    with pytest.raises(BadSetting, match="PAPERATLAS_SERVER__PROT"):
        load({})


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (
            {"server.port": 70000},
            r"server\.port \(flag\): '70000' will not do: it should be less than or equal to 65535$",
        ),
        (
            {"layout.policy": "all"},
            r"layout\.policy \(flag\): 'all' will not do: it should be 'references', 'links' or",
        ),
        ({"layout.threads": 0}, r"layout\.threads \(flag\): '0' will not do"),
        (
            {"layout.cluster": "http://host:8786"},
            r"layout\.cluster .*'http://host:8786' will not do: tcp://host:port or",
        ),
        ({"layout.cluster": "tcp://user@host:8786"}, r"layout\.cluster .*is needed, without a user"),
        ({"layout.memory": "lots"}, r"layout\.memory .*'lots' will not do"),
        (
            {"layout.vectors": "x" * 500 + "\n", "layout.seed": "y" * 500},
            r"^layout\.seed \(flag\): 'y{80}' will not do",
        ),
        ({"neo4j.heap": "3 GB"}, r"neo4j\.heap .*'3 GB' will not do: a size such as 512m or 3g is needed"),
        (
            {"neo4j.password": ["hush"]},
            r"neo4j\.password \(flag\): the value will not do: it should be a valid string$",
        ),
    ],
)
def test_a_bad_value_is_an_error_that_names_its_key(flags: dict[str, object], named: str) -> None:
    with pytest.raises(BadSetting, match=named):
        load(flags)


def test_a_broken_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    broken = tmp_path / "mine.toml"
    broken.write_text("[layout\n")
    with pytest.raises(BadSetting, match=r"mine\.toml is not TOML"):
        load({}, broken)
    with pytest.raises(BadSetting, match="absent"):
        load({}, tmp_path / "absent.toml")


def test_the_reference_lists_every_key_and_no_other() -> None:
    listed = re.findall(r"^\| `([a-z0-9._]+)` \|", (ROOT / "docs" / "settings.md").read_text(), flags=re.MULTILINE)
    assert sorted(listed) == sorted(keys())
