"""A TCP server of the tests: a thread for each connection, and nothing left behind at its end."""

from __future__ import annotations

import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self


class Listener(ABC):
    """The server, from `with` to its end. It listens on a free port of 127.0.0.1."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = f"bolt://{self.address}"
        self._guard = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._begin(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        shut(self._listener)
        while self._threads:
            self.hang_up()
            self._threads.pop(0).join()

    @abstractmethod
    def serve(self, connection: socket.socket, number: int) -> None:
        """Talk on a connection until it is over; `number` counts them from 0. An `OSError` ends it too."""

    def hang_up(self) -> None:
        """End every connection that is open now."""
        with self._guard:
            for connection in self._open:
                shut(connection)

    def _begin(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, name="test server")
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        number = 0
        with self._listener:
            while True:
                try:
                    connection, _ = self._listener.accept()
                except OSError:
                    return
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._guard:
                    self._open.add(connection)
                self._begin(self._serve, connection, number)
                number += 1

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            with connection:
                self.serve(connection, number)
        except OSError:
            return  # the client has gone, or the server is being closed
        finally:
            with self._guard:
                self._open.discard(connection)


def exactly(connection: socket.socket, size: int) -> bytes:
    """So many bytes; fewer where the connection ends before."""
    data = b""
    while len(data) < size and (part := connection.recv(size - len(data))):
        data += part
    return data


def shut(connection: socket.socket) -> None:
    """End what waits on a socket; its own thread closes it."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is over already
