"""Two nodes that prove to be one paper: what cites the one, and what leads to it, goes over to the other."""

from __future__ import annotations

import sqlite3


def absorb(connection: sqlite3.Connection, n: int, other: int) -> set[int]:
    """Let `n` take over what cites `other`, and its identifiers; its own list goes: return the nodes that were on it.

    How often `n` is cited is to be counted anew by the caller.
    """
    run, pair = connection.execute, {"n": n, "other": other}
    cited = {row[0] for row in run("SELECT cited FROM cites WHERE citing = :other", pair)} - {other}
    run(
        "INSERT OR IGNORE INTO cites SELECT citing, :n FROM cites WHERE cited = :other AND citing <> :other",
        pair,
    )
    run("DELETE FROM cites WHERE citing = :other OR cited = :other", pair)
    run("UPDATE identifier SET n = :n WHERE n = :other", pair)
    run("DELETE FROM words WHERE rowid = :other", pair)
    for table in ("node", "content", "cited"):
        run(f"DELETE FROM {table} WHERE n = :other", pair)  # noqa: S608  a constant
    return cited
