"""Constraints, indexes and the marker node of a corpus in Neo4j, and the look at what a database is before it is used."""

from __future__ import annotations

from typing import Final

from corpus.errors import ForeignStore, NoCorpus
from corpus.neo4j_connection import Connection, Transaction

SCHEMA_VERSION: Final = 2
_CONSTRAINTS: Final = (
    "CREATE CONSTRAINT paper_id IF NOT EXISTS FOR (p:Paper) REQUIRE p.id IS UNIQUE",
    "CREATE CONSTRAINT paper_n IF NOT EXISTS FOR (p:Paper) REQUIRE p.n IS UNIQUE",
    "CREATE CONSTRAINT alias_id IF NOT EXISTS FOR (a:Alias) REQUIRE a.id IS UNIQUE",
    "CREATE CONSTRAINT run_id IF NOT EXISTS FOR (r:IngestRun) REQUIRE r.id IS UNIQUE",
    "CREATE CONSTRAINT corpus_name IF NOT EXISTS FOR (c:Corpus) REQUIRE c.name IS UNIQUE",
    "CREATE CONSTRAINT writer_name IF NOT EXISTS FOR (w:Writer) REQUIRE w.name IS UNIQUE",
    "CREATE CONSTRAINT build_hash IF NOT EXISTS FOR (b:MapBuild) REQUIRE b.hash IS UNIQUE",
    "CREATE CONSTRAINT region_key IF NOT EXISTS FOR (r:Region) REQUIRE r.key IS UNIQUE",
    # Our own folded words, split at spaces: both stores find the same. No index on year or `unplaced`: keeping one costs
    # an eighth of the load of a corpus, and a scan of 170,000 papers takes 50 ms.
    (
        "CREATE FULLTEXT INDEX paper_words IF NOT EXISTS FOR (p:Paper) ON EACH [p.title_words, p.author_words]"
        " OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}"
    ),
)
MARKER: Final = "MATCH (c:Corpus {name: 'paperatlas'}) RETURN c.schema"
_ANYTHING: Final = "MATCH (n) RETURN labels(n) LIMIT 1"
_MAKE: Final = (
    "MERGE (c:Corpus {name: 'paperatlas'}) ON CREATE SET c.schema = $schema, c.version = 0, c.next = 1"
    " MERGE (w:Writer {name: 'paperatlas'})"
)
_AWAIT: Final = "CALL db.awaitIndexes(120)"


def prepare(connection: Connection, *, create: bool) -> None:
    """Make the schema in an empty database; raise `NoCorpus` or `ForeignStore` where it cannot be used.

    A database that holds something and no marker of ours is somebody else's: nothing is written to it.
    """
    found = connection.read(MARKER)
    if found:
        _check(connection, found[0][0])
        return
    anything = connection.read(_ANYTHING)
    if anything:
        raise ForeignStore(
            f"{connection.name} holds other data (a node with the labels {anything[0][0]}); use an empty database"
        )
    if not create:
        raise NoCorpus(f"in {connection.name}")
    constrain(connection)
    connection.write(lambda transaction: _mark(transaction))


def constrain(connection: Connection) -> None:
    """Make what is missing of constraints and indexes, and wait for the indexes to be filled."""
    for statement in _CONSTRAINTS:
        connection.change_schema(statement)
    connection.change_schema(_AWAIT)


def _mark(transaction: Transaction) -> None:
    transaction.run(_MAKE, schema=SCHEMA_VERSION)


def _check(connection: Connection, version: object) -> None:
    if version != SCHEMA_VERSION:
        raise ForeignStore(
            f"{connection.name} has schema {version}, this version of Paper Atlas reads {SCHEMA_VERSION}; "
            "export its papers with the version that wrote it and ingest them again"
        )
