"""A deadline for calls that block in a library: when it passes, what they wait on is broken off, and they end with an error."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_AGAIN: Final = 0.2
"""Seconds after which a call that is late and has not ended is broken off again: it may have been about to wait on something new."""
_log = logging.getLogger(__name__)


class Call:
    """A call under watch."""

    def __init__(self) -> None:
        self.late = False
        """Whether its time was up before it ended."""
        self.break_off: Callable[[], None] | None = None
        """What ends that on which the call waits now. It is called from another thread, maybe more than once, and must not block."""


class Watch:
    """Watches over calls of many threads with one thread of its own, which lives until `close`."""

    def __init__(self) -> None:
        self._due: dict[Call, float] = {}
        """When each call is to be broken off, on the monotonic clock."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def within(self, seconds: float) -> Iterator[Call]:
        """Break off what goes on inside after so many seconds; the value says whether that happened."""
        call = Call()
        with self._changed:
            due = time.monotonic() + seconds
            if due < min(self._due.values(), default=math.inf):
                self._changed.notify()  # the thread waits for a later one, or for any
            self._due[call] = due
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
        try:
            yield call
        finally:
            with self._changed:
                del self._due[call]

    def close(self) -> None:
        """End the thread; what is asked from now on is not watched."""
        with self._changed:
            thread, self._thread, self._closed = self._thread, None, True
            self._changed.notify()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._thread is not threading.current_thread():
                    return
                now = time.monotonic()
                late = [call for call, due in self._due.items() if due <= now]
                if not late:
                    self._changed.wait(min(self._due.values()) - now if self._due else None)
                    continue
                for call in late:
                    call.late = True
                    self._due[call] = now + _AGAIN
            for call in late:
                _break_off(call)


def _break_off(call: Call) -> None:
    """Whatever goes wrong here must not end the thread that all other calls rely on."""
    try:
        if call.break_off is not None:
            call.break_off()
    except Exception:  # noqa: BLE001  it is logged, and tried again
        _log.exception("a call that was late could not be broken off")
