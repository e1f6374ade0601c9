"""Starting and stopping the local server."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from corpus.holders import Holder
from corpus.local_neo4j.admin import set_first_password
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.former import settle
from corpus.local_neo4j.jars import VERSION, ServerUnavailable, classpath, jars, java
from corpus.local_neo4j.lock import alone, check_unused
from corpus.local_neo4j.place import Place, Running

_ENTRY: Final = "org.neo4j.server.CommunityEntryPoint"
_READY: Final = "Started."
_START_SECONDS: Final = 120
"""A start takes 4 to 6 s, and a few more after a crash; a slow disk may need its time."""
_STOP_SECONDS: Final = 30
"""Seen: up to 10 s."""
_LETS_GO: Final = 3.0
_FIRST_ANSWER: Final = 10.0
_HANDSHAKE: Final = bytes.fromhex("6060b017 00040405 00000000 00000000 00000000")
"""Bolt's greeting, and the versions that are spoken: 5.4 down to 5.0 (Bolt protocol handshake specification)."""
ROOM: Final = 1_000_000_000
"""Bytes of free disk below which a server is not started: it would stop in the middle of a write."""

_MEMORY: Final = "this machine has not as much memory as it was to take: lower neo4j.heap or neo4j.page_cache"
_CAUSES: Final = {
    "insufficient memory": _MEMORY,
    "Could not reserve enough space": _MEMORY,
    "Initial heap size set to a larger value": "neo4j.heap is less than Java begins with: raise it",
    "Invalid memory configuration": _MEMORY,
    "Lock file has been locked by another process": (
        "another Neo4j works on these files, which is not known here any more: end its process (`pgrep -f home-dir`) first"
    ),
}
"""By what the server or Java says, what it means."""


@dataclass(frozen=True, slots=True)
class Started:
    """What came of a start."""

    running: Running
    already: bool
    """It was running before."""


def start(data: Path, configuration: Configuration, say: Callable[[str], None] = lambda _: None) -> Started:
    """Start the server of a data directory and wait until it answers; fine where it runs already.

    What a load left that was killed is made good first. Raises `ServerUnavailable` that says what is wrong and what to do.
    """
    place = Place.under(data)
    place.make()
    with alone(place):
        running = place.running()
        if running is None:
            check_unused(place)
        settle(place, say)
        if running is not None:
            _await(place, running, say)
            return Started(running, already=True)
        return Started(launch(place, configuration, say), already=False)


def launch(place: Place, configuration: Configuration, say: Callable[[str], None]) -> Running:
    """Start a server that does not run and wait until it answers; for who is alone with its files."""
    begun = time.monotonic()
    if place.running_file.exists():
        place.keep_log()
        say(f"The server had ended without a word (its log is {place.earlier_log}); starting it anew")
        place.running_file.unlink()
    chosen = ready(place, configuration, say)
    if not place.password_file.exists():
        _first_password(place, jars(say))
    place.note(VERSION, place.version_file)
    place.note(str(chosen.bolt_port), place.port_file)
    say("Starting Neo4j")
    running = _launched(place, chosen, jars(say))
    seconds = time.monotonic() - begun
    say(f"Neo4j is up after {seconds:.1f} s: bolt://127.0.0.1:{running.bolt_port} (process {running.holder.pid})")
    return running


def ready(place: Place, configuration: Configuration, say: Callable[[str], None]) -> Configuration:
    """See that there is what a start needs, and write neo4j.conf; return it with the ports that are had.

    Raises `ServerUnavailable` where something is missing.
    """
    _check_room(place)
    _check_version(place)
    if place.has_users and not place.password_file.exists():
        raise ServerUnavailable(place.gone())
    jars(say)
    chosen = replace(configuration, bolt_port=bolt_port(place, configuration.bolt_port))
    if chosen.http_port:
        _port(chosen.http_port, "neo4j.http_port")
    place.note(chosen.text(), place.configuration / "neo4j.conf")
    return chosen


def stop(data: Path, say: Callable[[str], None] = lambda _: None) -> bool:
    """Stop the server and wait until it has ended; return whether one was running.

    Raises `ServerUnavailable` where one runs that is not known here.
    """
    place = Place.under(data)
    if not place.home.is_dir():
        return False
    place.make()
    with alone(place):
        return end(place, say)


def end(place: Place, say: Callable[[str], None]) -> bool:
    """Stop a server that runs; for who is alone with its files. Return whether one was running."""
    running = place.running()
    if running is None:
        place.running_file.unlink(missing_ok=True)
        check_unused(place)
        return False
    pid = running.holder.pid
    os.kill(pid, signal.SIGTERM)
    if not _ended(running.holder, _STOP_SECONDS):
        say(f"Neo4j did not end within {_STOP_SECONDS} s; ending it by force: what was committed is kept")
        os.kill(pid, signal.SIGKILL)
        _ended(running.holder, _STOP_SECONDS)
    place.running_file.unlink(missing_ok=True)
    return True


def new_password() -> str:
    """Make a password at random; one that begins with `-` would be taken for an option, so it begins with a letter."""
    return f"n{secrets.token_urlsafe(24)}"


def bolt_port(place: Place, wanted: int) -> int:
    """The port to listen on: for 0 the one used last, if it is free, else any. Raises `ServerUnavailable` for one that is taken."""
    setting = "neo4j.bolt_port"
    if wanted == 0:
        with suppress(OSError, ValueError, OverflowError, ServerUnavailable):  # none yet, or none that can be had
            return _port(int(place.port_file.read_text("ascii")), setting)
    return _port(wanted, setting)


def _first_password(place: Place, folder: Path) -> None:
    password = new_password()
    set_first_password(place, folder, password)
    place.note(password, place.password_file)


def _launched(place: Place, configuration: Configuration, folder: Path) -> Running:
    crash = f"-XX:ErrorFile={place.log.parent}/jvm-crash.log"
    command = [str(java()), crash, "-cp", classpath(folder), *configuration.flags(), _ENTRY]
    command += [f"--home-dir={place.home}", f"--config-dir={place.configuration}", "--console-mode"]
    place.keep_log()
    with place.log.open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  our own words
            command, cwd=place.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    holder = Holder.of(process.pid)
    running = Running(holder, configuration.bolt_port, configuration.http_port or None)
    noted = {"holder": asdict(holder), "bolt_port": running.bolt_port, "http_port": running.http_port}
    place.note(json.dumps(noted), place.running_file)
    try:
        if _answers_in_time(place, running, lambda: process.poll() is not None):
            process.returncode = 0  # it outlives us: nobody waits for it, and Python need not warn of that
            return running
    except BaseException:
        _give_up(place, process)
        raise
    _give_up(place, process)
    raise ServerUnavailable(f"Neo4j did not start: {last_words(place)}; its log is {place.log}")


def _give_up(place: Place, process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    place.running_file.unlink(missing_ok=True)


def _await(place: Place, running: Running, say: Callable[[str], None]) -> None:
    """Wait for a server that runs already: who started it may have been stopped before it was ready."""
    if _answers(place, running):
        return
    pid = running.holder.pid
    say(f"Neo4j was started before (process {pid}) and does not answer yet; waiting for it")
    if _answers_in_time(place, running, running.holder.has_ended):
        return
    if running.holder.has_ended():
        place.running_file.unlink(missing_ok=True)
        raise ServerUnavailable(f"Neo4j did not start: {last_words(place)}; its log is {place.log}")
    raise ServerUnavailable(
        f"Neo4j (process {pid}) has not answered for {_START_SECONDS} s: {last_words(place)}; its log is {place.log};"
        " end it with `paperatlas neo4j stop`"
    )


def _answers_in_time(place: Place, running: Running, ended: Callable[[], bool]) -> bool:
    """Wait until it answers; False where it ended or took too long."""
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and not ended():
        if _answers(place, running):
            return True
        time.sleep(0.05)
    return False


def _answers(place: Place, running: Running) -> bool:
    """Whether it says that it has started, and agrees on a version of Bolt.

    Its first answer takes longest: who comes next need not wait for it.
    """
    if _READY not in _said(place):
        return False
    try:
        with socket.create_connection(("127.0.0.1", running.bolt_port), timeout=_FIRST_ANSWER) as connection:
            connection.sendall(_HANDSHAKE)
            return len(connection.recv(4, socket.MSG_WAITALL)) == 4
    except OSError:
        return False


def _said(place: Place) -> str:
    return place.log.read_text("utf-8", "replace") if place.log.is_file() else ""


def last_words(place: Place) -> str:
    """Why the server ended, out of its log: the remedy where that is known, else its last word of an error."""
    said = _said(place)
    for sign, cause in _CAUSES.items():
        if sign in said:
            return cause
    lines = [line for line in map(str.strip, said.splitlines()) if not line.startswith("at ")]  # places in its own code
    telling = [line for line in lines if "ERROR" in line or "Caused by" in line or "Exception" in line] or lines
    return " ".join((telling or ["it said nothing"])[-1].split())[:300]


def _ended(holder: Holder, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holder.has_ended():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _check_room(place: Place) -> None:
    free = shutil.disk_usage(place.home).free
    if free < ROOM:
        raise ServerUnavailable(
            f"only {free / 1e6:,.0f} MB are free at {place.home}; Neo4j needs 1 GB: make room and start it again"
        )


def _check_version(place: Place) -> None:
    if place.version_file.is_file():
        version = place.version_file.read_text("utf-8").strip()
        if version.split(".")[:2] != VERSION.split(".")[:2]:
            raise ServerUnavailable(
                f"{place.home} is of Neo4j {version}, this version of Paper Atlas starts {VERSION}; "
                "use the version that made it to export the papers, move the folder away, and ingest them again"
            )


def _port(port: int, setting: str) -> int:
    """The port, if it can be listened on; a free one for 0. A server that was killed lets go of its own a moment later."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        end = time.monotonic() + _LETS_GO
        while True:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError as error:
                if time.monotonic() < end:
                    time.sleep(0.1)
                    continue
                raise ServerUnavailable(
                    f"port {port} of 127.0.0.1 is taken ({error.strerror}): another Neo4j may be running; choose another"
                    f" port with {setting}, or 0 for a free one, or use that server with --store bolt://127.0.0.1:{port}"
                ) from error
            return int(tried.getsockname()[1])
