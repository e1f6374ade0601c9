"""The database server dies in the middle of an ingest, again and again: nothing is lost, nothing doubled, no count wrong."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import StoreError
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.place import Place
from corpus.local_neo4j.process import start, stop
from corpus.store import Store
from corpus.stores import open_store
from ingest.export import export_papers
from ingest.run import ingest

KILLS = int(os.environ.get("KILLS", "2"))
"""Each costs about ten seconds; all of the ten points were tried, and can be again."""
PAPERS = 600
BATCH = 20


def write_papers(file: Path) -> None:
    """Papers that cite each other, and some that nobody has; every tenth under two identifiers."""
    rng = random.Random(5)
    with file.open("w", encoding="utf-8") as opened:
        for n in range(PAPERS):
            ids = [f"test:{n:04}"] + ([f"doi:10.1000/{n}"] if n % 10 == 0 else [])
            references = [f"test:{rng.randrange(PAPERS + 100):04}" for _ in range(6)]
            row = {"ids": ids, "title": f"Paper {n} über Graphs", "date": str(1990 + n % 30), "references": references}
            opened.write(json.dumps(row) + "\n")


class Doomed:
    """A store whose server is killed in the middle of a batch, at moments that a seed chooses, and started again."""

    def __init__(self, store: Store, data: Path, configuration: Configuration, kills: dict[int, float]) -> None:
        self.store, self.data, self.configuration, self.kills = store, data, configuration, kills
        self.puts = 0
        self.killers: list[threading.Thread] = []
        self.restarts = 0

    def put(self, *arguments: Any) -> None:
        self.puts += 1
        if self.puts in self.kills:
            killer = threading.Thread(target=self._kill, args=(self.kills.pop(self.puts),))
            killer.start()
            self.killers.append(killer)
        self.store.put(*arguments)

    def _kill(self, delay: float) -> None:
        time.sleep(delay)
        running = Place.under(self.data).running()
        assert running is not None
        os.kill(running.holder.pid, signal.SIGKILL)
        while Place.under(self.data).running() is not None:
            time.sleep(0.01)
        start(self.data, self.configuration)
        self.restarts += 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


def picture(store: Store, file: Path) -> object:
    """Everything that two equal corpora have in common."""
    export_papers(store, file)
    stored = [(one.paper.address, one.citations, one.references_in_corpus) for one in store.stream()]
    ids = [f"test:{n:04}" for n in range(PAPERS + 100)] + [f"doi:10.1000/{n}" for n in range(PAPERS)]
    return file.read_bytes(), stored, store.size(), store.resolve(ids)


@pytest.mark.timeout(600)
def test_a_server_killed_at_many_points_of_an_ingest_leaves_the_corpus_of_a_calm_one(tmp_path: Path) -> None:
    papers = tmp_path / "papers.jsonl"
    write_papers(papers)
    with closing(open_store("sqlite", tmp_path)) as calm:
        ingest([papers], calm, tmp_path, batch=BATCH)
        expected = picture(calm, tmp_path / "calm.jsonl")
    rng = random.Random(11)
    kills = {n: rng.uniform(0, 0.06) for n in sorted(rng.sample(range(2, PAPERS // BATCH), KILLS))}
    data = tmp_path / "killed"
    started = start(data, Configuration(heap="512m", page_cache="64m", bolt_port=0))
    again = Configuration(heap="512m", page_cache="64m", bolt_port=started.running.bolt_port)
    try:
        with closing(open_store("neo4j", data)) as store:
            doomed = Doomed(store, data, again, kills)
            while kills:
                with suppress(StoreError):  # or it waited until the server was back, and went on
                    ingest([papers], doomed, data, batch=BATCH)  # type: ignore[arg-type]
                for killer in doomed.killers:
                    killer.join()
                assert doomed.restarts == len(doomed.killers)
            report = ingest([papers], store, data, batch=BATCH)
            assert report.tally.read == PAPERS == report.tally.duplicates + report.tally.accepted
            assert picture(store, tmp_path / "killed.jsonl") == expected
            assert all(run.tally.balanced for run in store.runs())
    finally:
        stop(data)
