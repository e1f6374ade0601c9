"""Commands about the files of the local Neo4j, which work while the server is stopped: check, dump, load, import."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from cli.console import Config, Data, Json, err, say_json
from cli.neo4j_commands import configuration, say, start_server
from cli.session import Session
from corpus.errors import BadInput, NoCorpus, StoreError, StoreUnavailable
from corpus.local_neo4j.former import holds_database
from corpus.local_neo4j.place import Place, endpoint
from corpus.sentences import many
from corpus.stores import LOCAL, open_store

if TYPE_CHECKING:
    from corpus.neo4j_bulk import Counts
    from corpus.neo4j_connection import Connection

File = Annotated[Path, typer.Argument(metavar="FILE", help="The dump.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]


class Loaded(msgspec.Struct, frozen=True):
    """What a dump held."""

    schema: str
    file: str
    papers: int
    build: str | None
    """The map whose verdicts and regions the graph has; None where it has none."""


def check_command(data: Data = None, config: Config = None, json: Json = False) -> None:
    """Check the database for consistency. A server that runs is stopped for it, and started again."""
    from corpus.local_neo4j.admin import check

    session = Session.of(data, LOCAL, config)
    begun = time.monotonic()
    _while_stopped(session, lambda: check(session.data))
    err.print(f"The database is consistent ({time.monotonic() - begun:.1f} s).")
    if json:
        say_json({"schema": "neo4j-check/1", "consistent": True})


def dump_command(
    file: File,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
    data: Data = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Write the database into one file. A server that runs is stopped for it, and started again."""
    from corpus.local_neo4j.admin import dump

    session = Session.of(data, LOCAL, config)
    _refuse_folder(file)
    if not file.absolute().parent.is_dir():
        raise BadInput(f"there is no folder {file.absolute().parent}; make it, or name another")
    if file.exists() and not overwrite:
        raise BadInput(f"{file} is there already; --overwrite replaces it")
    _while_stopped(session, lambda: dump(session.data, file.absolute()))
    err.print(f"{file.stat().st_size / 1e6:,.1f} MB written to {file}", markup=False)
    if json:
        say_json({"schema": "neo4j-dump/1", "file": str(file), "bytes": file.stat().st_size})


def load_command(
    file: File, overwrite: Overwrite = False, data: Data = None, config: Config = None, json: Json = False
) -> None:
    """Make the database what a dump holds, and start the server; where there is none yet, it is made."""
    from corpus.local_neo4j.admin import load, unpacked
    from corpus.local_neo4j.files import replaced
    from corpus.local_neo4j.jars import jars

    session = Session.of(data, LOCAL, config)
    _refuse_folder(file)
    if not file.is_file():
        raise BadInput(f"{file} is not there; name a file that `paperatlas neo4j dump` wrote")
    jars(say)
    room = unpacked(file)
    if not overwrite:
        _refuse_corpus(session)
    begun = time.monotonic()
    fill, look = partial(load, session.data, file), partial(_look, session, file)
    with session.way.completing():
        loaded = replaced(session.data, configuration(session), fill, look, say, room)
    err.print(f"{many(loaded.papers, 'paper')} loaded in {time.monotonic() - begun:.1f} s", markup=False)
    _tell_of_map(session, loaded)
    if json:
        say_json(loaded)


def import_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `store export-import-files` wrote.")],
    overwrite: Overwrite = False,
    data: Data = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Load a whole corpus at once, three times as fast as in batches, and start the server; where there is none yet, it is made."""
    from corpus.local_neo4j.admin import import_files
    from corpus.local_neo4j.files import replaced
    from corpus.neo4j_bulk import DELIMITER, finish_import, import_arguments

    session = Session.of(data, LOCAL, config)
    files = import_arguments(folder)
    if not overwrite:
        _refuse_corpus(session)
    begun = time.monotonic()

    def look() -> Counts:
        with _connected(session) as connection:
            return finish_import(connection, folder)

    fill = partial(import_files, session.data, *files, delimiter=DELIMITER)
    counts = replaced(session.data, configuration(session), fill, look, say)
    err.print(
        f"{many(counts.papers, 'paper')} and {many(counts.citations, 'citation')} in {time.monotonic() - begun:.1f} s"
    )
    if json:
        say_json(counts)


def _refuse_folder(file: Path) -> None:
    if file.is_dir():
        raise BadInput(f"{file} is a folder; name a file, such as {file / 'neo4j.dump'}")


def _refuse_corpus(session: Session) -> None:
    """Raise where there is anything that would be replaced; only a server that runs can tell."""
    from corpus.neo4j_bulk import holds_anything

    if not holds_database(Place.under(session.data)):
        return
    start_server(session)
    with session.way.completing(), _connected(session) as connection:
        if held := holds_anything(connection):
            raise BadInput(f"the local Neo4j holds {held} already; --overwrite replaces it")


def _look(session: Session, file: Path) -> Loaded:
    """See whether what was loaded is a corpus. Raises `BadInput` where it cannot be used as one."""
    try:
        store = open_store(LOCAL, session.data, create=False, readonly=True)
    except StoreUnavailable:
        raise
    except NoCorpus as error:
        raise BadInput(f"{file} holds an empty database, no corpus; name another dump") from error
    except StoreError as error:
        raise BadInput(f"{file} holds nothing that can be used: {error}") from error
    try:
        return Loaded("neo4j-load/1", str(file), store.size().papers, store.published())
    finally:
        store.close()


def _tell_of_map(session: Session, loaded: Loaded) -> None:
    """Say that the graph's verdicts are those of another map than the data directory's, where that is so."""
    atlas = session.builds.current()
    if (atlas.manifest.hash if atlas else None) == loaded.build:
        return
    of_graph = f"of the map {loaded.build[:12]}" if loaded.build else "of no map"
    here = f"its map is {atlas.manifest.hash[:12]}" if atlas else "there is no map"
    err.print(
        f"A dump holds no map: verdicts and regions in the graph are those {of_graph}, in {session.data} {here};"
        f" {session.way.command('layout')} makes them agree",
        markup=False,
    )


@contextmanager
def _connected(session: Session) -> Iterator[Connection]:
    from corpus.neo4j_connection import Connection

    place = endpoint(session.data)
    connection = Connection(place.url, place.access)
    try:
        yield connection
    finally:
        connection.close()


def _while_stopped(session: Session, work: Callable[[], object]) -> None:
    from corpus.local_neo4j.files import while_stopped

    with session.way.completing():
        while_stopped(session.data, configuration(session), work, say)


def register(app: typer.Typer) -> None:
    """Add the commands of this module to those of `neo4j`."""
    app.command("check")(check_command)
    app.command("dump")(dump_command)
    app.command("load")(load_command)
    app.command("import")(import_command)
