"""A store that is opened when it is needed, by one thread for all who need it, and opened anew once it was left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as waited_for
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from corpus.errors import StoreError, StoreUnavailable
from corpus.store import Store


@dataclass(eq=False, slots=True)
class Held:
    """An opened store, and how many questions it is being asked now."""

    store: Store
    mark: object
    asking: int = 0


class Opening:
    """Holds the store that is asked now, and those that were left and may still be asked by somebody."""

    def __init__(
        self, opening: Callable[[], Store], opened: Callable[[], None], mark: Callable[[], object] | None = None
    ) -> None:
        """`opened` is told of each opening. `mark` says what is at the place now: when it changes, the store is another one."""
        self._opening, self._told, self._mark = opening, opened, mark or (lambda: None)
        self._guard = threading.Lock()
        self._held: Held | None = None
        self._left: list[Held] = []
        self._pending: Future[Held] | None = None

    @contextmanager
    def lent(self, wait: float | None) -> Iterator[Held]:
        """Lend the store for one question; `wait` is how many seconds it may take to be opened, None for any.

        Raises `StoreUnavailable` where it is not open by then (the opening goes on), and whatever the opening raises.
        """
        held = self._get(wait)
        try:
            yield held
        finally:
            with self._guard:
                held.asking -= 1

    def leave(self, held: Held | None) -> None:
        """Ask this store no more; it is closed when another one is opened and nobody asks it any more."""
        with self._guard:
            if held is not None and self._held is held:
                self._left.append(held)
                self._held = None

    def close(self) -> None:
        """Close every store that was opened; one that is being opened now is closed as soon as it is there."""
        with self._guard:
            stores = [held.store for held in (*self._left, self._held) if held is not None]
            self._held = self._pending = None
            self._left = []
        for store in stores:
            store.close()

    def _get(self, wait: float | None) -> Held:
        mark = self._mark()
        with self._guard:
            if self._held is not None and self._held.mark != mark:
                self._left.append(self._held)
                self._held = None
            if self._held is not None:
                self._held.asking += 1
                return self._held
            if self._pending is None:
                self._pending = Future()
                threading.Thread(target=self._open, args=(self._pending, mark), name="opening", daemon=True).start()
            pending = self._pending
        if not waited_for([pending], wait).done:
            raise StoreUnavailable(f"the database did not let us in within {wait:g} s; it is still being asked")
        return self._fresh(pending.result())

    def _fresh(self, held: Held) -> Held:
        """Count a question to a store that was opened just now, unless it was closed already."""
        with self._guard:
            if held is not self._held and held not in self._left:
                raise StoreUnavailable("the store was closed")
            held.asking += 1
        return held

    def _open(self, pending: Future[Held], mark: object) -> None:
        self._close_idle()
        try:
            fresh = Held(self._opening(), mark)
        except BaseException as error:  # noqa: BLE001  it is raised where it is waited for
            with self._guard:
                self._pending = None if self._pending is pending else self._pending
            pending.set_exception(error)
            return
        with self._guard:
            wanted = self._pending is pending
            if wanted:
                self._held, self._pending = fresh, None
        if wanted:
            self._told()
            pending.set_result(fresh)
        else:
            fresh.store.close()
            pending.set_exception(StoreUnavailable("the store was closed"))

    def _close_idle(self) -> None:
        with self._guard:
            idle = [held for held in self._left if not held.asking]
            self._left = [held for held in self._left if held.asking]
        for held in idle:
            with suppress(StoreError):
                held.store.close()
