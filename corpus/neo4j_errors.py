"""The driver's errors in our own words: what happened, at which database, and what to do."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConnectionAcquisitionTimeoutError,
    DatabaseUnavailable,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from corpus.errors import StoreBusy, StoreDenied, StoreError, StoreUnavailable

GONE: Final = (ServiceUnavailable, SessionExpired, ConnectionAcquisitionTimeoutError, DatabaseUnavailable, OSError)
"""The server is not there, or went away."""
_TIMED_OUT: Final = "TransactionTimedOut"
_TERMINATED: Final = "Transaction.Terminated"
_MEMORY: Final = ("OutOfMemory", "MemoryPool", "MemoryLimit")
_LOCKED: Final = ("Deadlock", "LockClient", "LockAcquisition")


@contextmanager
def naming(name: str, user: str) -> Iterator[None]:
    """Raise what the driver raises inside as `StoreError`; `name` is the database as people know it."""
    try:
        yield
    except (Neo4jError, DriverError, OSError) as error:
        raise named(error, name, user) from error
    except Exception as error:
        if is_no_bolt(error):
            raise StoreUnavailable(
                f"{name} answers with what is no Bolt; look what it is that listens there"
            ) from error
        raise


def is_no_bolt(error: Exception) -> bool:
    """Whether an error was raised while the driver took an answer apart.

    Bytes that are no Bolt make it raise `ValueError`, `TypeError`, `AttributeError`, errors that are private to it, and others:
    their place tells them from mistakes of ours, their class does not. What a healthy server says is read there too, but raised
    as the driver's public errors.
    """
    return not isinstance(error, Neo4jError | DriverError | OSError) and any(
        frame.f_code.co_name == "fetch_message" for frame, _ in traceback.walk_tb(error.__traceback__)
    )


def named(error: Exception, name: str, user: str) -> StoreError:
    """The `StoreError` of a driver's error."""
    text = _text(error)
    if isinstance(error, AuthError):
        return StoreDenied(
            f"{name} does not accept the user '{user}' with this password; set PAPERATLAS_NEO4J__PASSWORD or ..._PASSWORD_FILE"
        )
    if isinstance(error, GONE):
        return StoreUnavailable(f"{name} does not answer ({text})")
    if isinstance(error, ConfigurationError):
        return StoreUnavailable(f"{name} does not speak Bolt, or not a version of it that is known ({text})")
    if isinstance(error, DriverError):
        return StoreUnavailable(f"{name} broke off ({text})")
    return _of_server(error, name, text)


def _of_server(error: Exception, name: str, text: str) -> StoreError:
    code = getattr(error, "code", "") or ""
    if _TIMED_OUT in code or _TERMINATED in code:
        return StoreUnavailable(f"{name} took too long and was stopped ({text})")
    if any(part in code for part in _MEMORY):
        return StoreError(f"{name} has too little memory for this ({text}); give it more with the setting neo4j.heap")
    if any(part in code for part in _LOCKED):
        return StoreBusy(f"another process is writing to {name} ({text}); try again")
    if isinstance(error, TransientError):
        return StoreUnavailable(f"{name} cannot answer now ({text})")
    if isinstance(error, ClientError) and "DatabaseNotFound" in code:
        return StoreError(f"{name} is not there ({text}); name another with the setting neo4j.database")
    return StoreError(f"{name} refused: {text}")


def _text(error: Exception) -> str:
    """The first line of the driver's message, without its codes."""
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    return " ".join(str(message).split("\n")[0].split())[:200]
