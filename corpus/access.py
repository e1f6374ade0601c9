"""How a store is named, and who asks a database: the user, the password, and which database of the server is meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

STORES: Final = "sqlite, neo4j, bolt://host:port or neo4j://host:port"
"""What the setting `store` may be, for people."""


@dataclass(frozen=True, slots=True)
class Access:
    """Credentials of a database server. The password is never shown."""

    user: str = "neo4j"
    password: str | None = field(default=None, repr=False)
    """None where the server asks for none."""
    database: str = "neo4j"
    kept: str | None = None
    """The file that the password is from where nobody set it: that of the local server."""
