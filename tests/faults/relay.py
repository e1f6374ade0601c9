"""A relay between a driver and a real Neo4j, which cuts or stalls what passes at a chosen message."""

from __future__ import annotations

import select
import socket
from collections import Counter
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from tests.faults.bolt_peer import NAMES, RECORD
from tests.faults.listener import Listener, exactly
from tests.faults.packstream import Unchunker, unpack
from tests.faults.script import Fault, Faults, Script

_MANIFEST: Final = b"\0\0\1\xff"
"""The proposal to negotiate in more steps. It is struck out: after the plain handshake come messages and nothing else."""
_HANDSHAKE: Final = 20


class Relay(Listener):
    """The relay, from `with` to its end; `url` stands in for that of the server."""

    def __init__(self, target_url: str, *faults: Fault) -> None:
        super().__init__()
        target = urlsplit(target_url)
        self.target = (target.hostname or "127.0.0.1", target.port or 7687)
        self.faults = Faults(Script(faults=faults))
        self.passed: Counter[str] = Counter()
        """How many messages of each name were passed on to the server."""
        self._stalled = self._refusing = False

    def stall(self) -> None:
        """Pass nothing on any more, on any connection, and keep all open."""
        self._stalled = True

    def refuse(self) -> None:
        """Cut every connection, and every new one."""
        self._refusing = True
        self.hang_up()

    def heal(self) -> None:
        """Pass on again what comes on new connections; those that were stalled are cut."""
        self._stalled = self._refusing = False
        self.hang_up()

    @property
    def stalled(self) -> bool:
        """Whether nothing is passed on."""
        return self._stalled

    def serve(self, connection: socket.socket, number: int) -> None:  # noqa: ARG002  the peer needs it
        """Pass on what comes, both ways, until one side ends."""
        if self._refusing:
            return
        while self._stalled:
            if not connection.recv(1 << 16):
                return
        with socket.create_connection(self.target, timeout=5) as server:
            server.settimeout(None)
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            opening = exactly(connection, _HANDSHAKE)
            server.sendall(opening.replace(_MANIFEST, b"\0\0\0\0"))
            connection.sendall(exactly(server, 4))
            _Passage(self, connection, server).run()


@dataclass(slots=True)
class _Passage:
    """One connection and its twin on the server's side."""

    relay: Relay
    client: socket.socket
    server: socket.socket
    query: str = ""
    asked: int = 0
    """Messages passed on that the server answers."""
    answered: int = 0
    cut_at: int | None = None
    """The answer that is not passed on, counted from 1."""
    requests: Unchunker = field(default_factory=Unchunker)
    answers: Unchunker = field(default_factory=Unchunker)

    def run(self) -> None:
        over = False
        while not over:
            for side in select.select([self.client, self.server], [], [])[0]:
                data = side.recv(1 << 16)
                if not data:
                    over = True
                elif not self.relay.stalled:
                    over |= self.from_client(data) if side is self.client else self.from_server(data)

    def from_client(self, data: bytes) -> bool:
        """Pass messages on to the server; true where the connection is to be cut."""
        for message, raw in self.requests.feed(data):
            name = NAMES.get(message[1], "?")
            if name == "RUN":
                self.query = str(unpack(message).fields[0])  # type: ignore[attr-defined]
            fault = None if self.cut_at else self.relay.faults.due(name, self.query)
            if fault is not None and fault.kind == "before":
                return True
            if fault is not None and fault.kind == "stall":
                self.relay.stall()
                return False
            self.asked += name != "GOODBYE"
            if fault is not None:
                self.cut_at = self.asked
            self.relay.passed[name] += 1
            self.server.sendall(raw)
        return False

    def from_server(self, data: bytes) -> bool:
        """Pass answers on to the client; true where the connection is to be cut."""
        for message, raw in self.answers.feed(data):
            self.answered += message[1] != RECORD
            if self.answered == self.cut_at:
                return True
            self.client.sendall(raw)
        return False
