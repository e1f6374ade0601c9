"""Ends the database servers that a test run leaves behind when it is killed: `python -m tests.leftovers FOLDER`.

A process of its own that waits for the end of its standard input: the run holds the other end, and lets go of it however it ends.
Servers outlive the commands that start them, so that each could not simply end with its starter.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from corpus.local_neo4j import Place

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 60
"""Seconds for which a command of a run that was killed may still start one."""
CALM = b"ended"


@contextmanager
def ended_with_this_run(folder: Path) -> Iterator[None]:
    """While inside: should this process die, every server with its data under the folder is ended."""
    command = [sys.executable, "-m", "tests.leftovers", str(folder)]
    away = subprocess.DEVNULL  # who reads what the run says is not kept waiting
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=away, stderr=away, cwd=ROOT, start_new_session=True
    ) as watcher:
        try:
            yield
        finally:
            watcher.communicate(CALM)


def end_servers(folder: Path) -> None:
    """End every server with its data under the folder, by force: nobody needs what it holds."""
    with suppress(OSError):  # a folder may be removed at the same time
        for file in folder.rglob("neo4j/run/server.json"):
            running = Place(file.parents[1]).running()
            if running is not None:
                os.kill(running.holder.pid, signal.SIGKILL)


def main(folder: Path) -> None:
    """Wait for the end of the run; of one that was killed look again, for a while."""
    killed = sys.stdin.buffer.read() != CALM
    end = time.monotonic() + (LONGEST if killed else 0)
    end_servers(folder)
    while time.monotonic() < end:
        time.sleep(1)
        end_servers(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
