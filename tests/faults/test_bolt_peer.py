"""The tests' own Bolt server against the official driver: what is scripted is answered, and a fault does what it says."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DriverError,
    IncompleteCommit,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
    UnsupportedServerProduct,
)

from tests.faults import script
from tests.faults.bolt_peer import BoltPeer
from tests.faults.packstream import NotPackStream, Structure, Unchunker, chunked, pack, unpack
from tests.faults.script import Fault, Script

ONE = {"RETURN 1": (["one"], [[1]])}
DEADLOCK = "Neo.TransientError.Transaction.DeadlockDetected"


@contextmanager
def driver(peer: BoltPeer, retry: float = 0.0) -> Iterator[Driver]:
    with GraphDatabase.driver(
        peer.url,
        auth=("neo4j", "secret"),
        connection_timeout=1.0,
        connection_acquisition_timeout=1.0,
        max_transaction_retry_time=retry,
    ) as made:
        yield made


def ask(peer: BoltPeer, text: str = "RETURN 1", retry: float = 0.0) -> list[list[object]]:
    with driver(peer, retry) as made, made.session(database="neo4j") as session:
        return session.execute_read(lambda transaction: [record.values() for record in transaction.run(text)])


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        *(sign * (1 << bits) + step for bits in (0, 4, 7, 8, 15, 16, 31, 32, 62) for sign in (1, -1) for step in (-1, 0, 1)),
        (1 << 63) - 1,
        -(1 << 63),
        1.5,
        "",
        "Évora 北京 🙂",
        *("x" * size for size in (15, 16, 255, 256, 65_536)),
        b"",
        b"\0\xff" * 40_000,
        [],
        [1, [2, ["three"]]],
        list(range(300)),
        {},
        {f"k{n}": n for n in range(20)},
        {"rows": [{"id": "doi:10.1/x", "n": 1, "title": None}]},
        Structure(0x70, ({"fields": ["a"]}, 1)),
    ],
)  # fmt: skip
def test_a_value_is_read_as_it_was_written(value: object) -> None:
    assert unpack(pack(value)) == value


@pytest.mark.parametrize("data", [b"", b"\xdf", b"\x85abc", b"\x01\x02", b"\xd4\x05\x01"])
def test_bytes_that_are_no_value_are_refused(data: bytes) -> None:
    with pytest.raises(NotPackStream):
        unpack(data)


def test_messages_come_out_of_pieces_of_any_size() -> None:
    wanted = [b"a", b"x" * 70_000, b"\0\0", b"end"]
    stream = b"\0\0".join(map(chunked, wanted))  # a sign of life between them
    for size in (1, 7, 1000, len(stream)):
        joiner = Unchunker()
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        found = [message for piece in pieces for message in joiner.feed(piece)]
        assert [message for message, _ in found] == wanted
        assert b"".join(raw for _, raw in found) == b"".join(map(chunked, wanted))


def test_a_scripted_query_is_answered_and_what_came_is_noted() -> None:
    rows = [[number, f"paper {number}", [1.5, None], {"key": True}, b"\0\1"] for number in range(2_500)]
    hints = {"telemetry.enabled": True}
    with BoltPeer(Script({"MATCH": (["n", "title", "list", "map", "bytes"], rows)}, hints=hints)) as peer:
        assert ask(peer, "MATCH (p) RETURN p") == rows
        assert peer.queries == ["MATCH (p) RETURN p"]
        in_pages_of_1000 = ["PULL"] * 3
        assert peer.names[:9] == ["HELLO", "LOGON", "TELEMETRY", "BEGIN", "RUN", *in_pages_of_1000, "COMMIT"]
        assert peer.committed == [("MATCH (p) RETURN p",)]


def test_an_answer_may_depend_on_parameters() -> None:
    with (
        BoltPeer(Script(lambda _, parameters: (["twice"], [[2 * parameters["n"]]]))) as peer,
        driver(peer) as made,
        made.session() as session,
    ):
        assert [session.run("RETURN 2 * $n", n=number).single(strict=True)[0] for number in (1, 2)] == [2, 4]


def test_two_results_of_a_transaction_are_read_side_by_side() -> None:
    answers = {"RETURN 1": (["one"], [[1], [1]]), "RETURN 2": (["two"], [[2], [2]])}
    with (
        BoltPeer(Script(answers)) as peer,
        driver(peer) as made,
        made.session(fetch_size=1) as session,
        session.begin_transaction() as transaction,
    ):
        first, second = transaction.run("RETURN 1"), transaction.run("RETURN 2")
        assert [next(second)[0], next(first)[0], next(second)[0], next(first)[0]] == [2, 1, 2, 1]


def test_a_query_without_an_answer_is_named() -> None:
    with BoltPeer(Script(ONE)) as peer, pytest.raises(ClientError, match="no answer to: RETURN 2"):
        ask(peer, "RETURN 2")


def test_a_routing_driver_finds_the_peer_as_its_own_cluster() -> None:
    with (
        BoltPeer(Script(ONE)) as peer,
        GraphDatabase.driver(peer.url.replace("bolt", "neo4j"), auth=("neo4j", "secret")) as made,
    ):
        assert made.execute_query("RETURN 1", database_="neo4j").records[0][0] == 1
        assert "ROUTE" in peer.names


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        (script.drop_before_handshake(), ServiceUnavailable, "handshake response"),
        (script.silent(), ServiceUnavailable, "Failed to read|timed out"),
        (script.garbage(), UnsupportedServerProduct, "does not support"),
        (script.http(), ServiceUnavailable, "looks like HTTP"),
        (script.wrong_version(), UnsupportedServerProduct, "does not support"),
        (script.drop_after("HELLO"), SessionExpired, "defunct connection"),
        (script.drop_after("RUN"), (ServiceUnavailable, SessionExpired), None),
        (script.drop_after("PULL"), (ServiceUnavailable, SessionExpired), None),
        (script.half("PULL"), (ServiceUnavailable, SessionExpired), None),
        (script.drop_before_commit_answer(), IncompleteCommit, None),
        (script.fail("Neo.ClientError.Security.Unauthorized", at="LOGON"), AuthError, "it failed"),
        (script.fail(DEADLOCK), TransientError, "it failed"),
        (script.fail("Neo.ClientError.Transaction.TransactionTimedOut"), ClientError, "it failed"),
    ],
    ids=lambda value: f"{value.kind}-{value.at}-{value.code}" if isinstance(value, Fault) else None,
)
def test_a_fault_is_what_it_says(fault: Fault, error: type[DriverError], says: str | None) -> None:
    begun = time.monotonic()
    with BoltPeer(Script(ONE, [fault])) as peer:
        with pytest.raises(error, match=says):
            ask(peer)
        assert peer.faults.played == [fault]
    assert time.monotonic() - begun < 3
    assert not [thread for thread in threading.enumerate() if thread.name == "test server"]


def test_a_commit_whose_answer_is_lost_has_happened() -> None:
    with BoltPeer(Script(ONE, [script.drop_before_commit_answer()])) as peer:
        with pytest.raises(IncompleteCommit):
            ask(peer)
        assert peer.committed == [("RETURN 1",)]


def test_a_fault_that_is_used_up_is_over() -> None:
    with BoltPeer(Script(ONE, [script.fail(DEADLOCK, times=2)])) as peer:
        assert ask(peer, retry=20.0) == [[1]]
        assert len(peer.faults.played) == 2
        assert peer.queries == ["RETURN 1"] * 3


def test_a_peer_recovers_after_so_many_faults() -> None:
    faults = [script.drop_before_handshake(), script.drop_after("RUN")]
    with BoltPeer(Script(ONE, faults, recover_after=2)) as peer:
        for _ in range(2):
            with pytest.raises(ServiceUnavailable):
                ask(peer)
        assert ask(peer) == [[1]]


def test_a_fault_waits_for_its_query_and_its_turn() -> None:
    faults = [script.drop_after("RUN", query="RETURN 1", after=1, times=1)]
    with BoltPeer(Script({"RETURN": (["number"], [[1]])}, faults)) as peer:
        assert ask(peer, "RETURN 2") == ask(peer, "RETURN 1") == ask(peer, "RETURN 2") == [[1]]
        with pytest.raises((ServiceUnavailable, SessionExpired)):
            ask(peer, "RETURN 1")
        assert ask(peer, "RETURN 1") == [[1]]


def test_the_driver_waits_no_longer_for_an_answer_than_the_server_told_it_to() -> None:
    """Its only time limit for reading once a connection is made: without the hint it would wait for ever."""
    hints = {"connection.recv_timeout_seconds": 1}
    with BoltPeer(Script(ONE, [script.silent_after("RUN")], hints)) as peer:
        begun = time.monotonic()
        with pytest.raises((ServiceUnavailable, SessionExpired)):
            ask(peer)
        assert 0.9 < time.monotonic() - begun < 3


def test_a_peer_that_ends_hangs_up_on_whoever_waits() -> None:
    with (
        BoltPeer(Script(faults=[script.silent()])) as peer,
        socket.create_connection(("127.0.0.1", int(peer.address.partition(":")[2]))) as client,
    ):
        client.settimeout(5)
        peer.__exit__()
        with suppress(ConnectionResetError):  # where it was not accepted yet
            assert client.recv(1) == b""
