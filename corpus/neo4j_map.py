"""The verdicts and regions of a map build in the graph, so that no query sees half of them.

What is large is written beside, in batches: the new regions and which papers are in them, under a label of their own. Then one
transaction makes these the regions, and changes the verdicts that differ. What is left of the old regions is removed after it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from corpus.neo4j_connection import Connection, Transaction
from corpus.store import Edition, Verdict

_ROWS: Final = 10_000
_LEFT: Final = ("Next", "Former")
_LEAVE: Final = {
    label: (
        f"MATCH (:{label})<-[c:IN_REGION]-() WITH c LIMIT 20000 DELETE c RETURN count(*)",
        f"MATCH (r:{label}) DETACH DELETE r",
    )
    for label in _LEFT
}
_REGIONS: Final = "UNWIND $rows AS row CREATE (r:Next) SET r = row"
_PARENTS: Final = (
    "UNWIND $rows AS row MATCH (r:Next {key: row[0]}) MATCH (p:Next {key: row[1]}) CREATE (r)-[:PART_OF]->(p)"
)
_MEMBERS: Final = (
    "UNWIND $rows AS row MATCH (r:Next {key: row[0]}) UNWIND row[1] AS id MATCH (p:Paper {id: id})"
    " MERGE (p)-[:IN_REGION]->(r)"
)
_PENDING: Final = "MATCH (c:Corpus {name: 'paperatlas'}) SET c.pending = $token"
_ONCE: Final = "MATCH (c:Corpus {name: 'paperatlas', pending: $token}) REMOVE c.pending RETURN c.name"
_SWAP: Final = ("MATCH (r:Region) REMOVE r:Region SET r:Former", "MATCH (r:Next) REMOVE r:Next SET r:Region")
_BUILD: Final = (
    "MATCH (c:Corpus {name: 'paperatlas'}) SET c.build = $hash WITH c OPTIONAL MATCH (old:MapBuild) DELETE old"
    " WITH DISTINCT c CREATE (:MapBuild {hash: $hash, made_at: $made_at, papers: $papers, placed: $placed})"
)
_UNKNOWN: Final = (
    "MATCH (p:Paper) WHERE NOT p:Stub AND NOT p.id IN $ids AND p.unplaced IS NULL"
    " SET p.unplaced = 'not_yet_laid_out', p.x = null, p.y = null, p.region = null"
)
_FORGOTTEN: Final = (
    "MATCH (p:Paper) WHERE NOT p:Stub AND NOT p.id IN $ids AND p.unplaced <> 'not_yet_laid_out'"
    " SET p.unplaced = 'not_yet_laid_out'"
)
_PLACED: Final = (
    "UNWIND $rows AS row MATCH (p:Paper {id: row[0]})"
    " WHERE NOT p:Stub AND NOT coalesce(p.x = row[1] AND p.y = row[2] AND p.region = row[3], false)"
    " SET p.x = row[1], p.y = row[2], p.region = row[3], p.unplaced = null"
)
_UNPLACED: Final = (
    "UNWIND $rows AS row MATCH (p:Paper {id: row[0]}) WHERE NOT p:Stub AND coalesce(p.unplaced <> row[1], true)"
    " SET p.unplaced = row[1], p.x = null, p.y = null, p.region = null"
)


def publish(connection: Connection, edition: Edition, verdicts: Sequence[Verdict]) -> None:
    """Replace the published map."""
    for label in _LEFT:
        _remove(connection, label)
    regions = [{"key": one.key, "name": one.name, "level": one.level, "papers": one.papers} for one in edition.regions]
    parents = [[one.key, one.parent] for one in edition.regions if one.parent]
    token = uuid.uuid4().hex
    connection.write(lambda transaction: _prepare(transaction, token, regions, parents))
    inside = sorted((one.region, one.id) for one in verdicts if one.unplaced is None and one.region is not None)
    for chunk in _chunks(inside):
        rows: dict[str, list[str]] = {}
        for region, name in chunk:
            rows.setdefault(region, []).append(name)
        _write(connection, _MEMBERS, list(rows.items()))
    connection.write(lambda transaction: _switch(transaction, token, edition, verdicts))
    _remove(connection, "Former")


def _prepare(transaction: Transaction, token: str, regions: list[dict[str, Any]], parents: list[list[str]]) -> None:
    transaction.run(_LEAVE["Next"][1])  # of an attempt whose commit was not known to have happened
    transaction.run(_PENDING, token=token)
    transaction.run(_REGIONS, rows=regions)
    transaction.run(_PARENTS, rows=parents)


def _write(connection: Connection, text: str, rows: Sequence[Any]) -> None:
    connection.write(lambda transaction: transaction.run(text, rows=[list(row) for row in rows]))


def _switch(transaction: Transaction, token: str, edition: Edition, verdicts: Sequence[Verdict]) -> None:
    """The one step in which everybody sees the new map; sent again after a commit whose answer was lost, it does nothing."""
    if not transaction.run(_ONCE, token=token):
        return
    for text in _SWAP:
        transaction.run(text)
    ids = [one.id for one in verdicts]
    for text in (_UNKNOWN, _FORGOTTEN):
        transaction.run(text, ids=ids)
    placed = ([one.id, one.x, one.y, one.region] for one in verdicts if one.unplaced is None)
    unplaced = ([one.id, one.unplaced] for one in verdicts if one.unplaced is not None)
    for text, rows in ((_PLACED, placed), (_UNPLACED, unplaced)):
        for chunk in _chunks(rows):
            transaction.run(text, rows=chunk)
    count = sum(one.unplaced is None for one in verdicts)
    transaction.run(_BUILD, hash=edition.hash, made_at=edition.made_at, papers=len(verdicts), placed=count)


def _remove(connection: Connection, label: str) -> None:
    """Remove regions that are none, their relationships first and a few at a time."""
    members, regions = _LEAVE[label]
    while connection.write(lambda transaction: int(transaction.run(members)[0][0])):
        pass
    connection.write(lambda transaction: transaction.run(regions))


def _chunks(rows: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, _ROWS)):
        yield chunk
