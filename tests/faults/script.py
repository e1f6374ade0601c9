"""What a scripted Bolt peer answers, and the faults it plays. `Fault`s are made by the functions at the end."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Answer = tuple[Sequence[str], Sequence[Sequence[object]]]
"""Keys and rows."""
Answers = Mapping[str, Answer] | Callable[[str, Mapping[str, Any]], Answer | None]
"""By a piece of the query's text, or a regular expression that is found in it; or asked with query and parameters."""
CONNECT: Final = "connect"
"""The moment before the handshake, where a fault may be instead of at a message."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong at a message, or before the handshake."""

    kind: str
    """`silent`, `deaf`, `drop`, `garbage`, `http`, `version`, `half`, `slow` or `fail`; of a relay `before`, `after` or `stall`."""
    at: str = CONNECT
    """The message at which it happens: its answer is never given, but where it is `slow` or `deaf`."""
    query: str = ""
    """A piece of the text of the query that the connection is at; empty: any."""
    times: int | None = None
    """How often it happens; None is always."""
    after: int = 0
    """How many such messages are answered before the first that is not."""
    code: str = ""
    message: str = ""
    seconds: float = 0.0
    """By how much an answer is late."""
    data: bytes = b""
    """The message that is sent in place of an answer, without its chunks."""


@dataclass(slots=True)
class Script:
    """Answers and faults. A query without an answer is refused as a syntax error that names it."""

    answers: Answers = field(default_factory=dict)
    faults: Sequence[Fault] = ()
    hints: Mapping[str, object] = field(default_factory=dict)
    """What the server tells the driver in its answer to HELLO, such as `connection.recv_timeout_seconds`."""
    recover_after: int | None = None
    """After so many faults in all the peer behaves."""

    def answer(self, query: str, parameters: Mapping[str, Any]) -> Answer | None:
        """The answer to a query; None where there is none."""
        if callable(self.answers):
            return self.answers(query, parameters)
        return next((rows for part, rows in self.answers.items() if part in query or re.search(part, query)), None)


class Faults:
    """The faults of a script as they are used up. Any thread."""

    def __init__(self, script: Script) -> None:
        self._guard = threading.Lock()
        self._after = [fault.after for fault in script.faults]
        self._left = [fault.times for fault in script.faults]
        self._faults, self._in_all = script.faults, script.recover_after
        self.played: list[Fault] = []

    def due(self, at: str, query: str = "") -> Fault | None:
        """The first fault that is due at this message, which counts as played."""
        with self._guard:
            if self._in_all is not None and len(self.played) >= self._in_all:
                return None
            for number, fault in enumerate(self._faults):
                if fault.at == at and fault.query in query and self._is_due(number):
                    self.played.append(fault)
                    return fault
        return None

    def _is_due(self, number: int) -> bool:
        left = self._left[number]
        if left == 0:
            return False
        if self._after[number]:
            self._after[number] -= 1
            return False
        self._left[number] = None if left is None else left - 1
        return True


def silent(times: int | None = None) -> Fault:
    """Accepts, and never says a word."""
    return Fault("silent", times=times)


def silent_after(message: str, query: str = "", times: int | None = None, after: int = 0) -> Fault:
    """Takes a message, and says nothing from then on; the connection stays open."""
    return Fault("silent", message, query, times, after)


def deaf_after(message: str, query: str = "", times: int | None = None, after: int = 0) -> Fault:
    """Answers a message, reads nothing that comes after it, and keeps the connection open."""
    return Fault("deaf", message, query, times, after)


def slow(message: str, seconds: float, query: str = "", times: int | None = None, after: int = 0) -> Fault:
    """Answers a message so much later."""
    return Fault("slow", message, query, times, after, seconds=seconds)


def drop_before_handshake(times: int | None = None) -> Fault:
    """Closes a connection as soon as it is there."""
    return Fault("drop", times=times)


def drop_after(message: str, query: str = "", times: int | None = None, after: int = 0) -> Fault:
    """Closes the connection instead of answering a message."""
    return Fault("drop", message, query, times, after)


def drop_before_commit_answer(query: str = "", times: int | None = 1, after: int = 0) -> Fault:
    """Commits, and closes the connection before it says so."""
    return Fault("drop", "COMMIT", query, times, after)


def garbage(
    at: str = CONNECT, query: str = "", times: int | None = None, data: bytes = b"\xb1\x70\xdf\xff not a value"
) -> Fault:
    """Sends what is no Bolt: before the handshake bytes of another protocol, at a message `data` as a chunk."""
    return Fault("garbage", at, query, times, data=data)


def half(message: str, query: str = "", times: int | None = None) -> Fault:
    """Sends half an answer to a message and closes the connection."""
    return Fault("half", message, query, times)


def http(times: int | None = None) -> Fault:
    """Answers like a web server."""
    return Fault("http", times=times)


def wrong_version(times: int | None = None) -> Fault:
    """Knows no version of Bolt that is offered."""
    return Fault("version", times=times)


def fail(
    code: str, message: str = "it failed", at: str = "RUN", query: str = "", times: int | None = 1, after: int = 0
) -> Fault:
    """Answers a message with an error of the server."""
    return Fault("fail", at, query, times, after, code, message)


def cut_before(message: str, nth: int = 1, query: str = "") -> Fault:
    """A relay cuts the connection instead of passing on the nth such message of all connections: it never arrives."""
    return Fault("before", message, query, 1, nth - 1)


def cut_after(message: str, nth: int = 1, query: str = "") -> Fault:
    """A relay passes the nth such message on, and cuts the connection when the answer comes: it was done, and nobody told."""
    return Fault("after", message, query, 1, nth - 1)


def stall_at(message: str, nth: int = 1, query: str = "") -> Fault:
    """A relay passes nothing on any more from the nth such message on, on no connection, and keeps all open."""
    return Fault("stall", message, query, 1, nth - 1)
