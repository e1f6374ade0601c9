"""A Bolt server for tests, on a thread: it answers out of a script and plays the faults that a healthy server never shows."""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.faults.listener import Listener, exactly
from tests.faults.packstream import Structure, Unchunker, chunked, pack, unpack
from tests.faults.script import CONNECT, Fault, Faults, Script

MAGIC: Final = b"\x60\x60\xb0\x17"
VERSION: Final = (5, 4)
NAMES: Final = {
    0x01: "HELLO",
    0x02: "GOODBYE",
    0x0F: "RESET",
    0x10: "RUN",
    0x11: "BEGIN",
    0x12: "COMMIT",
    0x13: "ROLLBACK",
    0x2F: "DISCARD",
    0x3F: "PULL",
    0x54: "TELEMETRY",
    0x66: "ROUTE",
    0x6A: "LOGON",
    0x6B: "LOGOFF",
}
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F
_BEFORE: Final[dict[str, bytes]] = {
    "garbage": b"SSH-2.0-OpenSSH_9.6\r\n\x17\x03\x03\xff\xfe\x00",
    "http": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "version": b"\0\0\0\0",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A message that came in."""

    name: str
    query: str
    """Of a RUN its own text, else that of the last RUN of the connection; empty before the first."""
    parameters: Mapping[str, Any]
    connection: int
    """Which connection, counted from 0."""


class BoltPeer(Listener):
    """The server, from `with` to its end."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script, self.faults = script, Faults(script)
        self.seen: list[Seen] = []
        self.committed: list[tuple[str, ...]] = []
        """The queries of each transaction that was committed, also where nobody was told."""

    @property
    def names(self) -> list[str]:
        """The names of the messages that came in."""
        return [seen.name for seen in self.seen]

    @property
    def queries(self) -> list[str]:
        """The texts of the queries that came in."""
        return [seen.query for seen in self.seen if seen.name == "RUN"]

    def serve(self, connection: socket.socket, number: int) -> None:
        """Answer and play faults until the connection is over."""
        _Talk(self, connection, number).run()


class _Over(Exception):
    """The connection is to be closed."""


@dataclass(slots=True)
class _Talk:
    """One connection."""

    peer: BoltPeer
    connection: socket.socket
    number: int
    query: str = ""
    failed: bool = False
    in_transaction: list[str] | None = None
    results: list[Iterator[tuple[bool, tuple[object, ...]]]] = field(default_factory=list)

    def run(self) -> None:
        try:
            fault = self.peer.faults.due(CONNECT)
            if fault is not None:
                self.before_handshake(fault)
                return
            self.handshake()
            incoming = Unchunker()
            while data := self.connection.recv(1 << 16):
                for message, _ in incoming.feed(data):
                    self.take(unpack(message))
        except _Over:
            return

    def before_handshake(self, fault: Fault) -> None:
        if fault.kind == "drop":
            return
        if fault.kind in _BEFORE:
            exactly(self.connection, 20)  # closing with bytes unread would take the answer away
            self.connection.sendall(_BEFORE[fault.kind])
            if fault.kind != "garbage":
                return
        self.listen_without_a_word()

    def listen_without_a_word(self) -> None:
        while self.connection.recv(1 << 16):
            pass
        raise _Over

    def keep_open(self, seconds: float | None = None) -> None:
        """Neither read nor write for so long, or until the connection is shut."""
        poll = select.poll()
        poll.register(self.connection, 0)
        if poll.poll(None if seconds is None else seconds * 1_000):
            raise _Over

    def handshake(self) -> None:
        opening = exactly(self.connection, 20)
        if len(opening) < 20 or opening[:4] != MAGIC:
            raise _Over
        major, minor = VERSION
        for _, span, newest, family in struct.iter_unpack("4B", opening[4:]):
            if family == major and newest - span <= minor <= newest:
                self.connection.sendall(bytes([0, 0, minor, major]))
                return
        self.connection.sendall(b"\0\0\0\0")
        raise _Over

    def say(self, tag: int, *fields: object) -> None:
        self.connection.sendall(chunked(pack(Structure(tag, fields))))

    def take(self, message: object) -> None:
        """Answer a message, or play the fault that is due at it."""
        if not isinstance(message, Structure) or message.tag not in NAMES:
            raise _Over
        name = NAMES[message.tag]
        parameters: Mapping[str, Any] = {}
        if name == "RUN":
            self.query, parameters = str(message.fields[0]), message.fields[1]  # type: ignore[assignment]
        self.peer.seen.append(Seen(name, self.query, parameters, self.number))
        if name == "GOODBYE":
            raise _Over
        if self.failed and name != "RESET":
            self.say(IGNORED)
            return
        fault = self.peer.faults.due(name, self.query)
        if fault is not None and fault.kind not in ("slow", "deaf"):
            self.play(fault)
            return
        if fault is not None and fault.kind == "slow":
            self.keep_open(fault.seconds)
        self.answer(name, message.fields, parameters)
        if fault is not None and fault.kind == "deaf":
            self.keep_open()

    def answer(self, name: str, fields: Sequence[Any], parameters: Mapping[str, Any]) -> None:
        if name == "RUN":
            self.answer_query(parameters)
        elif name in ("PULL", "DISCARD"):
            self.send_rows(name, fields[0])
        else:
            self.say(SUCCESS, self.change_state(name))

    def play(self, fault: Fault) -> None:
        if fault.at == "COMMIT" and fault.kind != "fail":
            self.change_state("COMMIT")
        if fault.kind == "fail":
            self.fail(fault.code, fault.message)
            return
        if fault.kind == "silent":
            self.listen_without_a_word()
        if fault.kind == "garbage":
            self.connection.sendall(chunked(fault.data))
            self.listen_without_a_word()
        if fault.kind == "half":
            whole = chunked(pack(Structure(SUCCESS, ({"server": "Neo4j/5.26.0"},))))
            self.connection.sendall(whole[: len(whole) // 2])
        raise _Over

    def fail(self, code: str, message: str) -> None:
        self.failed, self.in_transaction = True, None
        self.say(FAILURE, {"code": code, "message": message})

    def answer_query(self, parameters: Mapping[str, Any]) -> None:
        answer = self.peer.script.answer(self.query, parameters)
        if answer is None:
            self.fail("Neo.ClientError.Statement.SyntaxError", f"the script has no answer to: {self.query}")
            return
        keys, rows = answer
        if self.in_transaction is not None:
            self.in_transaction.append(self.query)
        last = len(rows) - 1
        self.results.append((place < last, tuple(row)) for place, row in enumerate(rows))
        self.say(SUCCESS, {"fields": list(keys), "t_first": 0, "qid": len(self.results) - 1})

    def send_rows(self, name: str, request: Any) -> None:
        wanted, more = request.get("n", -1), False
        result = self.results[request.get("qid", -1)]
        while wanted:
            row = next(result, None)
            if row is None:
                more = False
                break
            more = row[0]
            if name == "PULL":
                self.say(RECORD, list(row[1]))
            wanted -= 1
        if more:
            self.say(SUCCESS, {"has_more": True})
            return
        if self.in_transaction is None:
            self.peer.committed.append((self.query,))
        self.say(SUCCESS, {"type": "rw", "t_last": 0, "db": "neo4j", "bookmark": f"peer:{len(self.peer.committed)}"})

    def change_state(self, name: str) -> dict[str, object]:
        """What the message does, and the fields of its answer."""
        if name == "HELLO":
            hints = dict(self.peer.script.hints)
            return {"server": "Neo4j/5.26.0", "connection_id": f"bolt-{self.number}", "hints": hints}
        if name == "ROUTE":
            places = [{"addresses": [self.peer.address], "role": role} for role in ("ROUTE", "READ", "WRITE")]
            return {"rt": {"ttl": 300, "db": "neo4j", "servers": places}}
        if name == "COMMIT" and self.in_transaction is not None:
            self.peer.committed.append(tuple(self.in_transaction))
        if name in ("BEGIN", "COMMIT", "ROLLBACK", "RESET"):
            self.in_transaction = [] if name == "BEGIN" else None
            self.results.clear()
        if name == "RESET":
            self.failed = False
        return {"bookmark": f"peer:{len(self.peer.committed)}"} if name == "COMMIT" else {}
