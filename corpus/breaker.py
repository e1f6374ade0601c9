"""A store that may go away and come back: opened when it is first asked, and left alone for a while when it does not answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as waited_for
from contextlib import suppress
from itertools import chain, islice
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpus.circuit import FAILURES, REST, Breaker
from corpus.errors import StoreError, StoreUnavailable
from corpus.model import Paper, PartialDate
from corpus.store import Direction, Edition, Page, Row, Run, Size, Sort, Store, Stored, Verdict

__all__ = ["FAILURES", "REST", "WAIT", "Guarded"]

T = TypeVar("T")
WAIT: Final = 1.5
"""Seconds that a call waits for a store that is being opened; the opening goes on without it."""


class Guarded:
    """A `corpus.store.Store` in front of another one that is opened when it is needed.

    Whoever asks while the database is down is told so at once, with `StoreUnavailable`: nobody waits for a time-out that others
    have waited for already. When it is back, the next call after the rest finds it. A store that was left alone is opened anew:
    the server may be another one, or elsewhere.
    """

    def __init__(
        self,
        kind: str,
        opening: Callable[[], Store],
        clock: Callable[[], float] = time.monotonic,
        *,
        wait: float = WAIT,
    ) -> None:
        self.kind, self.batch = kind, 1_000
        self._opening, self._wait = opening, wait
        self._breaker = Breaker(clock)
        self._guard = threading.Lock()
        self._opened: Store | None = None
        self._left: Store | None = None
        """The store that was left alone, to be closed when nobody can be asking it any more."""
        self._pending: Future[Store] | None = None

    def try_now(self) -> str | None:
        """Open the store, however long it takes; return what is wrong where it does not answer. Raises every other error."""
        try:
            self._within(None, lambda store: store.size())
        except StoreUnavailable as error:
            return str(error)
        return None

    def put(self, papers: Sequence[Paper], run: Run) -> None:
        """As the store."""
        self._ask(lambda store: store.put(papers, run))

    def settle(self, run: Run, data_date: PartialDate | None) -> None:
        """As the store."""
        self._ask(lambda store: store.settle(run, data_date))

    def runs(self) -> list[Run]:
        """As the store."""
        return self._ask(lambda store: store.runs())

    def resolve(self, ids: Iterable[str]) -> dict[str, str]:
        """As the store."""
        wanted = list(ids)
        return self._ask(lambda store: store.resolve(wanted))

    def identifiers(self) -> Iterator[tuple[str, str]]:
        """As the store; what fails after the first one is raised as it is."""
        return self._ask(lambda store: _begun(store.identifiers()))

    def paper(self, address: str) -> Stored | None:
        """As the store."""
        return self._ask(lambda store: store.paper(address))

    def papers(self, addresses: Sequence[str]) -> list[Stored]:
        """As the store."""
        return self._ask(lambda store: store.papers(addresses))

    def stream(self) -> Iterator[Stored]:
        """As the store; what fails after its first paper is raised as it is."""
        return self._ask(lambda store: _begun(store.stream()))

    def rows(self, addresses: Sequence[str]) -> list[Row]:
        """As the store."""
        return self._ask(lambda store: store.rows(addresses))

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
        """As the store."""
        return self._ask(
            lambda store: store.neighbours(
                address, direction, sort=sort, area=area, year=year, limit=limit, offset=offset
            )
        )

    def citers_per_year(self, address: str) -> dict[int | None, int]:
        """As the store."""
        return self._ask(lambda store: store.citers_per_year(address))

    def search(self, words: Sequence[str], limit: int) -> list[Row]:
        """As the store."""
        return self._ask(lambda store: store.search(words, limit))

    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """As the store."""
        return self._ask(lambda store: store.edges())

    def publish(self, edition: Edition, verdicts: Iterable[Verdict]) -> None:
        """As the store."""
        self._ask(lambda store: store.publish(edition, verdicts))

    def published(self) -> str | None:
        """As the store."""
        return self._ask(lambda store: store.published())

    def size(self) -> Size:
        """As the store."""
        return self._ask(lambda store: store.size())

    def years(self) -> Mapping[int | None, int]:
        """As the store."""
        return self._ask(lambda store: store.years())

    def data_date(self) -> PartialDate | None:
        """As the store."""
        return self._ask(lambda store: store.data_date())

    def version(self) -> int:
        """As the store."""
        return self._ask(lambda store: store.version())

    def server_version(self) -> str:
        """As the store."""
        return self._ask(lambda store: store.server_version())

    def edition(self) -> str | None:
        """As the store."""
        return self._ask(lambda store: store.edition())

    def close(self) -> None:
        """Close the store, if it was opened."""
        with self._guard:
            stores = (self._opened, self._left)
            self._opened = self._left = self._pending = None
        for store in stores:
            if store is not None:
                store.close()

    def _ask(self, question: Callable[[Store], T]) -> T:
        return self._within(self._wait, question)

    def _within(self, wait: float | None, question: Callable[[Store], T]) -> T:
        """Ask, where that is allowed now; `wait` is how many seconds the store may take to be opened, None for any."""
        turn = self._breaker.admit()
        try:
            answer = question(self._store(wait))
        except StoreUnavailable as error:
            if self._breaker.failed(turn, str(error)):
                self._leave()
            raise
        except StoreError:  # a refusal is an answer
            self._breaker.answered()
            raise
        self._breaker.answered()
        return answer

    def _leave(self) -> None:
        with self._guard:
            if self._left is None:
                self._left, self._opened = self._opened, None

    def _store(self, wait: float | None) -> Store:
        """The store; all who need it while it is being opened wait for one opening."""
        with self._guard:
            if self._opened is not None:
                return self._opened
            if self._pending is None:
                self._pending = Future()
                threading.Thread(target=self._open, args=(self._pending,), name="opening", daemon=True).start()
            pending = self._pending
        if not waited_for([pending], wait).done:
            raise StoreUnavailable(f"the database did not let us in within {wait:g} s; it is still being asked")
        return pending.result()

    def _open(self, pending: Future[Store]) -> None:
        with self._guard:
            left, self._left = self._left, None
        if left is not None:
            with suppress(StoreError):
                left.close()
        try:
            fresh = self._opening()
        except BaseException as error:  # noqa: BLE001  it is raised where it is waited for
            with self._guard:
                self._pending = None if self._pending is pending else self._pending
            pending.set_exception(error)
            return
        with self._guard:
            wanted = self._pending is pending
            if wanted:
                self._opened, self._pending = fresh, None
        if wanted:
            self._breaker.hopeful()
            pending.set_result(fresh)
        else:
            fresh.close()
            pending.set_exception(StoreUnavailable("the store was closed"))


def _begun(rows: Iterator[T]) -> Iterator[T]:
    """The same rows, the first one read already: the call itself says so where the database is away."""
    first = list(islice(rows, 1))
    return chain(first, rows)
