"""One writer at a time: a lease in the database, looked at inside every write transaction."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from typing import Final

from corpus.errors import StoreBusy
from corpus.holders import Holder
from corpus.neo4j_connection import Connection, Transaction

_MINUTES: Final = 10
"""How long a lease lasts after a write. Of a process of this machine that has died it is taken over at once."""
_LASTS: Final = _MINUTES * 60_000
"""In milliseconds."""
_LOOK: Final = (
    "MATCH (w:Writer {name: 'paperatlas'}) SET w.seen = timestamp()"  # takes the node's lock until the transaction ends
    " RETURN w.token, w.host, w.boot, w.pid, w.born, w.until < timestamp()"
)
_TAKE: Final = (
    "MATCH (w:Writer {name: 'paperatlas'})"
    " SET w.token = $token, w.host = $host, w.boot = $boot, w.pid = $pid, w.born = $born, w.until = timestamp() + $lasts"
)
_KEEP: Final = (
    "MATCH (w:Writer {name: 'paperatlas'}) SET w.seen = timestamp()"
    " WITH w WHERE w.token = $token SET w.until = timestamp() + $lasts RETURN w.until"
)
_LEAVE: Final = "MATCH (w:Writer {name: 'paperatlas', token: $token}) REMOVE w.token, w.until"


class Lease:
    """The right of one store to write."""

    def __init__(self) -> None:
        self.token: str | None = None

    def keep(self, transaction: Transaction, name: str) -> bool:
        """Hold or take the right, in the transaction that writes; return whether it was taken anew.

        Raises `StoreBusy` that names the process that has it.
        """
        if self.token is not None and transaction.run(_KEEP, token=self.token, lasts=_LASTS):
            return False
        token, host, boot, pid, born, over = transaction.run(_LOOK)[0]
        if token is not None and not over:
            holder = Holder(host, boot, pid, born)
            if not holder.is_gone():
                raise StoreBusy(
                    f"{holder} is writing to {name}; wait for it to end, or stop it"
                    f" (if that machine is gone: its right to write ends {_MINUTES} minutes after its last write)"
                )
        self.token = uuid.uuid4().hex
        transaction.run(_TAKE, token=self.token, lasts=_LASTS, **asdict(Holder.here()))
        return True

    def leave(self, connection: Connection) -> None:
        """Give the right back."""
        token, self.token = self.token, None
        if token is not None:
            connection.write(lambda transaction: transaction.run(_LEAVE, token=token), patience=0)
