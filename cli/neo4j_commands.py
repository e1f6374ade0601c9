"""Commands about the Neo4j server under the data directory: fetch, start, stop, status, check, dump, load, import."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from cli.console import Config, Data, Json, err, out, say_json
from cli.session import Session
from corpus.errors import BadInput
from corpus.local_neo4j.place import USER, Place, endpoint

if TYPE_CHECKING:
    from corpus.local_neo4j.process import Started
    from corpus.neo4j_connection import Connection

neo4j_app = typer.Typer(no_args_is_help=True, help="The Neo4j server under the data directory.")
File = Annotated[Path, typer.Argument(metavar="FILE", help="The dump.")]


def start_server(session: Session) -> Started:
    """Start the server with the session's settings, and say on stderr what goes on."""
    from corpus.local_neo4j.configuration import Configuration
    from corpus.local_neo4j.process import start

    chosen = session.settings.neo4j
    begun = time.monotonic()
    started = start(
        session.data,
        Configuration(chosen.heap, chosen.page_cache, chosen.bolt_port, chosen.http_port),
        lambda text: err.print(text, markup=False),
    )
    running = started.running
    text = "runs already" if started.already else f"is up after {time.monotonic() - begun:.1f} s"
    err.print(f"Neo4j {text}: bolt://127.0.0.1:{running.bolt_port} (process {running.holder.pid})", markup=False)
    return started


@neo4j_app.command("fetch")
def fetch_command(json: Json = False) -> None:
    """Fetch and check what a start needs (124 MB), so that the first one works without a network."""
    from corpus.local_neo4j.jars import VERSION, jars, java

    java()
    folder = jars(lambda text: err.print(text, markup=False))
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
    stopped = stop(session.data, lambda text: err.print(text, markup=False))
    err.print("Stopped." if stopped else "It was not running.")
    if json:
        say_json(_facts(session.data))


@neo4j_app.command("status")
def status_command(data: Data = None, config: Config = None, json: Json = False) -> None:
    """Say whether it runs, where it answers, and where its log and its password are."""
    facts = _facts(Session.of(data, "neo4j", config).data)
    if json:
        say_json(facts)
        return
    state = f"runs at {facts.url} (process {facts.pid})" if facts.running else "does not run"
    lines = [
        f"Neo4j {facts.version} {state}" if facts.version else "There is no local Neo4j yet: `paperatlas neo4j start`"
    ]
    lines += [f"  user: {facts.user}", f"  password: in {facts.password_file}", f"  log: {facts.log}"]
    for line in [*lines, f"  on disk: {facts.bytes / 1e6:,.0f} MB"]:
        out.print(line, markup=False, highlight=False, soft_wrap=True)


@neo4j_app.command("check")
def check_command(data: Data = None, config: Config = None, json: Json = False) -> None:
    """Check the database for consistency. A server that runs is stopped for it, and started again."""
    from corpus.local_neo4j.admin import check

    session = Session.of(data, "neo4j", config)
    begun = time.monotonic()
    _stopped(session, lambda: check(session.data))
    err.print(f"The database is consistent ({time.monotonic() - begun:.1f} s).")
    if json:
        say_json({"schema": "neo4j-check/1", "consistent": True})


@neo4j_app.command("dump")
def dump_command(file: File, data: Data = None, config: Config = None, json: Json = False) -> None:
    """Write the database into one file. A server that runs is stopped for it, and started again."""
    from corpus.local_neo4j.admin import dump

    session = Session.of(data, "neo4j", config)
    if not file.absolute().parent.is_dir():
        raise BadInput(f"there is no folder {file.absolute().parent}")
    _stopped(session, lambda: dump(session.data, file.absolute()))
    err.print(f"{file.stat().st_size / 1e6:,.1f} MB written to {file}", markup=False)
    if json:
        say_json({"schema": "neo4j-dump/1", "file": str(file), "bytes": file.stat().st_size})


@neo4j_app.command("load")
def load_command(file: File, data: Data = None, config: Config = None, json: Json = False) -> None:
    """Replace the database by a dump. A server that runs is stopped for it, and started again."""
    from corpus.local_neo4j.admin import load

    session = Session.of(data, "neo4j", config)
    if not file.is_file():
        raise BadInput(f"{file} is not there")
    _stopped(session, lambda: load(session.data, file))
    err.print(f"The database is what {file} holds.", markup=False)
    if json:
        say_json({"schema": "neo4j-load/1", "file": str(file)})


@neo4j_app.command("import")
def import_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `store export-import-files` wrote.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a corpus that is there.")] = False,
    data: Data = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Load a whole corpus at once, three times as fast as in batches, into a database that is empty."""
    from corpus.local_neo4j.admin import AdminFailed, import_files
    from corpus.neo4j_bulk import DELIMITER, finish_import, holds_papers, import_arguments

    session = Session.of(data, "neo4j", config)
    files = import_arguments(folder)
    start_server(session)
    if not overwrite:  # else it need not even answer: an import that failed leaves a database that does not
        with _connected(session) as connection:
            if holds_papers(connection):
                raise BadInput("the local Neo4j holds a corpus already; --overwrite replaces it")
    begun = time.monotonic()
    try:
        _stopped(session, lambda: import_files(session.data, *files, delimiter=DELIMITER))
    except AdminFailed as error:
        raise AdminFailed(
            f"{error}; its database cannot be used until an import has succeeded: write the files anew with"
            " `paperatlas store export-import-files`, and import them with --overwrite"
        ) from error
    with _connected(session) as connection:
        counts = finish_import(connection, folder)
    err.print(f"{counts.papers:,} papers and {counts.citations:,} citations in {time.monotonic() - begun:.1f} s")
    if json:
        say_json(counts)


@contextmanager
def _connected(session: Session) -> Iterator[Connection]:
    from corpus.neo4j_connection import Connection

    place = endpoint(session.data)
    connection = Connection(place.url, place.access)
    try:
        yield connection
    finally:
        connection.close()


def _stopped(session: Session, work: Callable[[], object]) -> None:
    """Do work on the files of a server that is stopped, and start it again if it ran."""
    from corpus.local_neo4j.process import stop

    place = Place.under(session.data)
    if not place.version_file.is_file():
        raise BadInput(f"there is no local Neo4j under {session.data} yet; `paperatlas neo4j start` makes one")
    ran = stop(session.data, lambda text: err.print(text, markup=False))
    if ran:
        err.print("Neo4j was stopped for this, and is started again after it.")
    try:
        work()
    finally:
        if ran:
            start_server(session)


class Facts(msgspec.Struct, frozen=True):
    """The local server, and where its things are."""

    schema: str
    running: bool
    url: str | None
    pid: int | None
    version: str | None
    """None before the first start."""
    user: str
    password_file: str
    log: str
    bytes: int
    """On disk."""


def _facts(data: Path) -> Facts:
    place = Place.under(data)
    running = place.running()
    files = [file for file in place.home.rglob("*") if file.is_file()] if place.home.is_dir() else []
    return Facts(
        "neo4j/1",
        running is not None,
        endpoint(data).url if running else None,
        running.holder.pid if running else None,
        place.version_file.read_text("utf-8").strip() if place.version_file.is_file() else None,
        USER,
        str(place.password_file),
        str(place.log),
        sum(file.stat().st_size for file in files),
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(neo4j_app, name="neo4j")
