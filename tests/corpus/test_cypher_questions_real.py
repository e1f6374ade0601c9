"""The questions of docs/cypher.md over real works: stubs by the thousand, ties, hubs, unknown years and lists."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from neo4j import Driver, GraphDatabase

from corpus.store import Edition, MapRegion, Store, Verdict
from corpus.stores import open_store
from ingest.run import ingest
from layout.arrays import read_corpus
from layout.eligibility import judge
from layout.parameters import Parameters
from tests.corpus.cypher_answers import ANSWERS
from tests.corpus.cypher_doc import questions
from tests.corpus.cypher_world import World
from tests.databases import Database, emptied

pytestmark = pytest.mark.shared_data
QUESTIONS = questions()
WORKS = 1_200
_COARSE, _FINE = 3, 9


@pytest.fixture(scope="module")
def world(neo4j: Database, shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The first works of ten reviews, in the server and beside it, on a map whose regions are drawn by lot."""
    folder = tmp_path_factory.mktemp("cypher-real")
    with gzip.open(shared_data / "openalex" / "openalex-all.jsonl.gz") as file:
        (folder / "works.jsonl").write_bytes(b"".join(islice(file, WORKS)))
    emptied(neo4j)
    embedded = open_store("sqlite", folder)
    graph = open_store(neo4j.url, folder, access=neo4j.access)
    try:
        ingest([folder / "works.jsonl"], embedded, folder)
        papers = [stored.paper for stored in embedded.stream()]
        (run,) = embedded.runs()
        graph.put(papers, run)
        graph.settle(run, embedded.data_date())
        told = _verdicts(embedded)
        edition = Edition("e" * 64, "2026-12-01T11:00:00+00:00", tuple(_regions(told)))
        graph.publish(edition, told)
        return World.of(embedded, edition, told, [name for paper in papers[:3] for name in paper.ids])
    finally:
        embedded.close()
        graph.close()


@pytest.fixture(scope="module")
def driver(neo4j: Database, world: World) -> Iterator[Driver]:
    """A client like any other, of a server that holds the real works."""
    assert world.papers
    auth = None if neo4j.access.password is None else (neo4j.access.user, neo4j.access.password)
    with GraphDatabase.driver(neo4j.url, auth=auth) as opened:
        yield opened


@pytest.mark.parametrize("heading", QUESTIONS)
def test_the_graph_answers_as_plain_python_does(heading: str, world: World, driver: Driver, neo4j: Database) -> None:
    question = QUESTIONS[heading]
    found = 0
    for values in _values(world):
        rows = question.ask(driver, values, neo4j.access.database)
        assert rows == ANSWERS[heading](world, values)[: question.limit], values
        found += len(rows)
    assert found, "these works say nothing about this question"


def _values(world: World) -> Iterator[Mapping[str, Any]]:
    """Two that are cited together, two that a chain leads between, two that cite each other, two that have little in common."""
    cited = sorted(world.papers, key=lambda one: (-len(world.citers(one)), one))
    together = Counter(work for one in world.citers(cited[0]) for work in world.references(one))
    mate = min((one for one in together if one != cited[0]), key=lambda one: (-together[one], one))
    citing = min(world.papers, key=lambda one: (-sum(map(world.papers.__contains__, world.references(one))), one))
    mutual = next((p, q) for p in sorted(world.papers) for q in world.references(p) if q > p in world.references(q))
    pairs = ((cited[0], mate), (citing, _farthest(world, citing)), mutual, (cited[1], cited[-1]))
    years = sorted(paper.year for paper in world.papers.values() if paper.year is not None)
    middle = years[len(years) // 2]
    for (a, b), words in zip(pairs, ("+network*", "+citation +a*", "+science", "+of +the"), strict=True):
        identifier = next(name for name in world.leads if name in world.papers[world.leads[name]].ids[1:])
        yield {"a": a, "b": b, "id": identifier, "words": words, "since": middle, "region": "0-00", "other": "1-04"}


def _farthest(world: World, start: str) -> str:
    """A work that the longest chain of citations leads to, of the shortest there are."""
    level, seen = {start}, {start}
    while further := {work for one in level for work in world.references(one)} - seen:
        level, seen = further, seen | further
    return min(level)


def _verdicts(store: Store) -> list[Verdict]:
    corpus = read_corpus(store)
    tests = judge(corpus, np.zeros(corpus.n, np.int32), Parameters())
    found = []
    for row, ids in enumerate(corpus.ids):
        lot = crc32(ids[0].encode())
        if tests.placeable[row]:
            found.append(Verdict(ids[0], lot / 2**32, 0.5, f"1-0{lot % _FINE}", None))
        else:
            found.append(Verdict(ids[0], None, None, None, tests.reasons[row][0].value))
    return found


def _regions(told: list[Verdict]) -> Iterator[MapRegion]:
    for number in range(_COARSE):
        keys = {f"1-0{fine}" for fine in range(_FINE) if fine % _COARSE == number}
        yield MapRegion(f"0-0{number}", f"Coarse {number}", 0, None, sum(one.region in keys for one in told))
    for fine in range(_FINE):
        papers = sum(one.region == f"1-0{fine}" for one in told)
        yield MapRegion(f"1-0{fine}", f"Fine {fine}", 1, f"0-0{fine % _COARSE}", papers)
