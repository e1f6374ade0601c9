"""The driver's errors in our own words: what happened, at which database, and what to do."""

from __future__ import annotations

import re
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
    WriteServiceUnavailable,
)

from corpus.access import Access
from corpus.errors import StoreBusy, StoreDenied, StoreError, StoreUnavailable

GONE: Final = (ServiceUnavailable, SessionExpired, ConnectionAcquisitionTimeoutError, DatabaseUnavailable, OSError)
"""The server is not there, or went away."""
_TIMED_OUT: Final = "TransactionTimedOut"
_TERMINATED: Final = "Transaction.Terminated"
_MEMORY: Final = ("OutOfMemory", "MemoryPool", "MemoryLimit")
_LOCKED: Final = ("Deadlock", "LockClient", "LockAcquisition")
_REASON: Final = re.compile(r"\(reason (.+)\)$", re.MULTILINE)
_FAILED: Final = {
    "handshake response": "who listens there is silent, or speaks no Bolt; look what it is",
    "encrypted connection": "it takes no encrypted connection, or one whose certificate nobody here trusts: bolt:// in place of"
    " bolt+s:// where it has none, bolt+ssc:// where it signed its own",
}
"""By what the driver says beyond its first line, what it means."""
_SECURITY: Final = "Neo.ClientError.Security."
_PASSWORD: Final = "PAPERATLAS_NEO4J__PASSWORD or ..._PASSWORD_FILE"  # noqa: S105  names of settings
_DENIED: Final = {
    "CredentialsExpired": (
        "wants the user '{user}' to change the password first: run ALTER CURRENT USER SET PASSWORD FROM 'old' TO 'new'"
        f" in the database 'system', then set {_PASSWORD}"
    ),
    "TokenExpired": f"does not accept the token of the user '{{user}}' any more: get a new one and set {_PASSWORD}",
    "AuthorizationExpired": "has to look up anew what the user '{user}' may do: run the command again",
    "AuthenticationRateLimit": (
        "does not let in the user '{user}' for a while after wrong passwords: wait a few seconds"
        f" (dbms.security.auth_lock_time), and look at {_PASSWORD} first"
    ),
    "Forbidden": (
        "does not let the user '{user}' do this: have its administrator grant what is needed (the role reader to read,"
        " architect to write), or set another neo4j.user"
    ),
    "AuthProviderTimeout": "waited in vain for its directory of users, which knows '{user}': try again, or see the server's log",
    "AuthProviderFailed": "could not ask its directory of users, which knows '{user}': see the server's log",
    "ModifiedConcurrently": "was changing its users and their rights just then: run the command again",
}
"""What to do about a security code of Neo4j 5 and 2025; the others are about administration, and have a sentence for all."""


@contextmanager
def naming(name: str, access: Access) -> Iterator[None]:
    """Raise what the driver raises inside as `StoreError`; `name` is the database as people know it."""
    try:
        yield
    except (Neo4jError, DriverError, OSError) as error:
        raise named(error, name, access) from error
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


def named(error: Exception, name: str, access: Access) -> StoreError:
    """The `StoreError` of a driver's error."""
    text = _text(error)
    code = _code(error)
    if isinstance(error, AuthError) or code.startswith(_SECURITY):
        return _denied(code.rpartition(".")[2], name, access, text)
    if is_read_only(error):
        return StoreError(
            f"nothing can be written to {name}: it is read-only ({text}); have its administrator run"
            " ALTER DATABASE ... SET ACCESS READ WRITE, or name another with the setting neo4j.database"
        )
    if "NotALeader" in code:
        return StoreUnavailable(
            f"{name} takes no writes at this server of its cluster ({text}); neo4j:// in place of bolt:// finds the one that does"
        )
    if isinstance(error, GONE):
        return StoreUnavailable(f"{name} does not answer ({_told(error) or text})")
    if isinstance(error, ConfigurationError):
        return StoreUnavailable(f"{name} does not speak Bolt, or not a version of it that is known ({text})")
    if isinstance(error, DriverError):
        return StoreUnavailable(f"{name} broke off ({text})")
    return _of_server(error, code, name, text)


def is_read_only(error: Exception) -> bool:
    """Whether a write was refused because the database takes none, which waiting does not change."""
    return "ReadOnly" in _code(error)


def is_outdated(error: Exception) -> bool:
    """Whether a read was refused because a write changed under it what it had read: asked again, it gets its answer."""
    return "Transaction.Outdated" in _code(error)


def _told(error: Exception) -> str | None:
    """What a connection failed by, where the driver's first line does not say it."""
    said = str(error)
    return next((meaning for sign, meaning in _FAILED.items() if sign in said), None)


def _denied(code: str, name: str, access: Access, text: str) -> StoreDenied:
    if code in _DENIED:
        return StoreDenied(f"{name} {_DENIED[code].format(user=access.user)} ({text})")
    if code in {"Unauthorized", "AuthorizationFailed"}:  # the server says no more than that
        if access.kept is not None:
            return StoreDenied(
                f"{name} does not accept the password in {access.kept}: put back the one that it was started with"
            )
        given = "with this password" if access.password else "without a password, and none is set"
        return StoreDenied(f"{name} does not accept the user '{access.user}' {given}; set {_PASSWORD}")
    return StoreDenied(f"{name} denies this to the user '{access.user}' ({text}); its administrator can say why")


def _of_server(error: Exception, code: str, name: str, text: str) -> StoreError:
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


def _of_origin(error: Exception) -> BaseException:
    """What the server said, where the driver hides that behind an error of its own: on bolt://, of a write that was refused."""
    return error.__context__ or error if isinstance(error, WriteServiceUnavailable) else error


def _code(error: Exception) -> str:
    return getattr(_of_origin(error), "code", None) or ""


def _text(refused: Exception) -> str:
    """The first line of the driver's message, without its codes."""
    error = _of_origin(refused)
    message = str(getattr(error, "message", None) or str(error) or type(error).__name__)
    reason = _REASON.search(message)  # of an address that could not be reached, which our own sentence names already
    return " ".join((reason[1] if reason else message.split("\n")[0]).split())[:200]
