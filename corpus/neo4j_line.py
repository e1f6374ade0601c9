"""A driver and the calls that use it, so that it can be broken off under them and is closed when nobody uses it any more."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Any

from neo4j import Driver
from neo4j.exceptions import DriverError, Neo4jError


class Line:
    """A driver. Any thread may use it, and any may break it off."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._guard = threading.Lock()
        self._users = 0
        self._left = False

    def begin(self) -> None:
        """Begin a call, which says `end` when it is over."""
        with self._guard:
            self._users += 1

    def end(self) -> None:
        """End a call; the last one closes what was left meanwhile."""
        with self._guard:
            self._users -= 1
            over = self._left and not self._users
        if over:
            self._close()

    def leave(self) -> None:
        """Close it: at once, or when the last call ends. None is to begin any more."""
        with self._guard:
            over = not self._users and not self._left
            self._left = True
        if over:
            self._close()

    def shut(self) -> None:
        """End what waits on its connections; those calls fail. Never blocks: nothing is sent or read, and nobody is waited for."""
        for one in _connections(self.driver):
            one._defunct = True  # noqa: SLF001  a thread that has lost track of an answer looks at nothing else
            with suppress(OSError):  # it is over already
                # Of a TLS socket too the plain one: nothing is taken from under a thread that reads in the TLS layer.
                socket.socket.shutdown(one.socket._socket, socket.SHUT_RDWR)  # noqa: SLF001

    def sockets(self) -> list[socket.socket]:
        """The sockets of all connections, those in use too."""
        return [one.socket._socket for one in _connections(self.driver)]  # noqa: SLF001

    def _close(self) -> None:
        with suppress(Neo4jError, DriverError, OSError):
            self.driver.close()


def _connections(driver: Driver) -> list[Any]:
    """The connections that a driver holds, those in use too.

    The driver has no public way to them, and closing it under a thread that uses it can block for as long as the peer does not
    read, or raise before all are closed. Tests compare what is found with what a peer sees.
    """
    pool: Any = driver._pool  # noqa: SLF001
    with pool.lock:  # never held while anything is sent or read
        return [one for held in pool.connections.values() for one in held]
