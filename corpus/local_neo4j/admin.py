"""Neo4j's own administration program, which the jars hold too: first password, import, check, dump. The server must be stopped."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.jars import ServerUnavailable, classpath, jars, java
from corpus.local_neo4j.place import Place

_TOOL: Final = "org.neo4j.cli.AdminTool"
_HOUR: Final = 3600
_BUFFER: Final = 4 << 20
"""Characters that the program reads at once when nothing is said. With 64 MB an import of 3,000 papers took 4 s more (12 to 13 s
against 8 to 9)."""
_ASIDE: Final = ("WARNING", "NOTE: Picked up", "Picked up")
"""What Java and the program say before the reason of a failure."""


class AdminFailed(ServerUnavailable):
    """The administration program failed; carries its last words."""


def set_first_password(place: Place, folder: Path, password: str) -> None:
    """Set the password before the first start. It goes through a file for its owner alone, not over the command line."""
    words = place.home / "run" / "words"
    place.note(password, words)
    try:
        _run(place, folder, ["dbms", "set-initial-password", f"@{words}"])
    finally:
        words.unlink()


def import_files(
    data: Path,
    nodes: Mapping[str, Sequence[Path]],
    relationships: Mapping[str, Sequence[Path]],
    longest: int = 0,
    *,
    delimiter: str,
    heap: str = "2g",
) -> str:
    """Replace the database by the content of CSV files, a header in the first of each list; return what the program reports.

    Keys are labels (`Paper`, `Paper:Stub`) and relationship types; keys of the files are whole numbers, `delimiter` stands between
    the elements of a list, and `longest` is the number of characters of the longest line where one may exceed 2 million.
    Raises `AdminFailed`.
    """
    words = [
        "database",
        "import",
        "full",
        "neo4j",
        "--overwrite-destination",
        f"--array-delimiter=U+{ord(delimiter):04X}",
    ]
    words += ["--id-type=integer", "--multiline-fields=true", "--max-off-heap-memory=1g"]
    words += [f"--read-buffer-size={max(_BUFFER, 2 * longest)}"]
    place = Place.under(data)
    with tempfile.TemporaryDirectory(dir=place.home / "run") as folder:
        words += [f"--nodes={label}={_linked(files, Path(folder))}" for label, files in nodes.items()]
        words += [f"--relationships={kind}={_linked(files, Path(folder))}" for kind, files in relationships.items()]
        return _run(place, jars(), [*words, "--report-file=report"], heap=heap, inside=Path(folder))


def check(data: Path) -> str:
    """Check the database for consistency; return the report. Raises `AdminFailed` where it is damaged."""
    place = Place.under(data)
    return _run(place, jars(), ["database", "check", "neo4j", f"--report-path={place.home / 'logs'}"])


def dump(data: Path, file: Path) -> None:
    """Write the database into one file. Raises `AdminFailed`."""
    place = Place.under(data)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        _run(place, jars(), ["database", "dump", "neo4j", f"--to-path={folder}"])
        Path(folder, "neo4j.dump").replace(file)


def load(data: Path, file: Path) -> None:
    """Replace the database by the content of a dump. Raises `AdminFailed`."""
    place = Place.under(data)
    with tempfile.TemporaryDirectory(dir=place.home / "run") as folder:
        Path(folder, "neo4j.dump").symlink_to(file.absolute())
        _run(place, jars(), ["database", "load", "neo4j", f"--from-path={folder}", "--overwrite-destination=true"])


def _linked(files: Sequence[Path], folder: Path) -> str:
    """Names in a folder that lead to the files, as a list: the program divides at commas and takes names for patterns."""
    names = []
    for file in files:
        names.append(f"{len(list(folder.iterdir()))}.csv")
        (folder / names[-1]).symlink_to(file.absolute())
    return ",".join(names)


def _run(place: Place, folder: Path, words: Sequence[str], *, heap: str = "512m", inside: Path | None = None) -> str:
    """Run it in the folder `inside`, if names are relative; return what it says on stdout."""
    command = [str(java()), "-cp", classpath(folder), *Configuration(heap=heap).flags(), _TOOL, *words]
    home, configuration = place.home.absolute(), place.configuration.absolute()
    environment = os.environ | {"NEO4J_HOME": str(home), "NEO4J_CONF": str(configuration)}
    done = subprocess.run(  # noqa: S603  our own words
        command,
        cwd=inside,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_HOUR,
        check=False,
    )
    if done.returncode:
        said = [line.strip() for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
        telling = [line for line in said if not line.startswith(_ASIDE)] or said or ["it said nothing"]
        raise AdminFailed(f"Neo4j's `{' '.join(words[:3])}` failed: {telling[0][:300]}")
    return done.stdout
