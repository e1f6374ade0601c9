"""Calls to Neo4j through the official driver: managed transactions, a deadline on each, errors in our own words."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from neo4j import Driver, GraphDatabase, ManagedTransaction, Query, unit_of_work
from neo4j.exceptions import ConfigurationError, DriverError, Neo4jError, TransientError

from corpus.access import STORES, Access
from corpus.errors import BadSetting, StoreUnavailable
from corpus.neo4j_errors import GONE, is_no_bolt, is_outdated, is_read_only, named, naming
from corpus.neo4j_line import Line
from corpus.watch import Call, Watch

T = TypeVar("T")
PAGE: Final = 15.0
"""Seconds that a query for one page may take: a server that has just started on a busy machine takes some for its first."""
WHOLE: Final = 900.0
"""Seconds that a query over the whole corpus, or one write, may take."""
_GRACE: Final = 0.5
"""Seconds after which a server that should have stopped a query by itself is taken for gone."""
_ACQUIRE: Final = 1.2
"""Seconds for a connection out of the pool, the handshake of a new one included. A server that has just started on a machine
with much else to do took 0.8 s for its first."""
_OPEN: Final = 2.0
"""Seconds for a connection and an empty transaction: an absent or broken database is told in under 3 s. No query is among
them, for the first one of a cold server takes 9 s."""
_RETRY: Final = 15.0
"""Seconds for which a write is sent again to a server that has gone: long enough for one that is started anew."""
_PAUSE: Final = 0.3
_CONFLICT: Final = 1.0
"""Seconds for which the driver repeats a write that met another one."""
_OVERTAKEN: Final = 0.02
"""Seconds until a read that a write overtook is sent again: longer than most commits of a small write."""
_AT_ONCE: Final = 0.5
"""A read that fails faster than this had a stale connection, and is tried once more."""
SCHEMES: Final = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_FORM: Final = "write bolt://host:port or neo4j://host:port"

logging.getLogger("neo4j").addHandler(logging.NullHandler())  # its retries are told by the error that ends them


class _Sent(list[Any]):
    """A list parameter. The driver writes every one out for its log, even where nobody reads that: a thirtieth of a load."""

    def __repr__(self) -> str:
        return f"<{len(self)} rows>"


class Transaction:
    """Statements of one write transaction."""

    def __init__(self, transaction: ManagedTransaction, line: Line) -> None:
        self._transaction, self._line = transaction, line

    def run(self, text: str, **parameters: object) -> list[list[Any]]:
        """All rows of a statement."""
        return _rows(self._transaction, self._line, text, parameters)


class Connection:
    """All connections of one process to one database. Any thread may read."""

    def __init__(self, url: str, access: Access, patience: float = PAGE) -> None:
        """Look whether the database answers. Raises `BadSetting`, `StoreUnavailable`, `StoreDenied`."""
        self.url, self.access, self.patience = checked(url), access, patience
        self.name = f"the Neo4j database '{access.database}' at {self.url}"
        self._guard = threading.Lock()
        self._lines: dict[str, Line] = {}
        self._closed = False
        self._watch = Watch()
        try:
            with self._named(), self._watch.within(_OPEN) as call:
                self._asking(call, "read", self._look)
        except BaseException:
            self.close()
            raise

    def read(self, text: str, timeout: float | None = None, **parameters: object) -> list[list[Any]]:
        """All rows of a query, within `timeout` seconds (None: those of `patience`).

        A stale connection is replaced once; a query that a write overtook is asked again for as long as that.
        """
        seconds = self.patience if timeout is None else timeout

        def ask(line: Line) -> list[list[Any]]:
            @unit_of_work(timeout=seconds)
            def work(transaction: ManagedTransaction) -> list[list[Any]]:
                return _rows(transaction, line, text, parameters)

            with line.driver.session(database=self.access.database, default_access_mode="READ") as session:
                return session.execute_read(work)

        with self._named(), self._watch.within(seconds + _GRACE) as call:
            begun = time.monotonic()
            fresh = False
            while True:
                try:
                    return self._asking(call, "read", ask)
                except (*GONE, TransientError) as error:
                    passed = time.monotonic() - begun
                    if is_outdated(error) and passed < seconds:
                        time.sleep(_OVERTAKEN)
                    elif isinstance(error, GONE) and not fresh and passed < _AT_ONCE:
                        fresh = True
                    else:
                        raise

    def write(self, work: Callable[[Transaction], T], patience: float = _RETRY) -> T:
        """Do work in one transaction, and all of it again for `patience` seconds where the server has gone.

        It may be repeated even if it was done.
        """

        def ask(line: Line) -> T:
            @unit_of_work(timeout=WHOLE)
            def managed(transaction: ManagedTransaction) -> T:
                try:
                    return work(Transaction(transaction, line))
                except (Neo4jError, DriverError) as error:
                    if is_read_only(error):  # the driver would wait and try again, which changes nothing
                        raise named(error, self.name, self.access) from error
                    raise

            with line.driver.session(database=self.access.database) as session:
                return session.execute_write(managed)

        return self._sent_again(ask, patience)

    def change_schema(self, text: str, patience: float = _RETRY) -> None:
        """Run a statement that must have a transaction of its own, and that may be repeated; as patient as `write`."""

        def ask(line: Line) -> None:
            with line.driver.session(database=self.access.database) as session:
                session.run(Query(text, timeout=WHOLE)).consume()

        self._sent_again(ask, patience)

    def server_version(self) -> str:
        """The server's version, such as `5.26.30`."""
        with self._named(), self._watch.within(_ACQUIRE + _GRACE) as call:
            return self._asking(call, "read", lambda line: str(line.driver.get_server_info().agent).partition("/")[2])

    def close(self) -> None:
        """Close every connection, under the calls that use it too."""
        with self._guard:
            self._closed = True
            lines, self._lines = list(self._lines.values()), {}
        for line in lines:
            line.leave()
            line.shut()
        self._watch.close()

    def _look(self, line: Line) -> None:
        line.driver.verify_connectivity()
        with line.driver.session(database=self.access.database, default_access_mode="READ") as session:
            session.begin_transaction().rollback()

    def _begun(self, use: str) -> Line:
        with self._guard:  # nobody leaves a line between finding it and beginning to use it
            if self._closed:
                raise StoreUnavailable(f"{self.name} was closed")
            if use not in self._lines:
                self._lines[use] = Line(self._driver(_CONFLICT if use == "write" else 0.0))
            self._lines[use].begin()
            return self._lines[use]

    def _break_off(self, line: Line) -> None:
        """Break off the calls that use a line; the next call opens a new one. Never blocks."""
        with self._guard:
            self._lines = {use: one for use, one in self._lines.items() if one is not line}
        line.shut()
        line.leave()

    def _sent_again(self, ask: Callable[[Line], T], patience: float) -> T:
        with self._named(), self._watch.within(WHOLE + _GRACE) as call:
            end = time.monotonic() + patience
            while True:
                try:
                    return self._asking(call, "write", ask)
                except GONE as error:  # it may have been done all the same: a commit whose answer was lost
                    if is_read_only(error) or time.monotonic() > end:
                        raise
                time.sleep(_PAUSE)

    def _asking(self, call: Call, use: str, ask: Callable[[Line], T]) -> T:
        line = self._begun(use)
        call.break_off = lambda: self._break_off(line)
        try:
            return ask(line)
        except Exception as error:
            no_bolt = is_no_bolt(error)
            if call.late and (no_bolt or isinstance(error, Neo4jError | DriverError | OSError)):
                raise StoreUnavailable(f"{self.name} is silent: it took a question and gave no answer") from error
            if no_bolt:  # nobody knows in what state the driver has left that connection
                self._break_off(line)
            raise
        finally:
            call.break_off = None
            line.end()

    def _driver(self, retry: float) -> Driver:
        auth = None if self.access.password is None else (self.access.user, self.access.password)
        try:
            return GraphDatabase.driver(
                self.url,
                auth=auth,
                user_agent="paperatlas",
                connection_timeout=_ACQUIRE,
                connection_acquisition_timeout=_ACQUIRE,
                connection_write_timeout=10.0,
                max_connection_lifetime=600.0,
                liveness_check_timeout=30.0,
                max_transaction_retry_time=retry,
                fetch_size=10_000,
                notifications_min_severity="OFF",
                telemetry_disabled=True,
            )
        except (ConfigurationError, ValueError) as error:
            raise BadSetting(f"store '{self.url}' cannot be used: {error}") from error

    def _named(self) -> Any:  # noqa: ANN401  a context manager
        return naming(self.name, self.access)


def checked(url: str) -> str:
    """The URL, if it names a Bolt server and holds no password. Raises `BadSetting`, which never repeats one."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadSetting(f"store: {_FORM}, with a port from 1 to 65535 and an IPv6 address in brackets") from error
    if parts.username or parts.password or parts.path or parts.query or parts.fragment:
        raise BadSetting(
            f"store: {_FORM} and no more: no user and password in the URL, which is logged; set neo4j.user and"
            " neo4j.password_file, and the database with neo4j.database"
        )
    if parts.scheme not in SCHEMES or not parts.hostname or port == 0:
        raise BadSetting(f"store '{url}' is not known; write {STORES}")
    return url


def _rows(transaction: ManagedTransaction, line: Line, text: str, parameters: dict[str, object]) -> list[list[Any]]:
    sent = {name: _Sent(value) if isinstance(value, list) else value for name, value in parameters.items()}
    try:
        return [record.values() for record in transaction.run(text, sent)]
    except Exception as error:
        if is_no_bolt(error):  # the driver has lost track, and would look for the end of the answer for ever
            line.shut()
        raise
