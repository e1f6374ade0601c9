"""Work on the files of a local server, which must be stopped for it: looking at the database, and replacing it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from corpus.errors import AtlasError, BadInput
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.former import NotPutBack, holds_database, kept, settle
from corpus.local_neo4j.jars import ServerUnavailable
from corpus.local_neo4j.lock import alone
from corpus.local_neo4j.place import Place
from corpus.local_neo4j.process import ROOM, end, launch, ready

Found = TypeVar("Found")
_Say = Callable[[str], None]


def while_stopped(data: Path, configuration: Configuration, work: Callable[[], object], say: _Say) -> None:
    """Do work on the files of a server that is stopped, and start it again if it ran. Raises `BadInput` where there is none."""
    place = Place.under(data)
    if not place.version_file.is_file():
        raise BadInput(f"there is no local Neo4j under {data} yet; `paperatlas neo4j start` makes one")
    place.make()
    with alone(place):
        ran = _ended(place, say)
        settle(place, say)
        try:
            work()
        except BaseException:
            if ran:
                _again(place, configuration, say)
            raise
        if ran:
            launch(place, configuration, say)


def replaced(
    data: Path,
    configuration: Configuration,
    fill: Callable[[], object],
    look: Callable[[], Found],
    say: _Say,
    room: int = 0,
) -> Found:
    """Fill a new database, start the server with it and look at it; return what was seen. `room`: bytes that it takes.

    The one that was there is kept until then: whatever fails, it is put back, and a server that ran runs again. Where there is no
    local server yet, this makes one.
    """
    place = Place.under(data)
    place.make()
    with alone(place):
        ran = _ended(place, say)
        settle(place, say)
        had = holds_database(place)
        try:
            ready(place, configuration, say)
            _check_room(place, room)
            with kept(place) as whole:
                fill()
                whole()
                found = _seen(place, configuration, look, say)
        except NotPutBack:
            raise
        except BaseException as error:
            if had:
                _reassure(error, say)
            if ran:
                _again(place, configuration, say)
            raise
        settle(place, say)
        return found


def _reassure(error: BaseException, say: _Say) -> None:
    text = "the corpus that was there is as it was"
    if isinstance(error, AtlasError):
        error.args = (f"{error}; {text}",)
    else:
        say(f"Broken off; {text}")


def _ended(place: Place, say: _Say) -> bool:
    ran = end(place, say)
    if ran:
        say("Neo4j was stopped for this, and is started again after it")
    return ran


def _seen(place: Place, configuration: Configuration, look: Callable[[], Found], say: _Say) -> Found:
    launch(place, configuration, say)
    try:
        return look()
    except BaseException:
        end(place, say)
        raise


def _again(place: Place, configuration: Configuration, say: _Say) -> None:
    """Start it after a failure, which is what has to be told: that it does not start is only added."""
    try:
        launch(place, configuration, say)
    except AtlasError as error:
        say(str(error))


def _check_room(place: Place, room: int) -> None:
    free = shutil.disk_usage(place.home).free
    if free < room + ROOM:
        raise ServerUnavailable(
            f"only {free / 1e6:,.0f} MB are free at {place.home}; the new database takes {room / 1e6:,.0f} MB beside the old one,"
            " and Neo4j needs 1 GB: make room"
        )
