"""The store on Neo4j where the server or the way to it fails: the right error in one line, soon, and nothing left behind."""

from __future__ import annotations

import gc
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from corpus.access import Access
from corpus.errors import StoreBusy, StoreDenied, StoreError, StoreUnavailable
from corpus.neo4j_connection import Connection, Transaction
from corpus.neo4j_schema import SCHEMA_VERSION
from corpus.store import Store
from corpus.stores import open_store
from tests.contract.making import run
from tests.faults import script
from tests.faults.bolt_peer import BoltPeer
from tests.faults.script import Answer, Fault, Script

ROOT = Path(__file__).resolve().parents[2]
SOON = 3.0
"""Seconds in which an open or a read ends."""
PATIENCE = 1.0
FACT = "c[$name]"
"""Of the query that asks for the corpus' version."""
NOTE = "IngestRun"
"""Of the queries that note a run, the last of a write."""
SECRET = "never-shown"  # noqa: S105  no server has it
ACCESS = Access(password=SECRET)
HINTS = {"connection.recv_timeout_seconds": 1}
OUTDATED = "Neo.TransientError.Transaction.Outdated"
DEADLOCK = "Neo.TransientError.Transaction.DeadlockDetected"


def corpus(query: str, _: Mapping[str, Any]) -> Answer:
    """A corpus of version 7, as far as opening it, asking for its version and noting a run go."""
    rows: dict[str, list[list[object]]] = {
        "RETURN c.schema": [[SCHEMA_VERSION]],
        FACT: [[7]],
        "RETURN w.token": [[None] * 6],
        "RETURN c.next": [[1]],
        f"(r:{NOTE} {{id: $id}}) SET": [["r1"]],
    }
    found = next((rows[part] for part in rows if part in query), [])
    return [f"c{place}" for place in range(len(found[0]) if found else 1)], found


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    before = set(threading.enumerate())  # stores of longer-lived fixtures have threads of their own
    yield
    nothing_left_behind(before)


def nothing_left_behind(before: set[threading.Thread]) -> None:
    """No new thread of the store or of a server of the tests, and nothing that warns when it is collected."""
    gc.collect()
    fresh = set(threading.enumerate()) - before
    assert not {thread.name for thread in fresh} & {"deadlines", "test server"}


@contextmanager
def within(seconds: float) -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < seconds


def opened(url: str, patience: float = PATIENCE) -> Store:
    return open_store(url, Path("unused"), access=ACCESS, patience=patience)


def refused(what: Callable[[], object], error: type[StoreError], says: str) -> None:
    """The error comes soon, is of this class exactly, says so in one line, and names no secret."""
    with within(SOON), pytest.raises(error, match=says) as caught:
        what()
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "bolt+ssc", "neo4j+ssc"])
def test_a_closed_port_is_told_soon(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"{scheme}://127.0.0.1:{port}"
    refused(lambda: opened(url), StoreUnavailable, re.escape(url))


def test_who_listens_and_is_silent_is_told_from_who_does_not_listen() -> None:
    with BoltPeer(Script(corpus, [script.silent()])) as peer:
        refused(lambda: opened(peer.url), StoreUnavailable, "who listens there is silent, or speaks no Bolt")


def test_a_server_without_encryption_is_told_where_it_was_asked_for() -> None:
    with BoltPeer(Script(corpus, [])) as peer:
        refused(
            lambda: opened(peer.url.replace("bolt", "bolt+ssc")),
            StoreUnavailable,
            "takes no encrypted connection.*bolt://",
        )


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "bolt+ssc"])
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (script.silent(), "does not answer"),
        (script.drop_before_handshake(), "does not answer"),
        (script.garbage(), "does not (answer|speak Bolt)"),
        (script.http(), "does not answer|is a web port"),
        (script.wrong_version(), "does not (answer|speak Bolt)"),
    ],
    ids=["silent", "drop", "garbage", "http", "version"],
)
def test_what_is_no_neo4j_is_told_soon(fault: Fault, says: str, scheme: str) -> None:
    with BoltPeer(Script(corpus, [fault])) as peer:
        refused(lambda: opened(peer.url.replace("bolt", scheme)), StoreUnavailable, says)


@pytest.mark.parametrize("message", ["HELLO", "LOGON", "BEGIN", "ROLLBACK"])
@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_command_that_would_wait_long_for_an_answer_is_told_soon_all_the_same(scheme: str, message: str) -> None:
    """As every command but `serve` opens the store: a cold server may take 15 s for a query, but not for a greeting."""
    with BoltPeer(Script(corpus, [script.silent_after(message)])) as peer:
        url = peer.url.replace("bolt", scheme)
        refused(lambda: opened(url, 15.0), StoreUnavailable, f"{peer.address} (does not answer|is silent)")


@pytest.mark.parametrize("message", ["HELLO", "LOGON", "BEGIN", "RUN", "PULL", "COMMIT"])
@pytest.mark.parametrize("play", [script.drop_after, script.half, script.silent_after])
def test_a_server_that_breaks_off_while_it_is_opened_is_told_soon(play: Callable[..., Fault], message: str) -> None:
    with BoltPeer(Script(corpus, [play(message)])) as peer:
        refused(lambda: opened(peer.url), StoreUnavailable, f"{peer.address} (does not answer|is silent)")


@pytest.mark.parametrize("message", ["HELLO", "LOGON", "BEGIN", "RUN", "PULL", "COMMIT"])
@pytest.mark.parametrize(
    "data",
    [
        b"\x2a",
        b"\xb1\x70\xdf\xff",
        b"\xb1\x70\xa1",
        b"\xb1\x70\x2a",
        b"\xb1\x71\x91\x82\xff\xfe",
        b"\xb1\x2c\xa0",
        b"\xb1\x7f\x2a",
        b"\xb0\x70",
    ],
    ids=["number", "marker", "cut", "no-map", "utf-8", "signature", "failure", "no-field"],
)
def test_answers_that_are_no_bolt_are_told_soon_and_forgotten(data: bytes, message: str) -> None:
    """Wherever the driver stumbles over them, and whatever it raises then."""
    with BoltPeer(Script(corpus, [script.garbage(message, data=data)])) as peer:
        refused(lambda: opened(peer.url), StoreUnavailable, rf"{peer.address} (answers with what is no Bolt|is silent)")
    fault = script.garbage(message, FACT, times=1, data=data)
    if message in {"RUN", "PULL", "COMMIT"}:
        with BoltPeer(Script(corpus, [fault])) as peer, closing(opened(peer.url)) as store:
            refused(store.version, StoreUnavailable, rf"{peer.address} (answers with what is no Bolt|is silent)")
            assert store.version() == 7


def test_a_mistake_of_ours_is_not_laid_to_the_server() -> None:
    def mistaken(_: Transaction) -> None:
        raise ValueError("a mistake")

    with BoltPeer(Script(corpus)) as peer, closing(Connection(peer.url, ACCESS, PATIENCE)) as connection:
        with pytest.raises(ValueError, match="a mistake"):
            connection.write(mistaken)
        with pytest.raises((TypeError, ValueError), match="not supported"):
            connection.read("RETURN c.schema", value=object())


def test_a_server_that_refuses_the_password_is_denied() -> None:
    fault = script.fail("Neo.ClientError.Security.Unauthorized", "wrong", at="LOGON", times=None)
    with BoltPeer(Script(corpus, [fault])) as peer:
        refused(lambda: opened(peer.url), StoreDenied, "PAPERATLAS_NEO4J__PASSWORD")


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("CredentialsExpired", "ALTER CURRENT USER SET PASSWORD"),
        ("TokenExpired", "get a new one and set PAPERATLAS_NEO4J__PASSWORD"),
        ("AuthorizationExpired", "run the command again"),
        ("AuthenticationRateLimit", "wait a few seconds"),
        ("Forbidden", "administrator grant"),
        ("AuthProviderTimeout", "directory of users"),
        ("AuthProviderFailed", "the server's log"),
        ("ModifiedConcurrently", "run the command again"),
        ("AuthProviderNotDefined", r"denies this to the user 'neo4j' \(first line\)"),
    ],
)
@pytest.mark.parametrize("at", ["LOGON", "RUN"])
def test_what_is_denied_is_told_with_what_to_do(at: str, code: str, says: str) -> None:
    fault = script.fail(f"Neo.ClientError.Security.{code}", "first line\nsecond", at=at, times=None)
    with BoltPeer(Script(corpus, [fault])) as peer:
        refused(lambda: opened(peer.url), StoreDenied, f"{peer.address} .*{says}")


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize(
    "code",
    [
        "General.ForbiddenOnReadOnlyDatabase",
        "General.WriteOnReadOnlyAccessDatabase",
        "Database.ReadOnlyDatabase",
    ],
)
def test_a_database_that_takes_no_writes_is_told_at_once(code: str, scheme: str) -> None:
    fault = script.fail(f"Neo.ClientError.{code}", "first line", query=NOTE, times=None)
    with BoltPeer(Script(corpus, [fault])) as peer, closing(opened(peer.url.replace("bolt", scheme))) as store:
        refused(lambda: store.put([], run()), StoreError, r"nothing can be written to .* read-only \(first line\)")


def test_a_server_that_is_not_the_leader_says_which_scheme_finds_it() -> None:
    fault = script.fail("Neo.ClientError.Cluster.NotALeader", "first line", query="CREATE", times=None)
    with BoltPeer(Script(empty, [fault])) as peer, closing(Connection(peer.url, ACCESS)) as connection:
        refused(
            lambda: connection.change_schema("CREATE", patience=0), StoreUnavailable, "neo4j:// in place of bolt://"
        )


@pytest.mark.parametrize(
    ("code", "error", "says"),
    [
        ("Neo.ClientError.Database.DatabaseNotFound", StoreError, "neo4j.database"),
        ("Neo.TransientError.Database.DatabaseUnavailable", StoreUnavailable, "cannot answer now|does not answer"),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", StoreError, "neo4j.heap"),
        ("Neo.TransientError.General.TransactionMemoryLimit", StoreError, "neo4j.heap"),
        ("Neo.ClientError.Transaction.TransactionTimedOut", StoreUnavailable, "took too long"),
        ("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", StoreUnavailable, "took too long"),
        ("Neo.TransientError.Transaction.Terminated", StoreUnavailable, "was stopped"),
        ("Neo.ClientError.Cluster.NotALeader", StoreUnavailable, "write"),
        (DEADLOCK, StoreBusy, "try again"),
        ("Neo.ClientError.Statement.SyntaxError", StoreError, "refused: first line"),
        ("Neo.DatabaseError.General.UnknownError", StoreError, "refused: first line"),
    ],
    ids=lambda value: value.rpartition(".")[2] if isinstance(value, str) and value.startswith("Neo.") else "",
)
def test_an_error_of_the_server_is_told_in_our_words(code: str, error: type[StoreError], says: str) -> None:
    fault = script.fail(code, "first line\n  at java.lang", query=FACT, times=None)
    with BoltPeer(Script(corpus, [fault])) as peer, closing(opened(peer.url)) as store:
        refused(store.version, error, says)


@pytest.mark.parametrize("message", ["RUN", "PULL", "COMMIT"])
def test_a_server_that_dies_in_mid_query_is_told_soon_and_found_again(message: str) -> None:
    with (
        BoltPeer(Script(corpus, [script.drop_after(message, query=FACT)], recover_after=2)) as peer,
        closing(opened(peer.url)) as store,
    ):
        refused(store.version, StoreUnavailable, "does not answer")
        assert store.version() == 7


@pytest.mark.parametrize("play", [script.drop_after, script.half])
@pytest.mark.parametrize("message", ["RUN", "PULL", "COMMIT"])
def test_a_connection_that_proves_to_be_stale_is_not_told_at_all(message: str, play: Callable[..., Fault]) -> None:
    with (
        BoltPeer(Script(corpus, [play(message, query=FACT, times=1)])) as peer,
        closing(opened(peer.url)) as store,
        within(SOON),
    ):
        assert store.version() == 7
        assert len(peer.faults.played) == 1


@pytest.mark.parametrize("message", ["RUN", "PULL"])
def test_a_read_that_a_write_overtook_is_asked_again(message: str) -> None:
    """A server says so in a list of citers that is read while an ingest adds to it."""
    overtaken = script.fail(OUTDATED, at=message, query=FACT, times=5)
    with BoltPeer(Script(corpus, [overtaken])) as peer, closing(opened(peer.url)) as store:
        assert store.version() == 7


def test_a_read_that_is_overtaken_for_ever_ends() -> None:
    overtaken = script.fail(OUTDATED, query=FACT, times=None)
    with BoltPeer(Script(corpus, [overtaken])) as peer, closing(opened(peer.url)) as store:
        refused(store.version, StoreUnavailable, "cannot answer now")


@pytest.mark.parametrize("message", ["RUN", "PULL", "COMMIT"])
def test_a_server_that_falls_silent_in_mid_query_is_told_soon_and_found_again(message: str) -> None:
    with (
        BoltPeer(Script(corpus, [script.silent_after(message, query=FACT, times=1)])) as peer,
        closing(opened(peer.url)) as store,
    ):
        refused(store.version, StoreUnavailable, "is silent")
        assert store.version() == 7


def test_a_process_that_forgets_to_close_ends_all_the_same() -> None:
    code = (
        "import sys; from pathlib import Path; from corpus.stores import Access, open_store;"
        " print(open_store(sys.argv[1], Path('unused'), access=Access(password='x')).version())"
    )
    with BoltPeer(Script(corpus)) as peer:
        done = subprocess.run(
            [sys.executable, "-c", code, peer.url], cwd=ROOT, check=True, capture_output=True, text=True, timeout=20
        )
    assert done.stdout == "7\n"


def test_a_write_that_met_another_one_is_done_again() -> None:
    with (
        BoltPeer(Script(corpus, [script.fail(DEADLOCK, query=NOTE)])) as peer,
        closing(opened(peer.url)) as store,
    ):
        store.put([], run())
        assert len(peer.faults.played) == 1
        assert [any(NOTE in query for query in queries) for queries in peer.committed].count(True) == 1


def test_a_write_that_always_meets_another_one_gives_up() -> None:
    with (
        BoltPeer(Script(corpus, [script.fail(DEADLOCK, query=NOTE, times=None)])) as peer,
        closing(opened(peer.url)) as store,
        pytest.raises(StoreBusy, match="try again"),
    ):
        store.put([], run())


@pytest.mark.parametrize(
    "fault",
    [
        script.drop_after("RUN", query=NOTE, times=1),
        script.half("RUN", query=NOTE, times=1),
        script.drop_before_commit_answer(query=NOTE),
        script.drop_before_commit_answer(query=NOTE, times=2),
        script.fail("Neo.ClientError.Cluster.NotALeader", query=NOTE),
        script.silent_after("RUN", query=NOTE, times=1),
        script.silent_after("COMMIT", query=NOTE, times=1),
    ],
    ids=lambda fault: f"{fault.kind}-{fault.at}-{fault.times}",
)
def test_a_write_that_is_broken_off_is_sent_again(fault: Fault) -> None:
    """A silent server too, within the time that it told the driver it would never be silent for."""
    with (
        BoltPeer(Script(corpus, [fault], hints=HINTS)) as peer,
        closing(opened(peer.url)) as store,
        within(10),
    ):
        store.put([], run())
        assert len(peer.faults.played) == fault.times
        assert any(NOTE in query for query in peer.committed[-1])


def empty(query: str, parameters: Mapping[str, Any]) -> Answer:
    """A database in which nothing is yet."""
    keys, rows = corpus(query, parameters)
    return keys, [] if "RETURN c.schema" in query else rows


@pytest.mark.parametrize("message", ["RUN", "PULL"])
@pytest.mark.parametrize("play", [script.drop_after, script.half])
@pytest.mark.parametrize("statement", ["CREATE CONSTRAINT paper_n", "CREATE FULLTEXT INDEX", "db.awaitIndexes"])
def test_a_schema_that_is_broken_off_is_made_all_the_same(
    statement: str, play: Callable[..., Fault], message: str
) -> None:
    with (
        BoltPeer(Script(empty, [play(message, query=statement, times=2)])) as peer,
        closing(opened(peer.url)) as store,
    ):
        assert len(peer.faults.played) == 2
        assert [statement in query for query in peer.queries].count(True) == 3
        assert [any(statement in query for query in queries) for queries in peer.committed].count(True) == 1
        assert store.version() == 7


def test_a_schema_statement_gives_up_when_its_patience_is_over() -> None:
    with (
        BoltPeer(Script(empty, [script.drop_after("RUN", query="CREATE")])) as peer,
        closing(Connection(peer.url, ACCESS)) as connection,
        within(3),
    ):
        with pytest.raises(StoreUnavailable, match="does not answer"):
            connection.change_schema("CREATE INDEX", patience=0.5)
        assert len(peer.faults.played) > 1


@pytest.mark.parametrize("code", ["Transaction.TransactionTimedOut", "Schema.ConstraintValidationFailed"])
def test_a_write_that_the_server_refuses_is_not_sent_again(code: str) -> None:
    fault = script.fail(f"Neo.ClientError.{code}", query=NOTE, times=None)
    with BoltPeer(Script(corpus, [fault])) as peer, closing(opened(peer.url)) as store:
        with pytest.raises(StoreError):
            store.put([], run())
        assert len(peer.faults.played) == 1
