"""A map is published while the way to the database is cut after a commit: what was done once is not done twice, nor undone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from corpus.neo4j_connection import Connection
from corpus.store import Edition, MapRegion, Verdict
from corpus.stores import open_store
from tests.contract.making import paper, put
from tests.databases import Database, emptied
from tests.faults import script
from tests.faults.relay import Relay

MADE = "2026-12-01T10:00:00+00:00"
OLD = Edition("b" * 64, MADE, (MapRegion("0-00", "Old", 0, None, 2),))
NEW = Edition("c" * 64, MADE, (MapRegion("0-00", "Whole", 0, None, 2), MapRegion("1-00", "Part", 1, "0-00", 2)))
BEFORE = [Verdict("test:a", 0.5, 0.5, "0-00", None), Verdict("test:b", None, None, None, "no_links")]
AFTER = [
    Verdict("test:a", 0.1, 0.2, "1-00", None),
    Verdict("test:b", 0.3, 0.4, "1-00", None),
    Verdict("test:c", None, None, None, "no_links"),
]
COMMITS = {
    "what an earlier attempt left is removed": "MATCH (r:Next) DETACH DELETE r",
    "the new regions are made": "CREATE (r)-[:PART_OF]->(p)",
    "the papers are put into them": "MERGE (p)-[:IN_REGION]->(r)",
    "all see the new map": "CREATE (:MapBuild",
    "the old regions are removed": "MATCH (r:Former) DETACH DELETE r",
}
"""What each transaction does that publishes, and a piece of its last query."""
REGIONS = (
    "MATCH (r:Region) OPTIONAL MATCH (r)-[:PART_OF]->(parent) RETURN r.key, r.name, r.level, r.papers, parent.key, "
    "labels(r), COUNT { (r)<-[:IN_REGION]-() } ORDER BY r.key"
)
PAPERS = "MATCH (p:Paper) OPTIONAL MATCH (p)-[:IN_REGION]->(r) RETURN p.id, p.x, p.y, p.region, p.unplaced, collect(r.key) ORDER BY p.id"
BUILDS = "MATCH (b:MapBuild) RETURN b.hash, b.made_at, b.papers, b.placed"
LEFT = "MATCH (n) WHERE n:Next OR n:Former RETURN count(n)"


@pytest.fixture
def server(neo4j: Database, tmp_path: Path) -> Iterator[Database]:
    """A database with three papers and an old map."""
    emptied(neo4j)
    with closing(open_store(neo4j.url, tmp_path, access=neo4j.access)) as store:
        put(store, paper("test:a"), paper("test:b"), paper("test:c"))
        store.publish(OLD, BEFORE)
    yield neo4j
    emptied(neo4j)


@pytest.mark.parametrize("query", COMMITS.values(), ids=COMMITS.keys())
def test_a_map_that_is_published_over_a_lost_commit_answer_is_whole(query: str, server: Database) -> None:
    with (
        Relay(server.url, script.cut_after("COMMIT", query=query)) as relay,
        closing(open_store(relay.url, Path("unused"), access=server.access)) as store,
    ):
        store.publish(NEW, AFTER)
        assert len(relay.faults.played) == 1
        assert store.published() == NEW.hash
    with closing(Connection(server.url, server.access)) as connection:
        assert connection.read(REGIONS) == [
            ["0-00", "Whole", 0, 2, None, ["Region"], 0],
            ["1-00", "Part", 1, 2, "0-00", ["Region"], 2],
        ]
        assert connection.read(PAPERS) == [
            ["test:a", 0.1, 0.2, "1-00", None, ["1-00"]],
            ["test:b", 0.3, 0.4, "1-00", None, ["1-00"]],
            ["test:c", None, None, None, "no_links", []],
        ]
        assert connection.read(BUILDS) == [[NEW.hash, MADE, 3, 2]]
        assert connection.read(LEFT) == [[0]]
