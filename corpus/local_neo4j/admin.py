"""Neo4j's own administration program, which the jars hold too: first password, import, check, dump. The server must be stopped."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from corpus.errors import AtlasError, BadInput
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.jars import ServerUnavailable, classpath, jars, java
from corpus.local_neo4j.place import Place

_TOOL: Final = "org.neo4j.cli.AdminTool"
_HOUR: Final = 3600
_BUFFER: Final = 4 << 20
"""Characters that the program reads at once when nothing is said. With 64 MB an import of 3,000 papers took 4 s more (12 to 13 s
against 8 to 9)."""
_ASIDE: Final = ("WARNING", "NOTE: Picked up", "Picked up", "Files: ", "Done: ")
"""What Java and the program say before the reason of a failure."""
_NO_DUMP: Final = "it is no dump of a Neo4j database; name a file that `paperatlas neo4j dump` wrote"
_DAMAGED: Final = {
    "Truncated": "it was cut; take another copy of it",
    "Not a valid Neo4j archive": "it is damaged; take another copy of it",
    "Not in ZSTD format": _NO_DUMP,
    "Unknown frame": _NO_DUMP,
}
"""By what the program says of a dump, what that means."""


class AdminFailed(ServerUnavailable):
    """The administration program failed; carries its last words."""

    def __init__(self, text: str, said: str = "") -> None:
        super().__init__(text)
        self.said = said
        """All that the program said of it."""


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
    Raises `BadInput` where a file is damaged, `AdminFailed` for the rest.
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
        linked: dict[str, Path] = {}
        words += [f"--nodes={label}={_linked(files, Path(folder), linked)}" for label, files in nodes.items()]
        words += [
            f"--relationships={kind}={_linked(files, Path(folder), linked)}" for kind, files in relationships.items()
        ]
        try:  # without --verbose it tells of damaged files neither which nor where
            return _run(place, jars(), [*words, "--report-file=report", "--verbose"], heap=heap, inside=Path(folder))
        except AdminFailed as error:
            raise input_error(error, linked) from error


def input_error(error: AdminFailed, linked: Mapping[str, Path]) -> AtlasError:
    """What a verbose import says is wrong with which file; the error itself where it does not say.

    `linked` has the user's files by the names that the program was given.
    """
    cause = re.search(r"^Caused by: (?:[\w.$]+: )*(.*(?:\n  .*)*)", error.said, re.MULTILINE)
    if cause is None:
        return error
    source = re.search(r"data source: .*?(\d+\.csv), position:(\d+)", cause[1])
    field = re.search(r"in field: ([^:\n]*)", cause[1])
    original = re.search(r"original error: (?:At .* @ position \d+ -\s*)?(.*)", cause[1])
    anew = "write the files anew into another folder: `paperatlas store export-import-files`"
    if source is None or original is None or source[1] not in linked:
        return BadInput(f"Neo4j cannot import the files: {' '.join(cause[1].split())[:300]}; {anew}")
    of_field = f", in the field {field[1] or 'of the key'}" if field else ""
    place = f"{linked[source[1]]} is damaged near character {int(source[2]):,}{of_field}"
    return BadInput(f"{place}: {original[1][:200]}; {anew}")


def check(data: Path) -> str:
    """Check the database for consistency; return the report. Raises `AdminFailed` where it is damaged."""
    place = Place.under(data)
    return _run(place, jars(), ["database", "check", "neo4j", f"--report-path={place.home / 'logs'}"])


def dump(data: Path, file: Path) -> None:
    """Write the database into one file. Raises `AdminFailed`, `BadInput` where nothing can be written there."""
    place = Place.under(data)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as folder:
            _run(place, jars(), ["database", "dump", "neo4j", f"--to-path={folder}"])
            Path(folder, "neo4j.dump").replace(file)
    except OSError as error:
        raise BadInput(f"{file} cannot be written ({error.strerror}); name a file elsewhere") from error


def unpacked(file: Path) -> int:
    """Bytes that the database of a dump takes; reads only how the file begins. Raises `BadInput` where it is no dump."""
    with _named(file) as folder:
        nowhere = Place(Path(folder))
        said = _run(nowhere, jars(), ["database", "load", "neo4j", "--info", f"--from-path={folder}"])
    found = re.search(r"^Bytes: (\d+)", said, re.MULTILINE)
    return int(found[1]) if found else file.stat().st_size


def load(data: Path, file: Path) -> None:
    """Make the database of what a dump holds; none may be there. Raises `BadInput` where the file is damaged."""
    place = Place.under(data)
    with _named(file) as folder:
        _run(place, jars(), ["database", "load", "neo4j", f"--from-path={folder}"])


@contextmanager
def _named(file: Path) -> Iterator[str]:
    """A folder in which a dump has the name that the program looks for; failures of it inside are told of the file."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder, "neo4j.dump")
        link.symlink_to(file.absolute())
        try:
            yield folder
        except AdminFailed as error:
            damage = next((meaning for sign, meaning in _DAMAGED.items() if sign in error.said), None)
            if damage is None:
                raise AdminFailed(str(error).replace(str(link), str(file)), error.said) from error
            raise BadInput(f"{file} cannot be loaded: {damage}") from error


def _linked(files: Sequence[Path], folder: Path, linked: dict[str, Path]) -> str:
    """Names in a folder that lead to the files, as a list: the program divides at commas and takes names for patterns."""
    names = []
    for file in files:
        names.append(f"{len(linked)}.csv")
        (folder / names[-1]).symlink_to(file.absolute())
        linked[names[-1]] = file
    return ",".join(names)


def _run(place: Place, folder: Path, words: Sequence[str], *, heap: str = "512m", inside: Path | None = None) -> str:
    """Run it in the folder `inside`, if names are relative; return what it says on stdout."""
    command = [str(java()), "-cp", classpath(folder), *Configuration(heap=heap).flags(), _TOOL, *words]
    home, configuration = place.home.absolute(), place.configuration.absolute()
    environment = os.environ | {"NEO4J_HOME": str(home), "NEO4J_CONF": str(configuration)}
    try:
        done = subprocess.run(  # noqa: S603  our own words
            command,
            cwd=inside,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_HOUR,
            check=False,
            close_fds=False,  # the lock goes along: nobody starts a server beside it, should this process be killed
        )
    except subprocess.TimeoutExpired as error:
        raise AdminFailed(f"Neo4j's `{' '.join(words[:3])}` did not end within an hour") from error
    if done.returncode:
        said = [line.strip() for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
        telling = [line for line in said if not line.startswith(_ASIDE)] or said or ["it said nothing"]
        raise AdminFailed(f"Neo4j's `{' '.join(words[:3])}` failed: {telling[0][:300]}", done.stderr)
    return done.stdout
