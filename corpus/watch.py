"""A deadline for calls that block in a library: when it passes, what they wait on is broken off, and they end with an error."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count


class Watch:
    """Watches over calls of many threads with one thread of its own, which lives only while there is a call to watch."""

    def __init__(self, break_off: Callable[[], None]) -> None:
        self._break_off = break_off
        self._deadlines: dict[int, float] = {}
        self._broken: set[int] = set()
        self._changed = threading.Condition()
        self._numbers = count()
        self._thread: threading.Thread | None = None

    @contextmanager
    def within(self, seconds: float) -> Iterator[Callable[[], bool]]:
        """Break off what goes on inside after so many seconds; the value says whether that happened."""
        number = next(self._numbers)
        with self._changed:
            self._deadlines[number] = time.monotonic() + seconds
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
            elif len(self._deadlines) == 1:
                self._changed.notify()
        try:
            yield lambda: number in self._broken
        finally:
            with self._changed:
                self._deadlines.pop(number, None)
                self._broken.discard(number)

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            thread, self._thread = self._thread, None
            self._changed.notify()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._thread is not threading.current_thread():
                    return
                now = time.monotonic()
                late = {number for number, deadline in self._deadlines.items() if deadline <= now}
                if not late:
                    self._changed.wait(min(self._deadlines.values()) - now if self._deadlines else None)
                    continue
                self._broken |= late
                for number in late:
                    del self._deadlines[number]
            self._break_off()
