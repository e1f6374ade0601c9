"""Commands about the Neo4j server under the data directory: fetch, start, stop, status."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from cli.console import Config, Data, Json, err, out, say_json
from cli.session import Session
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.place import USER, Place, endpoint

if TYPE_CHECKING:
    from corpus.local_neo4j.process import Started

neo4j_app = typer.Typer(no_args_is_help=True, help="The Neo4j server under the data directory.")


def say(text: str) -> None:
    """Say on stderr what goes on."""
    err.print(text, markup=False)


def configuration(session: Session) -> Configuration:
    """How the settings want the server to run."""
    chosen = session.settings.neo4j
    return Configuration(chosen.heap, chosen.page_cache, chosen.bolt_port, chosen.http_port)


def start_server(session: Session) -> Started:
    """Start the server with the session's settings, and say on stderr what goes on."""
    from corpus.local_neo4j.process import start

    with session.way.completing():
        started = start(session.data, configuration(session), say)
    if started.already:
        running = started.running
        say(f"Neo4j runs already: bolt://127.0.0.1:{running.bolt_port} (process {running.holder.pid})")
    return started


@neo4j_app.command("fetch")
def fetch_command(json: Json = False) -> None:
    """Fetch and check what a start needs (124 MB), so that the first one works without a network."""
    from corpus.local_neo4j.jars import VERSION, jars, java

    java()
    folder = jars(say)
    err.print(f"Neo4j {VERSION} is in {folder}, every file as it should be", markup=False, soft_wrap=True)
    if json:
        say_json({"schema": "neo4j-fetch/1", "version": VERSION, "folder": str(folder)})


@neo4j_app.command("start")
def start_command(data: Data = None, config: Config = None, json: Json = False) -> None:
    """Start it and wait until it answers. The first time, its 124 MB are fetched and checked."""
    session = Session.of(data, "neo4j", config)
    start_server(session)
    if json:
        say_json(_facts(session.data))


@neo4j_app.command("stop")
def stop_command(data: Data = None, config: Config = None, json: Json = False) -> None:
    """Stop it and wait until it has ended."""
    from corpus.local_neo4j.process import stop

    session = Session.of(data, "neo4j", config)
    stopped = stop(session.data, say)
    err.print("Stopped." if stopped else "It was not running.")
    if json:
        say_json(_facts(session.data))


@neo4j_app.command("status")
def status_command(data: Data = None, config: Config = None, json: Json = False) -> None:
    """Say whether it runs, where it answers, and where its log and its password are."""
    session = Session.of(data, "neo4j", config)
    facts = _facts(session.data)
    if json:
        say_json(facts)
        return
    if facts.version is None:
        lines = [f"There is no local Neo4j yet: {session.way.command('neo4j start')}"]
    else:
        state = f"runs at {facts.url} (process {facts.pid})" if facts.running else _not_running(session.data)
        lines = [f"Neo4j {facts.version} {state}", f"  user: {facts.user}", f"  password: in {facts.password_file}"]
        lines += [f"  log: {facts.log}", f"  on disk: {facts.bytes / 1e6:,.0f} MB"]
    for line in lines:
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def _not_running(data: Path) -> str:
    """What `start` notes is taken away by `stop`: where it still lies, nobody stopped the server."""
    crashed = Place.under(data).running_file.exists()
    return "does not run: it ended without being stopped; its log may say why" if crashed else "does not run"


class Facts(msgspec.Struct, frozen=True):
    """The local server, and where its things are."""

    schema: str
    running: bool
    url: str | None
    pid: int | None
    version: str | None
    """None before the first start."""
    user: str
    password_file: str | None
    """None, as the log, where there is no server yet."""
    log: str | None
    bytes: int
    """On disk."""


def _facts(data: Path) -> Facts:
    place = Place.under(data)
    running = place.running()
    version = place.version_file.read_text("utf-8").strip() if place.version_file.is_file() else None
    files = [file for file in place.home.rglob("*") if file.is_file()] if place.home.is_dir() else []
    return Facts(
        "neo4j/1",
        running is not None,
        endpoint(data).url if running else None,
        running.holder.pid if running else None,
        version,
        USER,
        str(place.password_file) if version else None,
        str(place.log) if version else None,
        sum(file.stat().st_size for file in files),
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module, and those about the server's files."""
    from cli import neo4j_files  # it takes the server's from here

    neo4j_files.register(neo4j_app)
    app.add_typer(neo4j_app, name="neo4j")
