"""Every call of the store on Neo4j ends in time, whatever the calls before it did to the thread that watches over them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

import pytest

from corpus.access import Access
from corpus.errors import StoreUnavailable
from corpus.neo4j_connection import Connection
from corpus.watch import Watch
from tests.faults import script
from tests.faults.bolt_peer import BoltPeer
from tests.faults.script import Answer, Script

ACCESS = Access(password="never-shown")  # noqa: S106  no server has it
PATIENCE = 0.2
LATE = PATIENCE + 0.5
"""Seconds after which a read is broken off."""
SOON = LATE + 0.5
FLOOD = "x" * 20_000_000
"""More than fits into the buffers between two sockets."""


def one_row(query: str, _: Mapping[str, Any]) -> Answer:
    return ["query"], [[query]]


@pytest.fixture(autouse=True)
def _no_thread_is_left_behind() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert not {thread.name for thread in set(threading.enumerate()) - before} & {"deadlines", "test server"}


def connected(peer: BoltPeer) -> Connection:
    return Connection(peer.url, ACCESS, PATIENCE)


def is_late(ask: Callable[[], object]) -> None:
    begun = time.monotonic()
    with pytest.raises(StoreUnavailable, match="is silent"):
        ask()
    assert LATE - 0.1 < time.monotonic() - begun < SOON


@pytest.mark.parametrize("message", ["BEGIN", "RUN", "PULL", "COMMIT"])
def test_one_silent_read_after_the_other_is_broken_off(message: str) -> None:
    """The first peer has stopped to read: it takes not even a farewell, and whoever says one waits until that times out.

    The first BEGIN is that of the look that opens the database.
    """
    faults = [
        script.deaf_after("BEGIN", times=1, after=1),
        script.silent_after(message, times=2, after=int(message == "BEGIN")),
    ]
    with BoltPeer(Script(one_row, faults)) as peer, closing(connected(peer)) as connection:
        is_late(lambda: connection.read("flood", flood=FLOOD))
        for _ in range(2):
            is_late(lambda: connection.read("small"))
        assert connection.read("well") == [["well"]]


def test_a_read_that_is_late_while_it_connects_does_not_wait_for_what_comes_then() -> None:
    """Its connection is in no pool yet when its time is up."""
    faults = [script.slow("HELLO", LATE + 0.2, after=1), script.silent_after("BEGIN", after=1)]
    with BoltPeer(Script(one_row, faults)) as peer, closing(connected(peer)) as connection:
        peer.hang_up()
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match="is silent"):
            connection.read("silent")
        assert LATE + 0.2 < time.monotonic() - begun < LATE + 0.2 + 0.8


def test_a_short_read_is_broken_off_beside_a_long_one() -> None:
    """Which is broken off with it, as it asks the same silent server, and does not wait for its own time."""
    begun = threading.Event()

    def answer(query: str, parameters: Mapping[str, Any]) -> Answer:
        begun.set()
        return one_row(query, parameters)

    with BoltPeer(Script(answer, [script.silent_after("PULL")])) as peer, closing(connected(peer)) as connection:
        ended: list[str] = []

        def read_for_long() -> None:
            with pytest.raises(StoreUnavailable) as caught:
                connection.read("long", timeout=100)
            ended.append(str(caught.value))

        long = threading.Thread(target=read_for_long)
        long.start()
        assert begun.wait(2)
        is_late(lambda: connection.read("short"))
        long.join(2)
        assert "does not answer" in ended[0]


def test_a_closed_connection_ends_the_reads_that_wait_and_takes_no_others() -> None:
    with BoltPeer(Script(one_row, [script.silent_after("RUN")])) as peer:
        connection = connected(peer)
        closing_soon = threading.Timer(0.2, connection.close)
        closing_soon.start()
        with pytest.raises(StoreUnavailable):
            connection.read("long", timeout=100)
        closing_soon.join()
        with pytest.raises(StoreUnavailable, match="was closed"):
            connection.read("after")


def test_the_sockets_of_a_driver_are_those_that_its_server_sees() -> None:
    """The driver has no public way to them: another version of it may need another one."""
    with BoltPeer(Script(one_row)) as peer, closing(connected(peer)) as connection:
        connection.read("one")
        line = connection._begun("read")
        try:
            with line.driver.session() as first, line.driver.session() as second:
                first.run("a")
                second.run("b")
                found = line.sockets()
                assert len(found) == len({one.getsockname() for one in found}) == 2
                assert {one.getpeername() for one in found} == {("127.0.0.1", int(peer.url.rpartition(":")[2]))}
        finally:
            line.end()


def test_a_watch_outlives_what_goes_wrong_when_it_breaks_off() -> None:
    watch = Watch()
    for _ in range(2):
        broken = threading.Event()

        def fail(broken: threading.Event = broken) -> None:
            broken.set()
            raise RuntimeError("what is to be broken off resists")

        with watch.within(0.05) as call:
            call.break_off = fail
            assert broken.wait(2), "the thread has ended"
            assert call.late
    watch.close()


def test_a_watch_breaks_off_again_what_goes_on_all_the_same() -> None:
    watch = Watch()
    third = threading.Event()
    times: list[float] = []

    def note() -> None:
        times.append(time.monotonic())
        if len(times) == 3:
            third.set()

    with watch.within(0.05) as call:
        call.break_off = note
        assert third.wait(2)
    watch.close()
    assert len(times) == 3, "a call that has ended is left alone"


def test_a_watch_does_not_oversleep_a_call_that_is_due_before_the_others() -> None:
    watch = Watch()
    broken = threading.Event()
    with watch.within(100), watch.within(0.05) as call:
        call.break_off = broken.set
        assert broken.wait(2)
    watch.close()
