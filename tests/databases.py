"""A real Neo4j for the tests: one server a session, or the one that NEO4J_URI names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from corpus.access import Access
from corpus.local_neo4j import endpoint
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.process import start, stop
from corpus.neo4j_connection import Connection


@dataclass(frozen=True, slots=True)
class Database:
    """Where the tests' server answers, and to whom."""

    url: str
    access: Access
    data: Path | None
    """The data directory that it is under; None for a server that was there already."""


@contextmanager
def database(folder: Path) -> Iterator[Database]:
    """Start a server under a folder and stop it at the end, or take the one that NEO4J_URI names."""
    url = os.environ.get("NEO4J_URI")
    if url:
        user, name = os.environ.get("NEO4J_USER", "neo4j"), os.environ.get("NEO4J_DATABASE", "neo4j")
        yield Database(url, Access(user, os.environ.get("NEO4J_PASSWORD"), name), None)
        return
    start(folder, Configuration(heap="768m", page_cache="256m", bolt_port=0))
    try:
        place = endpoint(folder)
        yield Database(place.url, Access(place.user, place.password), folder)
    finally:
        stop(folder)


def emptied(database: Database) -> None:
    """Delete everything in a database that is empty or of the tests; refuse any other."""
    connection = Connection(database.url, database.access, patience=60)
    try:
        foreign = connection.read(
            "MATCH (n) WHERE NOT any(label IN labels(n) WHERE label IN $ours) RETURN labels(n) LIMIT 1", ours=_LABELS
        )
        marked = connection.read("MATCH (c:Corpus {name: 'paperatlas'}) RETURN count(c)")[0][0]
        anything = connection.read("MATCH (n) RETURN count(n)")[0][0]
        if foreign or (anything and not marked):
            raise AssertionError(f"{connection.name} is not a database of the tests: {foreign}")
        while connection.write(lambda transaction: transaction.run(_SOME)[0][0]):
            pass
    finally:
        connection.close()


_LABELS = ["Paper", "Stub", "Alias", "IngestRun", "Corpus", "Writer", "MapBuild", "Region", "Next", "Former"]
_SOME = "MATCH (n) WHERE NOT n:Corpus OR NOT EXISTS { (m) WHERE NOT m:Corpus } WITH n LIMIT 3000 DETACH DELETE n RETURN count(*)"
