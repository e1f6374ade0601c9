"""From a file of papers to a served map: seconds and peak memory of each stage.

    python bench/road.py [FILE...]      default: openalex-small.jsonl.gz of the shared records

Each stage runs as a process of its own, as the commands do, in an empty data directory. Prints a table;
compare only figures of one run on one machine.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("PAPERATLAS_SHARED", ROOT.parent / "shared"))


def measured(*arguments: str) -> tuple[float, float]:
    """Run one `paperatlas` command; return wall seconds and the peak resident megabytes of it and its children."""
    begun = time.monotonic()
    pid = os.posix_spawn(sys.executable, [sys.executable, "-m", "cli.entry", *arguments], dict(os.environ))
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        sys.exit(f"paperatlas {' '.join(arguments)} failed")
    return time.monotonic() - begun, usage.ru_maxrss / 1024


def first_answer(data: str) -> float:
    """Start the server and return the seconds until the whole map's tile is answered."""
    begun = time.monotonic()
    reading, writing = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, writing, 1)]
    command = [sys.executable, "-m", "cli.entry", "serve", "--port", "0", "--json", "--data", data]
    pid = os.posix_spawn(sys.executable, command, dict(os.environ), file_actions=actions)
    os.close(writing)
    try:
        with os.fdopen(reading) as output:
            address = json.loads(output.readline())["address"]
            tiles = json.load(urllib.request.urlopen(f"{address}/tiles.json", timeout=10))  # noqa: S310  loopback
            tile = tiles["tiles"][0].replace("{z}", "0").replace("{x}", "0").replace("{y}", "0")
            urllib.request.urlopen(tile, timeout=10).read()  # noqa: S310  loopback
            return time.monotonic() - begun
    finally:
        os.kill(pid, 15)
        os.waitpid(pid, 0)


def main() -> None:
    """Print the table."""
    files = sys.argv[1:] or [str(SHARED / "data" / "openalex" / "openalex-small.jsonl.gz")]
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as data:
        rows = [("ingest", *measured("ingest", *files, "--data", data))]
        rows.append(("ingest again", *measured("ingest", *files, "--data", data)))
        rows.append(("layout", *measured("layout", "--data", data)))
        rows.append(("serve, first tile", first_answer(data), float("nan")))
        measured("status", "--data", data)
    print(f"{'stage':<20}{'seconds':>9}{'peak MB':>9}")
    for name, seconds, megabytes in rows:
        print(f"{name:<20}{seconds:>9.1f}{megabytes:>9.0f}" if megabytes == megabytes else f"{name:<20}{seconds:>9.1f}")
    print(f"{'to the served map':<20}{rows[0][1] + rows[2][1] + rows[3][1]:>9.1f}")


if __name__ == "__main__":
    main()
