"""The identifiers that lead to a paper without being its address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from corpus.neo4j_connection import WHOLE, Connection

_ROWS: Final = 20_000
_AFTER: Final = (
    "MATCH (a:Alias) WHERE a.id > $after WITH a ORDER BY a.id LIMIT $rows MATCH (a)-[:LEADS_TO]->(p:Paper)"
    " RETURN a.id, p.id ORDER BY a.id"
)


def read_aliases(connection: Connection) -> Iterator[tuple[str, str]]:
    """Identifier and address of each, in order of the identifier."""
    after = ""
    while rows := connection.read(_AFTER, timeout=WHOLE, after=after, rows=_ROWS):
        yield from ((name, address) for name, address in rows)
        after = rows[-1][0]
