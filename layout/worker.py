"""The layout process: reads the store, runs the stages, publishes the build. `python -m layout.worker`, a job on stdin.

It is a process of its own because a native library can end the whole interpreter (igraph aborts on an infinite weight): then the
parent still lives, says in which stage it happened, and the old map stays. Standard output is one JSON object a line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import msgspec

from corpus.build import Manifest, Region, Workshop, read_manifest, sweep
from corpus.errors import BadInput, BadSetting, StoreError
from corpus.store import Edition, MapRegion, Store, Verdict
from corpus.stores import open_store
from layout.arrays import Corpus, read_corpus
from layout.build_files import verdicts, verdicts_of, write_build
from layout.carried_vectors import file_of, look_at
from layout.checkpoints import LARGE, Checkpoints, key_of
from layout.given_names import read_names
from layout.lineage import is_same_again, lineage, versions
from layout.memory import available, need_room
from layout.messages import Done, Failed, Job, Progress, Word
from layout.parameters import Parameters, Start
from layout.previous import Previous, read_previous
from layout.stages import Clock, Laid, TooManyLost, lay_out_corpus
from layout.vectors import LSA, plug_in
from layout.workers import WorkersLost, crew


def run(job: Job) -> Done:
    """Make and publish a build, then mirror its verdicts into the store: the map stands without them."""
    data = Path(job.data)
    sweep(data)
    clock = Clock(lambda name, done: _say(Progress(name, done)))
    _look_at(job.parameters, clock)
    store = open_store(job.store, data, create=False, access=job.access)
    try:
        room = available() if job.memory is None else job.memory
        need_room(store.size(), job.parameters.landmarks, room)
        with clock.stage("reading the corpus"):
            task = _task(data, store, job.parameters)
        if task.stands is not None:
            return _mirrored(store, task.stands.manifest, task.stands.regions, verdicts_of(task.stands.table))
        manifest, laid = _made(data, task, clock)
        return _mirrored(store, manifest, laid.regions, verdicts(task.corpus, laid))
    finally:
        store.close()


def _look_at(parameters: Parameters, clock: Clock) -> None:
    """Raise `BadSetting` before the long work where a plug-in or a cluster cannot be used."""
    if parameters.vectors != LSA:
        file = file_of(parameters.vectors)
        with clock.stage("looking at layout.vectors"):
            if file is None:
                plug_in(parameters.vectors)
            else:
                look_at(file)
    if parameters.cluster is not None:
        with clock.stage("looking at layout.cluster"), crew(1, parameters.cluster):
            pass


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be laid out, and how."""

    corpus: Corpus
    data_date: str | None
    names: Mapping[str, str]
    previous: Previous | None
    parameters: Parameters
    stands: Previous | None
    """The map that stands, where it is the very one that would be made."""
    made_by: Start | None = None
    """How the map that stands was made, where only its names or its date change."""


def _task(data: Path, store: Store, parameters: Parameters) -> Task:
    corpus, date, names = read_corpus(store), store.data_date(), read_names(data)
    held = str(date) if date else None
    previous = read_previous(data, corpus)
    if previous is None:
        if parameters.start == "add":
            raise NothingToAddTo("there is no map yet that papers could be added to; run `paperatlas layout`")
        return Task(corpus, held, names, None, replace(parameters, start="scratch"), None)
    manifest, wanted = previous.manifest, lineage(corpus, parameters, previous, names)
    if not is_same_again(manifest, parameters, wanted):
        return Task(corpus, held, names, previous, parameters, None)
    same = (manifest.parameters.get("names"), manifest.data_date) == (wanted["names"], held)
    # New names or another date move nobody, and leave what the map was made by.
    start = cast("Start", manifest.parameters["start"])
    return Task(corpus, held, names, previous, replace(parameters, start="add"), previous if same else None, start)


def _made(data: Path, task: Task, clock: Clock) -> tuple[Manifest, Laid]:
    workshop = Workshop(data)
    by = task.parameters if task.made_by is None else replace(task.parameters, start=task.made_by)
    made_from = lineage(task.corpus, by, task.previous, task.names)
    key = key_of(
        made_from
        | {
            "libraries": versions(task.parameters),
            "seed": task.parameters.seed,
            "policy": task.parameters.policy.value,
        },
        task.corpus.n,
    )
    kept = Checkpoints.of(data, key) if task.corpus.n >= LARGE else Checkpoints()
    try:
        laid = lay_out_corpus(task.corpus, task.parameters, clock, task.previous, task.names, kept)
        with clock.stage("writing the map"):
            made_at = datetime.now(UTC).isoformat(timespec="seconds")
            manifest = write_build(
                workshop.path, task.corpus, laid, task.parameters, made_from, task.data_date, made_at
            )
        digest = workshop.publish(msgspec.structs.replace(manifest, seconds=clock.seconds))
        kept.done()
    except BaseException:
        workshop.discard()
        raise
    return read_manifest(data / "builds" / digest), laid


class NothingToAddTo(Exception):
    """Papers were to be added, and there is no map."""


def _mirrored(store: Store, manifest: Manifest, regions: Sequence[Region], held: Iterable[Verdict]) -> Done:
    """Write the verdicts of a build into the store, unless it has them."""
    try:
        if store.published() != manifest.hash:
            store.publish(_edition(manifest.hash, manifest.made_at, regions), held)
    except StoreError as error:
        return Done(manifest.hash, manifest, str(error))
    return Done(manifest.hash, manifest)


def _edition(digest: str, made_at: str, regions: Sequence[Region]) -> Edition:
    parts = (MapRegion(one.key, one.name, one.level, one.parent, one.papers) for one in regions)
    return Edition(digest, made_at, tuple(parts))


def main() -> int:
    """Read the job, do it, say how it ended."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    try:
        done = run(job)
    except (TooManyLost, NothingToAddTo, WorkersLost, BadInput, BadSetting) as error:
        _say(Failed(" ".join(str(error).split())))
        return 1
    _say(done)
    return 0


def _say(word: Word) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(word) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
