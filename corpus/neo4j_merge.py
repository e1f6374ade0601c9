"""Two nodes that prove to be one paper: what cites the one, and what leads to it, goes over to the other."""

from __future__ import annotations

from typing import Final

from corpus.neo4j_connection import Transaction

_CITED: Final = "MATCH (:Paper {n: $other})-[:CITES]->(q) RETURN collect(q.n)"
_CITERS: Final = (
    "MATCH (o:Paper {n: $other})<-[c:CITES]-(a) WHERE a <> o MATCH (p:Paper {n: $n}) DELETE c MERGE (a)-[:CITES]->(p)"
)
_ALIASES: Final = (
    "MATCH (o:Paper {n: $other})<-[l:LEADS_TO]-(a:Alias) MATCH (p:Paper {n: $n}) DELETE l MERGE (a)-[:LEADS_TO]->(p)"
)
_REMOVE: Final = (
    "MATCH (o:Paper {n: $other}) WITH o, o.id AS id DETACH DELETE o WITH id"
    " MATCH (p:Paper {n: $n}) MERGE (a:Alias {id: id}) MERGE (a)-[:LEADS_TO]->(p)"
)


def absorb(transaction: Transaction, n: int, other: int) -> set[int]:
    """Let `n` take over what cites `other`, and its identifiers; its own list goes: return the nodes that were on it."""
    cited = set(transaction.run(_CITED, other=other)[0][0])
    for text in (_CITERS, _ALIASES, _REMOVE):
        transaction.run(text, n=n, other=other)
    return cited
