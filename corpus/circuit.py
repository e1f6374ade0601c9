"""A circuit breaker: a database that does not answer is left alone for a while, so that nobody waits for it in vain."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from typing import Final

from corpus.errors import StoreUnavailable

FAILURES: Final = 5
"""Failures in a row after which it is left alone."""
REST: Final = 10.0
"""Seconds for which it is left alone; then one call tries again."""
_log = logging.getLogger(__name__)


class Breaker:
    """Counts what a database fails to answer, and says who may ask it. Any thread may call it.

    After `FAILURES` in a row nobody may ask for `REST` seconds; then one call may, and the others still may not until it is
    answered.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._failures = 0
        self._since: float | None = None
        """When the first of the failures in this row was."""
        self._rests_until: float | None = None
        self._trying = False
        self._turn = 0
        """Calls of an earlier turn say nothing new of the database when they fail."""
        self._last = ""

    def admit(self) -> int:
        """Let a call through, and say in which turn. Raises `StoreUnavailable` while the database is left alone."""
        with self._guard:
            now = self._clock()
            if self._rests_until is not None:
                if now < self._rests_until:
                    raise StoreUnavailable(self._refusal(now, self._rests_until - now))
                self._rests_until, self._trying = now + REST, True
            return self._turn

    def hopeful(self) -> None:
        """Note that the database let somebody in: the next call may try at once, unless one is trying already."""
        with self._guard:
            if self._rests_until is not None and not self._trying:
                self._rests_until = self._clock()

    def answered(self) -> None:
        """Note that the database answered: everybody may ask it."""
        with self._guard:
            if self._rests_until is not None:
                _log.warning("the database answers again after %s", self._away(self._clock()))
            if self._failures:
                self._turn += 1
            self._failures, self._since, self._rests_until, self._trying = 0, None, None, False

    def failed(self, turn: int, what: str) -> bool:
        """Note that a call of this turn was not answered; return whether nobody may ask from now on."""
        with self._guard:
            if turn != self._turn:
                return False
            now = self._clock()
            self._failures += 1
            self._last = what
            self._since = now if self._since is None else self._since
            if self._failures < FAILURES:
                return False
            if self._rests_until is None:
                _log.warning("%s; it is left alone, and tried again every %g s", what, REST)
            self._rests_until, self._trying = now + REST, False
            self._turn += 1
            return True

    def _refusal(self, now: float, left: float) -> str:
        when = "is being tried again now" if self._trying else f"is tried again in {math.ceil(left)} s"
        return f"{self._last}; it has not answered for {self._away(now)} and {when}"

    def _away(self, now: float) -> str:
        return f"{now - (now if self._since is None else self._since):.0f} s"
