"""The layout process: reads the store, runs the stages, publishes the build. `python -m layout.worker`, a job on stdin.

It is a process of its own because a native library can end the whole interpreter (igraph aborts on an infinite weight): then the
parent still lives, says in which stage it happened, and the old map stays. Standard output is one JSON object a line.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from corpus.build import Region, Workshop, read_manifest, sweep
from corpus.errors import StoreError
from corpus.store import Edition, MapRegion
from corpus.stores import open_store
from layout.arrays import read_corpus
from layout.build_files import verdicts, write_build
from layout.messages import Done, Failed, Job, Progress, Word
from layout.stages import Clock, TooManyLost, lay_out_corpus


def run(job: Job) -> Done:
    """Make and publish a build, then mirror its verdicts into the store: the map stands without them."""
    data = Path(job.data)
    sweep(data)
    clock = Clock(lambda name, done: _say(Progress(name, done)))
    store = open_store(job.store, data, create=False, access=job.access)
    workshop = Workshop(data)
    try:
        with clock.stage("reading the corpus"):
            corpus, date = read_corpus(store), store.data_date()
        laid = lay_out_corpus(corpus, job.parameters, clock)
        with clock.stage("writing the map"):
            made_at = datetime.now(UTC).isoformat(timespec="seconds")
            manifest = write_build(workshop.path, corpus, laid, job.parameters, str(date) if date else None, made_at)
        digest = workshop.publish(msgspec.structs.replace(manifest, seconds=clock.seconds))
        unmirrored = None
        try:
            store.publish(_edition(digest, made_at, laid.regions), verdicts(corpus, laid))
        except StoreError as error:
            unmirrored = str(error)
    except BaseException:
        workshop.discard()
        raise
    finally:
        store.close()
    return Done(digest, read_manifest(data / "builds" / digest), unmirrored)


def _edition(digest: str, made_at: str, regions: Sequence[Region]) -> Edition:
    parts = (MapRegion(one.key, one.name, one.level, one.parent, one.papers) for one in regions)
    return Edition(digest, made_at, tuple(parts))


def main() -> int:
    """Read the job, do it, say how it ended."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    try:
        done = run(job)
    except TooManyLost as error:
        _say(Failed(str(error)))
        return 1
    _say(done)
    return 0


def _say(word: Word) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(word) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
