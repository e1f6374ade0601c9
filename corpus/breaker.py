"""A store that may go away and come back: opened when it is first asked, and left alone for a while when it does not answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpus.errors import StoreUnavailable
from corpus.model import Paper, PartialDate
from corpus.store import Direction, Edition, Page, Row, Run, Size, Sort, Store, Stored, Verdict

T = TypeVar("T")
FAILURES: Final = 5
"""Failures in a row after which it is left alone."""
REST: Final = 10.0
"""Seconds for which it is left alone; then one call tries again."""


class Guarded:
    """A `corpus.store.Store` in front of another one that is opened when it is needed.

    Whoever asks while the database is down is told so at once, with `StoreUnavailable`: nobody waits for a time-out that others
    have waited for already. When it is back, the next call after the rest finds it.
    """

    def __init__(self, kind: str, opening: Callable[[], Store], clock: Callable[[], float] = time.monotonic) -> None:
        self.kind, self.batch = kind, 1_000
        self._opening, self._clock = opening, clock
        self._guard = threading.Lock()
        self._opened: Store | None = None
        self._failures = 0
        self._rests_until: float | None = None
        self._last = ""

    def try_now(self) -> str | None:
        """Open the store; return what is wrong where it does not answer. Raises every other `StoreError`."""
        try:
            self._ask(lambda store: store.size())
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
        return self._ask(lambda store: store.identifiers())

    def paper(self, address: str) -> Stored | None:
        """As the store."""
        return self._ask(lambda store: store.paper(address))

    def papers(self, addresses: Sequence[str]) -> list[Stored]:
        """As the store."""
        return self._ask(lambda store: store.papers(addresses))

    def stream(self) -> Iterator[Stored]:
        """As the store; what fails after its first paper is raised as it is."""
        return self._ask(lambda store: store.stream())

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
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def _ask(self, question: Callable[[Store], T]) -> T:
        self._admit()
        try:
            answer = question(self._store())
        except StoreUnavailable as error:
            self._failed(str(error))
            raise
        with self._guard:
            self._failures, self._rests_until = 0, None
        return answer

    def _admit(self) -> None:
        """Let a call through, or tell it that the store rests; after the rest, one call is let through."""
        with self._guard:
            if self._rests_until is None:
                return
            left = self._rests_until - self._clock()
            if left > 0:
                raise StoreUnavailable(f"{self._last}; it is tried again in {left:.0f} s")
            self._rests_until = self._clock() + REST

    def _failed(self, what: str) -> None:
        with self._guard:
            self._failures += 1
            self._last = what
            if self._failures >= FAILURES:
                self._rests_until = self._clock() + REST

    def _store(self) -> Store:
        with self._guard:
            opened = self._opened
        if opened is not None:
            return opened
        fresh = self._opening()
        with self._guard:
            if self._opened is None:
                self._opened = fresh
                return fresh
            opened = self._opened
        fresh.close()  # another call was faster
        return opened
