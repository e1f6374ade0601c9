"""Who may work on the files of a local server: one process at a time, and none beside a server."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from corpus.errors import StoreBusy
from corpus.local_neo4j.jars import ServerUnavailable
from corpus.local_neo4j.place import Place

_HELD: Final = ("store_lock", "neo4j/database_lock", "system/database_lock")
"""Files under `data/databases` that Neo4j, server and administration program alike, locks while it works there."""
_FLOCK: Final = "hhqqi4x"
"""Linux's `struct flock`: kind, whence, start, length, process."""
_LETS_GO: Final = 5.0
"""Seconds in which a process that was killed has let go of its files: it counts as ended before its last thread is."""


@contextmanager
def alone(place: Place) -> Iterator[None]:
    """Keep other commands away from the files. Raises `StoreBusy` where one is at work.

    Programs that are started inside and get the open file (`close_fds=False`) hold the lock too, should this process be killed.
    """
    with place.lock_file.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreBusy(
                f"another process is starting or stopping the Neo4j under {place.home}, or works on its files; wait for it"
            ) from error
        os.set_inheritable(handle.fileno(), True)
        yield


def check_unused(place: Place) -> None:
    """Raise `ServerUnavailable` where a Neo4j works on the files of which there is no note."""
    folder = place.home / "data" / "databases"
    latest = time.monotonic() + _LETS_GO
    for name in _HELD:
        if (folder / name).is_file():
            with (folder / name).open("rb+") as handle:
                while not _is_free(handle):
                    if time.monotonic() > latest:
                        raise ServerUnavailable(_in_use(folder, _holder(handle)))
                    time.sleep(0.05)


def _is_free(handle: IO[bytes]) -> bool:
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kind of lock that Java takes
    except OSError:
        return False
    return True


def _in_use(folder: Path, pid: int | None) -> str:
    which = f" (process {pid})" if pid else ""
    end = f"`kill {pid}`" if pid else "`pgrep -f home-dir` finds it"
    return (
        f"a Neo4j that is not known here any more{which} works on the files in {folder}: end it ({end}) and try again"
    )


def _holder(handle: IO[bytes]) -> int | None:
    """The process that has a file locked; None where it cannot be told."""
    if sys.platform != "linux":
        return None
    asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    pid: int = struct.unpack(_FLOCK, fcntl.fcntl(handle, fcntl.F_GETLK, asked))[4]
    return pid if pid > 0 else None
