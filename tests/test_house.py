"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("corpus", "ingest", "layout", "server", "cli")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_has_at_most_300_lines_and_a_function_40(module: Path) -> None:
    source = module.read_text(encoding="utf-8")
    assert source.count("\n") <= 300, f"{module} asks to be split along its meaning"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[1] if _docstring(node) and len(node.body) > 1 else node.body[0]
            lines = (node.end_lineno or 0) - first.lineno + 1
            assert lines <= 40, f"{module}:{node.lineno} {node.name} has {lines} lines"


def _docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return ast.get_docstring(node) is not None


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_a_drawer(module: Path) -> None:
    assert not {part.removesuffix(".py") for part in module.parts} & {"utils", "helpers", "common", "manager", "misc"}


@pytest.mark.parametrize(
    ("prefix", "pattern"),
    [
        ("sqlite", r"\b(SELECT|INSERT|UPDATE|DELETE)\b[\s\S]{0,80}\b(FROM|INTO)\b|\bUPDATE\b[\s\S]{0,80}\bSET\b"),
        ("neo4j", r"\b(MATCH|MERGE|CREATE|UNWIND) +[($]"),
    ],
)
def test_queries_stand_in_the_modules_of_their_database_alone(prefix: str, pattern: str) -> None:
    elsewhere = [
        path for path in MODULES if not path.name.startswith(prefix) and re.search(pattern, path.read_text("utf-8"))
    ]
    assert elsewhere == []


def test_no_lock_names_an_address_to_fetch_from() -> None:
    pins = sorted((ROOT / "requirements").iterdir())
    assert pins
    assert [
        path.name for path in pins if re.search(r"://|--index|--extra-index|--find-links", path.read_text("utf-8"))
    ] == []
    assert '"resolved"' not in (ROOT / "web" / "package-lock.json").read_text("utf-8")


def test_the_command_starts_without_the_layout_engine() -> None:
    """`paperatlas --help` must not pay for numba and scikit-learn."""
    code = "import sys, cli.main; sys.exit(bool({'umap', 'sklearn', 'numba', 'igraph'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
