"""The verdicts and regions of a map build in the graph: all in one transaction, so that no query sees half of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

from corpus.neo4j_connection import Transaction
from corpus.store import Edition, Verdict

_ROWS: Final = 10_000
_CLEAR: Final = "MATCH (r:Region) DETACH DELETE r"
_OLD: Final = "MATCH (b:MapBuild) DELETE b"
_BUILD: Final = (
    "MATCH (c:Corpus {name: 'paperatlas'}) SET c.build = $hash"
    " CREATE (:MapBuild {hash: $hash, made_at: $made_at, papers: $papers, placed: $placed})"
)
_REGIONS: Final = "UNWIND $rows AS row CREATE (r:Region) SET r = row"
_PARENTS: Final = (
    "UNWIND $rows AS row MATCH (r:Region {key: row[0]}) MATCH (p:Region {key: row[1]}) CREATE (r)-[:PART_OF]->(p)"
)
_UNKNOWN: Final = (
    "MATCH (p:Paper) WHERE NOT p:Stub AND NOT p.id IN $ids"
    " SET p.unplaced = 'not_yet_laid_out', p.x = null, p.y = null, p.region = null"
)
_PLACED: Final = (
    "UNWIND $rows AS row MATCH (p:Paper {id: row[0]}) WHERE NOT p:Stub"
    " SET p.x = row[1], p.y = row[2], p.region = row[3], p.unplaced = null"
    " WITH p, row MATCH (r:Region {key: row[3]}) CREATE (p)-[:IN_REGION]->(r)"
)
_UNPLACED: Final = (
    "UNWIND $rows AS row MATCH (p:Paper {id: row[0]}) WHERE NOT p:Stub"
    " SET p.unplaced = row[1], p.x = null, p.y = null, p.region = null"
)


def publish(transaction: Transaction, edition: Edition, verdicts: Sequence[Verdict]) -> None:
    """Replace the published map."""
    for text in (_CLEAR, _OLD):
        transaction.run(text)
    regions = [{"key": one.key, "name": one.name, "level": one.level, "papers": one.papers} for one in edition.regions]
    transaction.run(_REGIONS, rows=regions)
    transaction.run(_PARENTS, rows=[[one.key, one.parent] for one in edition.regions if one.parent])
    transaction.run(_UNKNOWN, ids=[one.id for one in verdicts])
    placed = ([one.id, one.x, one.y, one.region] for one in verdicts if one.unplaced is None)
    unplaced = ([one.id, one.unplaced] for one in verdicts if one.unplaced is not None)
    for text, rows in ((_PLACED, placed), (_UNPLACED, unplaced)):
        for chunk in _chunks(rows):
            transaction.run(text, rows=chunk)
    count = sum(one.unplaced is None for one in verdicts)
    transaction.run(_BUILD, hash=edition.hash, made_at=edition.made_at, papers=len(verdicts), placed=count)


def _chunks(rows: Iterable[list[Any]]) -> Iterable[list[list[Any]]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, _ROWS)):
        yield chunk
