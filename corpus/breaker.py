"""A store that may go away and come back: opened when it is first asked, and left alone for a while when it does not answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpus.circuit import FAILURES, REST, Breaker
from corpus.errors import StoreError, StoreUnavailable
from corpus.model import Paper, PartialDate
from corpus.opening import Held, Opening
from corpus.store import Direction, Edition, Page, Row, Run, Size, Sort, Store, Stored, Verdict

__all__ = ["FAILURES", "REST", "WAIT", "Guarded"]

T = TypeVar("T")
WAIT: Final = 1.5
"""Seconds that a call waits for a store that is being opened; the opening goes on without it."""
_log = logging.getLogger(__name__)


class Guarded:
    """A `corpus.store.Store` in front of another one that is opened when it is needed.

    Whoever asks while the database is down is told so at once, with `StoreUnavailable`: nobody waits for a time-out that others
    have waited for already. When it is back, the next call after the rest finds it. A store that was left alone is opened anew:
    the server may be another one, or elsewhere.

    `mark` and `lost` are for a store that is a file: `mark` says which file is there now, and another one is opened anew;
    `lost` are the errors that mean that the file cannot be used now. Each of them is told as `StoreUnavailable`, and the
    file is opened anew for the next call, for it takes no time and may have been mended.
    """

    def __init__(
        self,
        kind: str,
        opening: Callable[[], Store],
        clock: Callable[[], float] = time.monotonic,
        *,
        wait: float = WAIT,
        mark: Callable[[], object] | None = None,
        lost: tuple[type[Exception], ...] = (),
    ) -> None:
        self.kind, self.batch = kind, 1_000
        self._wait, self._a_file = wait, bool(lost)
        self._lost: tuple[type[Exception], ...] = (StoreUnavailable, *lost)
        self._breaker = Breaker(clock)
        self._opening = Opening(opening, self._breaker.hopeful, mark)
        self._told = ""
        """What was wrong with the file when the log was last told."""

    def try_now(self) -> str | None:
        """Open the store, however long it takes; return what is wrong where it does not answer. Raises every other error."""
        try:
            self._within(None, lambda store: store.version())
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
        self._opening.close()

    def _ask(self, question: Callable[[Store], T]) -> T:
        return self._within(self._wait, question)

    def _within(self, wait: float | None, question: Callable[[Store], T]) -> T:
        """Ask, where that is allowed now; `wait` is how many seconds the store may take to be opened, None for any."""
        turn, held = self._breaker.admit(), None
        try:
            with self._opening.lent(wait) as held:
                answer = question(held.store)
        except self._lost as error:
            raise self._gone(turn, held, error) from error
        except StoreError:  # a refusal is an answer
            self._breaker.answered()
            raise
        self._breaker.answered()
        return answer

    def _gone(self, turn: int, held: Held | None, error: Exception) -> StoreUnavailable:
        """Note that a call was not answered; return what to tell."""
        told = error if isinstance(error, StoreUnavailable) else StoreUnavailable(_words(error))
        if told is not error and str(told) != self._told:  # what waiting does not mend is worth a line, once
            self._told = str(told)
            _log.warning("%s", told)
        if self._breaker.failed(turn, str(told)) or self._a_file:
            self._opening.leave(held)
        return told


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, StoreError) else f"the corpus cannot be read: {error!r}"


def _begun(rows: Iterator[T]) -> Iterator[T]:
    """The same rows, the first one read already: the call itself says so where the database is away."""
    first = list(islice(rows, 1))
    return chain(first, rows)
