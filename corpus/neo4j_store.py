"""The store in a Neo4j database, through the official driver. All of its Cypher stands in the `neo4j_*` modules.

docs/cypher.md draws the graph. Neo4j reads what is committed, statement by statement: what must be of one state is one statement.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from corpus.access import Access
from corpus.errors import StoreBusy, StoreError
from corpus.model import Paper, PartialDate
from corpus.neo4j_aliases import read_aliases
from corpus.neo4j_batch import Known, Written, write
from corpus.neo4j_connection import PAGE, WHOLE, Connection, Transaction
from corpus.neo4j_lease import Lease
from corpus.neo4j_map import publish
from corpus.neo4j_rows import ROW, STORED, is_text, page_query, row_of, stored_of
from corpus.neo4j_runs import note_run, read_runs
from corpus.neo4j_schema import prepare
from corpus.store import Direction, Edition, Page, Row, Run, Size, Sort, Stored, Verdict
from corpus.words import search_words

_IDS: Final = 20_000
"""Identifiers that one query looks up."""
_PAPERS: Final = 1_000
_NUMBERS: Final = 50_000
"""Store numbers whose citations one query reads."""
_SEARCH: Final = (
    "CALL db.index.fulltext.queryNodes('paper_words', $query) YIELD node AS p"
    f" WITH p ORDER BY p.citations DESC, p.id LIMIT $limit RETURN {ROW}"
)
_PAPER: Final = f"UNWIND $ids AS id MATCH (p:Paper {{id: id}}) WHERE NOT p:Stub RETURN {STORED}"
_FIRST: Final = 20.0
"""Seconds for a query that is planned for the first time by a server that has just started."""
_PAUSES: Final = (0.0, 0.002, 0.01, 0.05, 0.2, 0.5)
"""Seconds after which a list is asked for again that was met in the middle of a commit."""
_WORDS: Final = 32
"""Words that a search may have; each is looked for in two fields, and Lucene takes 1,024 clauses."""
_NEXT: Final = "MATCH (c:Corpus {name: 'paperatlas'}) RETURN c.next"
_CHANGED: Final = "MATCH (c:Corpus {name: 'paperatlas'}) SET c.version = c.version + 1, c.next = $next"
_DATE: Final = (
    "MATCH (c:Corpus {name: 'paperatlas'}) WHERE c.data_date IS NULL OR c.data_date < $date SET c.data_date = $date"
)
_EDGES: Final = (
    "MATCH (a:Paper) WHERE a.n >= $low AND a.n < $high MATCH (a)-[:CITES]->(b)"
    " WITH a.n / 1000 AS part, collect(a.n) AS citing, collect(b.n) AS cited RETURN citing, cited"
)


class Neo4jStore:
    """The `corpus.store.Store` in a database. Reads from any thread; writes from one process at a time."""

    kind: str = "neo4j"
    batch: int = 2_000

    def __init__(
        self, url: str, access: Access, *, create: bool = True, readonly: bool = False, patience: float = PAGE
    ) -> None:
        """Open the database and make its schema where it is empty.

        `patience` is how many seconds a query for one page may take. Raises `BadSetting`, `StoreUnavailable` (in under 3 s),
        `StoreDenied`, `ForeignStore`, or `StoreError` where it is empty and `create` is off.
        """
        self._db = Connection(url, access, patience)
        self._readonly = readonly
        self._lease = Lease()
        self._known = Known()
        try:
            prepare(self._db, create=create and not readonly)
            if patience < PAGE:
                self._warm_up()
        except BaseException:
            self._db.close()
            raise

    def _warm_up(self) -> None:
        """Ask the first questions of all kinds with more patience: a server that has just started takes seconds to plan them."""
        self._db.read(_SEARCH, timeout=_FIRST, query="+paperatlas*", limit=1)
        for direction in Direction:
            text = page_query(direction, Sort.CITATIONS)
            self._db.read(text, timeout=_FIRST, id="", area=None, year=None, limit=1, offset=0)
        self._db.read(_PAPER, timeout=_FIRST, ids=[])

    def put(self, papers: Sequence[Paper], run: Run) -> None:
        """Write one batch and the run's totals in one transaction."""

        def work(transaction: Transaction) -> tuple[Known, Written]:
            self._hold(transaction)
            # Forgotten until the commit is known: the work may have been done, or undone, when it is repeated.
            known, self._known = self._known, Known()
            written = write(transaction, papers, known, transaction.run(_NEXT)[0][0])
            if written.changed:
                transaction.run(_CHANGED, next=written.next)
            note_run(transaction, run)
            return known, written

        self._refuse_if_readonly()
        known, written = self._db.write(work)
        self._known = known.after(written)

    def settle(self, run: Run, data_date: PartialDate | None) -> None:
        """Write the end of a run, and the later of the data dates."""

        def work(transaction: Transaction) -> None:
            self._hold(transaction)
            note_run(transaction, run)
            if data_date is not None:
                transaction.run(_DATE, date=str(data_date))

        self._refuse_if_readonly()
        self._db.write(work)

    def runs(self) -> list[Run]:
        """All ingest runs, oldest first."""
        return read_runs(self._db)

    def resolve(self, ids: Iterable[str]) -> dict[str, str]:
        """Map each known identifier to its address."""
        found: dict[str, str] = {}
        wanted = [name for name in dict.fromkeys(ids) if is_text(name)]
        for start in range(0, len(wanted), _IDS):
            chunk = wanted[start : start + _IDS]
            found.update((row[0], row[0]) for row in self._db.read(_ADDRESSES, ids=chunk))
            rest = [name for name in chunk if name not in found]
            if rest:
                found.update((name, address) for name, address in self._db.read(_ALIASES, ids=rest))
        return found

    def identifiers(self) -> Iterator[tuple[str, str]]:
        """Every identifier that leads to a paper and is not its address, with that address."""
        yield from read_aliases(self._db)

    def paper(self, address: str) -> Stored | None:
        """The paper at an address."""
        return next(iter(self.papers([address])), None)

    def papers(self, addresses: Sequence[str]) -> list[Stored]:
        """The papers at these addresses, in this order."""
        found: list[Stored] = []
        wanted = [name for name in addresses if is_text(name)]
        for start in range(0, len(wanted), _PAPERS):
            rows = self._db.read(
                _PAPER,
                ids=wanted[start : start + _PAPERS],
            )
            found += map(stored_of, rows)
        return found

    def stream(self) -> Iterator[Stored]:
        """Every paper, in order of address: those that are there when it begins, each as it is when its turn comes."""
        numbers = self._db.read(
            "MATCH (p:Paper) WHERE NOT p:Stub WITH p ORDER BY p.id RETURN collect(p.n)", timeout=WHOLE
        )[0][0]
        for start in range(0, len(numbers), _PAPERS):
            rows = self._db.read(
                f"UNWIND $ns AS n MATCH (p:Paper {{n: n}}) WHERE NOT p:Stub RETURN {STORED}",
                timeout=WHOLE,
                ns=numbers[start : start + _PAPERS],
            )
            yield from map(stored_of, rows)

    def rows(self, addresses: Sequence[str]) -> list[Row]:
        """Rows for these addresses, in this order."""
        wanted = [name for name in addresses if is_text(name)]
        return [
            row_of(row)
            for start in range(0, len(wanted), _IDS)
            for row in self._db.read(
                f"UNWIND $ids AS id MATCH (p:Paper {{id: id}}) RETURN {ROW}", ids=wanted[start : start + _IDS]
            )
        ]

    def neighbours(
        self,
        address: str,
        direction: Direction,
        *,
        sort: Sort = Sort.CITATIONS,
        area: str | None = None,
        year: int | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Page:
        """References or citers, sorted, filtered, paged."""
        if not is_text(address) or not is_text(area or ""):
            return Page((), 0)
        text = page_query(direction, sort)
        for pause in _PAUSES:
            time.sleep(pause)
            total, half, page = self._db.read(text, id=address, area=area, year=year, limit=limit, offset=offset)[0]
            if not half:
                return Page(tuple(row_of(row) for row in page), total)
        raise StoreBusy(f"{self._db.name} is being written to; try again")

    def citers_per_year(self, address: str) -> dict[int | None, int]:
        """How many papers of each year cite it."""
        rows = self._db.read(
            "MATCH (:Paper {id: $id})<-[:CITES]-(p:Paper) WITH p.year AS year, count(*) AS papers"
            " RETURN year, papers ORDER BY year IS NOT NULL, year",
            id=address,
        )
        return dict(rows)

    def search(self, words: Sequence[str], limit: int) -> list[Row]:
        """Papers whose title or authors hold every word, the last one as a prefix."""
        wanted = search_words(" ".join(words))
        if not wanted:
            return []
        # Letters and digits alone are left: nothing of a query's own syntax can be in them.
        whole = list(dict.fromkeys(wanted[:-1]))[:_WORDS]
        rows = self._db.read(
            _SEARCH,
            query=" ".join(f"+{word}" for word in [*whole, wanted[-1]]) + "*",
            limit=limit,
        )
        return [row_of(row) for row in rows]

    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Citations as (citing, cited), int32 (m,) each, sorted."""
        end = self._fact("next") or 1
        parts = [(np.empty(0, np.int32), np.empty(0, np.int32))]
        for low in range(0, end, _NUMBERS):
            for citing, cited in self._db.read(_EDGES, timeout=WHOLE, low=low, high=low + _NUMBERS):
                parts.append((np.array(citing, np.int32), np.array(cited, np.int32)))
        citing, cited = (np.concatenate(ends) for ends in zip(*parts, strict=True))
        order = np.lexsort((cited, citing))
        return citing[order], cited[order]

    def publish(self, edition: Edition, verdicts: Iterable[Verdict]) -> None:
        """Mirror the verdicts and regions of a build: everybody sees all of it in one step."""
        self._refuse_if_readonly()
        publish(self._db, edition, list(verdicts))

    def published(self) -> str | None:
        """The build whose verdicts were mirrored last."""
        build: str | None = self._fact("build")
        return build

    def size(self) -> Size:
        """Papers, stubs and citations held."""
        rows = self._db.read(
            "RETURN COUNT { (:Paper) } AS all, COUNT { (:Stub) } AS stubs, COUNT { ()-[:CITES]->() } AS citations"
        )
        everything, stubs, citations = rows[0]
        return Size(everything - stubs, stubs, citations)

    def years(self) -> Mapping[int | None, int]:
        """How many papers of the corpus are of each year."""
        rows = self._db.read(
            "MATCH (p:Paper) WHERE NOT p:Stub WITH p.year AS year, count(*) AS papers"
            " RETURN year, papers ORDER BY year IS NOT NULL, year"
        )
        return dict(rows)

    def data_date(self) -> PartialDate | None:
        """The newest date that a source vouches for."""
        text = self._fact("data_date")
        return PartialDate.parse(text) if text else None

    def version(self) -> int:
        """A number that grows with every change of papers or citations."""
        return int(self._fact("version") or 0)

    def server_version(self) -> str:
        """Neo4j's version."""
        return self._db.server_version()

    def edition(self) -> str | None:
        """`community` or `enterprise`."""
        rows = self._db.read("CALL dbms.components() YIELD edition RETURN edition")
        return str(rows[0][0])

    def close(self) -> None:
        """Give back the right to write, and close every connection."""
        with suppress(StoreError):  # a database that has gone keeps no lease of a process that ends
            self._lease.leave(self._db)
        self._db.close()

    def _hold(self, transaction: Transaction) -> None:
        if self._lease.keep(transaction, self._db.name):
            self._known = Known()

    def _refuse_if_readonly(self) -> None:
        if self._readonly:
            raise StoreError(f"{self._db.name} was opened for reading alone")

    def _fact(self, name: str) -> Any:  # noqa: ANN401  text or a number
        rows = self._db.read("MATCH (c:Corpus {name: 'paperatlas'}) RETURN c[$name]", name=name)
        return rows[0][0] if rows else None


_ADDRESSES: Final = "UNWIND $ids AS id MATCH (p:Paper {id: id}) RETURN id"
_ALIASES: Final = "UNWIND $ids AS id MATCH (:Alias {id: id})-[:LEADS_TO]->(p:Paper) RETURN id, p.id"
