"""The database that was there, kept until a new one has taken its place: replacing it never loses it.

While the new one is made, the two folders of the old one are in `data/former`, on the same disk: whatever ends that, they go back,
at the next start if need be. When the new one is whole, the folder is called `data/replaced`: a process that is killed from then
on leaves the new database, since somebody may have written to it; one that finds it bad still moves the old one back.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from corpus.local_neo4j.jars import ServerUnavailable
from corpus.local_neo4j.place import Place

_PARTS: Final = ("databases", "transactions")


class NotPutBack(ServerUnavailable):
    """The database that was there is safe, but not in its place; says what to do."""


@contextmanager
def kept(place: Place) -> Iterator[Callable[[], None]]:
    """Keep the database while a new one takes its place; however that fails, put it back. The server must be stopped then.

    What is given is to be called when the new one is whole; `settle` removes the old one afterwards. Raises `ServerUnavailable` where
    the database cannot be moved.
    """
    former, replaced = _former(place), _replaced(place)

    def whole() -> None:
        former.rename(replaced)

    with _telling(place):
        former.mkdir(parents=True)
    try:
        with _telling(place):
            _set_aside(place)
        yield whole
    except BaseException:
        if replaced.is_dir():
            replaced.rename(former)
        put_back(place)
        raise


def settle(place: Place, say: Callable[[str], None]) -> None:
    """Remove a database that was replaced, and make good what a process left that was killed while it replaced one."""
    if _replaced(place).is_dir():
        shutil.rmtree(_replaced(place))
    if _former(place).is_dir() and place.running() is None:
        say("The database was being replaced when that was cut off; putting back the one that was there before")
        put_back(place)


def put_back(place: Place) -> None:
    """Move the database back to where it was, and remove what is there; done again, it goes on where it was cut off.

    Raises `NotPutBack`.
    """
    if place.running() is not None:
        raise NotPutBack(
            f"the database that was there is in {_former(place)}, and a server still works in its place: `paperatlas neo4j stop`,"
            " then `paperatlas neo4j start` puts it back"
        )
    try:
        for name in _PARTS:
            aside = _former(place) / name
            if aside.is_dir():
                _return(aside, _there(place, name))
        _former(place).rmdir()
    except OSError as error:
        raise NotPutBack(
            f"the database that was there is in {_former(place)} and cannot be moved back ({error.strerror}: {error.filename});"
            " see to that, and `paperatlas neo4j start` puts it back"
        ) from error


def holds_database(place: Place) -> bool:
    """Whether there is a database that something could be in."""
    folders = (_there(place, "databases"), _former(place) / "databases")
    return any(folder.is_dir() and any(folder.iterdir()) for folder in folders)


def _set_aside(place: Place) -> None:
    """A part that is not there is an empty folder among the former ones, so that what comes in its place is removed again."""
    for name in _PARTS:
        there = _there(place, name)
        if there.is_dir():
            there.rename(_former(place) / name)
        else:
            (_former(place) / name).mkdir()


@contextmanager
def _telling(place: Place) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ServerUnavailable(
            f"the database cannot be moved aside ({error.strerror}: {error.filename}); all of {place.home / 'data'} must be"
            " on one disk, and yours to write"
        ) from error


def _return(aside: Path, there: Path) -> None:
    if there.is_dir():
        shutil.rmtree(there)
    if any(aside.iterdir()):
        aside.rename(there)
    else:
        aside.rmdir()


def _there(place: Place, name: str) -> Path:
    return place.home / "data" / name / "neo4j"


def _former(place: Place) -> Path:
    return place.home / "data" / "former"


def _replaced(place: Place) -> Path:
    return place.home / "data" / "replaced"
