"""The writing half of the Neo4j store: one batch of papers, inside a transaction that the caller holds.

Both ends of a citation are bound by number before it is made, rows are sorted, and what is known to be new is created rather
than merged: a quarter faster, and always the same locks in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from corpus.joining import Group, differing
from corpus.model import Paper
from corpus.neo4j_connection import Transaction
from corpus.neo4j_merge import absorb
from corpus.neo4j_paper import packed, properties
from corpus.reasons import Reason

_ROWS: Final = 5_000
"""Rows of one statement."""
_PACKED: Final = 500
"""Papers that are packed while the server writes as many."""
_FIND: Final = (
    "UNWIND $ids AS id MATCH (p:Paper {id: id}) RETURN collect(id), collect(p.n), collect(p.id), collect(p:Stub)",
    (
        "UNWIND $ids AS id MATCH (:Alias {id: id})-[:LEADS_TO]->(p:Paper)"
        " RETURN collect(id), collect(p.n), collect(p.id), collect(p:Stub)"
    ),
)
_PAPERS: Final = "UNWIND $ns AS n MATCH (p:Paper {n: n}) RETURN n, p.paper"
_CREATE: Final = "UNWIND $rows AS row CREATE (p:Paper) SET p = row"
_STUBS: Final = "UNWIND $rows AS row CREATE (:Paper:Stub {id: row[0], n: row[1], citations: row[2]})"
_UPDATE: Final = "UNWIND $rows AS row MATCH (p:Paper {n: row.n}) SET p += row REMOVE p:Stub"
_ALIASES: Final = (
    "UNWIND $rows AS row MATCH (p:Paper {n: row[1]}) MERGE (a:Alias {id: row[0]})"
    " WITH p, a OPTIONAL MATCH (a)-[old:LEADS_TO]->(q) WHERE q <> p DELETE old"
    " WITH DISTINCT p, a MERGE (a)-[:LEADS_TO]->(p)"
)
_NEW_ALIASES: Final = "UNWIND $rows AS row MATCH (p:Paper {n: row[1]}) CREATE (:Alias {id: row[0]})-[:LEADS_TO]->(p)"
_NO_ALIASES: Final = "UNWIND $ids AS id MATCH (a:Alias {id: id}) DETACH DELETE a"
_NOT_LAID_OUT: Final = (
    "UNWIND $ns AS n MATCH (p:Paper {n: n}) SET p.unplaced = 'not_yet_laid_out', p.x = null, p.y = null, p.region = null"
    " WITH p MATCH (p)-[r:IN_REGION]->() DELETE r"
)
# With the index named: a plan that was made while the database was empty would go over all citations.
_LISTS: Final = "UNWIND $ns AS n MATCH (p:Paper {n: n})-[:CITES]->(q) USING INDEX p:Paper(n) RETURN n, collect(q.n)"
_CITE: Final = (
    "UNWIND $rows AS row MATCH (a:Paper {n: row[0]}) UNWIND row[1] AS n MATCH (b:Paper {n: n}) CREATE (a)-[:CITES]->(b)"
)
_UNCITE: Final = (
    "UNWIND $rows AS row MATCH (a:Paper {n: row[0]})-[c:CITES]->(b:Paper {n: row[1]})"
    " USING INDEX a:Paper(n) USING INDEX b:Paper(n) DELETE c"
)
_ADD: Final = "UNWIND $rows AS row MATCH (p:Paper {n: row[0]}) SET p.citations = p.citations + row[1]"
_RECOUNT: Final = "UNWIND $ns AS n MATCH (p:Paper {n: n}) SET p.citations = COUNT { (p)<-[:CITES]-() }"
_LONELY: Final = (
    "UNWIND $ns AS n MATCH (p:Stub {n: n}) WHERE NOT EXISTS { (p)<-[:CITES]-() }"
    " WITH p, p.id AS id DETACH DELETE p RETURN id"
)


@dataclass(slots=True)
class Known:
    """Identifiers that are known to lead to nodes: what one process, the only writer, remembers of its own writes."""

    numbers: dict[str, int] = field(default_factory=dict)
    stubs: set[int] = field(default_factory=set)
    """Numbers that are known to be of stubs: only their own identifier leads there."""
    complete: bool = False
    """Whether every identifier that leads anywhere is among them: this process wrote everything there is."""
    limit: int = 2_000_000
    """Entries, about 150 bytes each."""

    def after(self, written: Written) -> Known:
        """What is remembered once a transaction is committed; nothing where nodes were joined."""
        if written.joined:
            return Known()
        if len(self.numbers) + len(written.fresh) > self.limit:
            self.numbers.clear()
            self.stubs.clear()
            self.complete = False
        self.numbers.update(written.fresh)
        self.stubs.update(written.stubs)
        self.stubs.difference_update(written.papers)
        for identifier in written.gone:
            self.stubs.discard(self.numbers.pop(identifier, 0))
        return self


@dataclass(slots=True)
class Written:
    """What a transaction changed, to be remembered once it is committed."""

    changed: bool = False
    next: int = 0
    """The first number that no node has now."""
    stubs: set[int] = field(default_factory=set)
    papers: set[int] = field(default_factory=set)
    fresh: dict[str, int] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    joined: bool = False
    """Whether nodes were joined: what was remembered may lead to one that is gone."""


def write(transaction: Transaction, papers: Sequence[Paper], known: Known, next_number: int) -> Written:
    """Write the papers that differ from what is held. `next_number` is the first number that no node has: 1 where none was made yet."""
    known.complete = known.complete or next_number == 1
    batch = _Batch(transaction, known, next_number)
    batch.find(papers)
    if batch.groups:
        # Packing takes a third of our own time: it is done while the server is at work.
        with ThreadPoolExecutor(1) as beside:
            rows = beside.map(_rows, _chunks(batch.groups, _PACKED))
            batch.join()
            batch.compare()
            batch.nodes(rows)
        batch.lead()
        batch.cite()
        batch.clean()
        batch.written.changed = True
        batch.written.next = batch.next
        batch.written.stubs = set(batch.stubs.values())
        batch.written.papers = {n for n, _ in batch.groups}
    return batch.written


class _Batch:
    """One batch on its way into the graph."""

    def __init__(self, transaction: Transaction, known: Known, next_number: int) -> None:
        self.transaction, self.known, self.next = transaction, known, next_number
        self.written = Written()
        self.held: dict[str, int] = {}
        self.addresses: dict[int, str] = {}
        self.bare: set[int] = set()
        """Stubs."""
        self.blobs: dict[int, bytes] = {}
        """Of papers; a stub has none."""
        self.groups: list[tuple[int, Group]] = []
        self.new: set[int] = set()
        self.stubs: dict[str, int] = {}
        self.come: list[tuple[int, list[int]]] = []
        self.gone: list[tuple[int, int]] = []
        self.added: Counter[int] = Counter()
        self.orphans: set[int] = set()

    def find(self, papers: Sequence[Paper]) -> None:
        """Find the nodes of the papers, and leave out what is held just so already."""
        self.held = self._held(sorted({identifier for paper in papers for identifier in paper.ids}))
        for ns in _chunks(sorted(set(self.held.values()) - self.bare)):
            self.blobs.update((n, packed(text)) for n, text in self.transaction.run(_PAPERS, ns=ns))
        for group in sorted(differing(papers, self.held, self.blobs), key=lambda group: group.paper.address):
            n = group.target(self.blobs)
            if n is None:
                n = self.next
                self.next += 1
                self.new.add(n)
            self.groups.append((n, group))
            self.written.fresh.update(dict.fromkeys(group.ids, n))

    def _held(self, ids: Sequence[str]) -> dict[str, int]:
        """The nodes that these identifiers lead to; what is remembered to be a stub, or to lead nowhere, is not asked for."""
        held, asked = {}, []
        for identifier in ids:
            n = self.known.numbers.get(identifier)
            if n is not None and n in self.known.stubs:
                held[identifier] = n
                self.addresses[n] = identifier
                self.bare.add(n)
            elif n is not None or not self.known.complete:
                asked.append(identifier)
        return held | self._numbered(asked)

    def _numbered(self, ids: Sequence[str]) -> dict[str, int]:
        """The nodes that these identifiers lead to, as far as there are any."""
        numbers: dict[str, int] = {}
        for chunk in _chunks(ids):
            for text in _FIND:
                rest = [identifier for identifier in chunk if identifier not in numbers]
                if rest:
                    names, found, addresses, bare = self.transaction.run(text, ids=rest)[0]
                    numbers.update(zip(names, found, strict=True))
                    self.addresses.update(zip(found, addresses, strict=True))
                    self.bare.update(n for n, is_bare in zip(found, bare, strict=True) if is_bare)
        return numbers

    def join(self) -> None:
        """Let each group's node take over the others of the group."""
        for n, group in self.groups:
            for other in sorted(group.nodes - {n}):
                self.orphans |= absorb(self.transaction, n, other)
                self.orphans.discard(other)
                self.written.joined = True

    def compare(self) -> None:
        """Compare the reference lists with what is there; a cited work that nothing has becomes a stub."""
        wanted = {identifier for _, group in self.groups for identifier in group.paper.references or ()}
        numbers = self._numbers(sorted(wanted))
        older = [n for n, _ in self.groups if n in self.blobs]
        before = {n: set(cited) for ns in _chunks(older) for n, cited in self.transaction.run(_LISTS, ns=ns)}
        for n, group in self.groups:
            after = {numbers[identifier] for identifier in group.paper.references or ()}
            held = before.get(n, set())
            come = sorted(after - held)
            if come:
                self.come.append((n, come))
                self.added.update(come)
            self.gone += [(n, cited) for cited in sorted(held - after)]
        for _, cited in self.gone:
            self.added[cited] -= 1
            self.orphans.add(cited)

    def _numbers(self, wanted: list[str]) -> dict[str, int]:
        remembered = {} if self.written.joined else self.known.numbers
        numbers = {name: n for name in wanted if (n := self.written.fresh.get(name) or remembered.get(name))}
        unknown = [name for name in wanted if name not in numbers]
        if self.written.joined or not self.known.complete:
            numbers |= self._numbered(unknown)
        for name in unknown:
            if name not in numbers:
                numbers[name] = self.stubs[name] = self.next
                self.next += 1
        self.written.fresh.update((name, numbers[name]) for name in unknown)
        return numbers

    def nodes(self, chunks: Iterable[list[dict[str, Any]]]) -> None:
        """Write the nodes out of the properties of the groups, which come in the order of the groups."""
        self._run(_NO_ALIASES, [group.paper.address for n, group in self.groups if n not in self.new], "ids")
        self._run(_STUBS, [[name, n, self.added[n]] for name, n in self.stubs.items()])
        for rows in chunks:
            for row in rows:
                if row["n"] not in self.blobs:
                    row["unplaced"] = Reason.NOT_YET_LAID_OUT.value
            self._run(_CREATE, [row | {"citations": self.added[row["n"]]} for row in rows if row["n"] in self.new])
            self._run(_UPDATE, [row for row in rows if row["n"] not in self.new])
        held = ((n, group.paper.address) for n, group in self.groups if n in self.blobs)
        self._run(_NOT_LAID_OUT, [n for n, address in held if self.addresses[n] != address], "ns")

    def lead(self) -> None:
        """Let every identifier lead to its paper, an address that is one no more too."""
        wanted = {name: n for n, group in self.groups for name in group.ids if name != group.paper.address}
        wanted |= {
            self.addresses[n]: n
            for n, group in self.groups
            if n in self.addresses and self.addresses[n] != group.paper.address
        }
        self._run(_NEW_ALIASES, sorted([name, n] for name, n in wanted.items() if name not in self.held))
        self._run(_ALIASES, sorted([name, n] for name, n in wanted.items() if name in self.held))

    def cite(self) -> None:
        """Write the citations, and how many each work has."""
        self._run(_UNCITE, self.gone)
        self._run(_CITE, [[n, cited] for n, cited in self.come])
        made = self.new.union(self.stubs.values())
        if self.written.joined:
            self._run(_RECOUNT, sorted({*self.added, *(n for n, _ in self.groups), *self.orphans}), "ns")
        else:
            self._run(_ADD, sorted([n, change] for n, change in self.added.items() if change and n not in made))

    def clean(self) -> None:
        """Remove stubs that nothing cites any more."""
        for ns in _chunks(sorted(self.orphans)):
            self.written.gone += [row[0] for row in self.transaction.run(_LONELY, ns=ns)]

    def _run(self, text: str, rows: Sequence[Any], name: str = "rows") -> None:
        for chunk in _chunks(rows):
            self.transaction.run(text, **{name: chunk})


def _rows(groups: Sequence[tuple[int, Group]]) -> list[dict[str, Any]]:
    return [properties(n, group.paper) for n, group in groups]


def _chunks(rows: Sequence[Any], size: int = _ROWS) -> Iterable[Any]:
    return (rows[start : start + size] for start in range(0, len(rows), size))
