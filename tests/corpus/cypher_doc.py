"""The questions of docs/cypher.md, as they stand there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neo4j import Driver, RoutingControl

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "cypher.md").read_text("utf-8")
_HEADING = re.compile(r"^### (.+)$", re.MULTILINE)
_FENCED = re.compile(r"^```cypher\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_UNRECOGNISED = {"DEPRECATION", "UNRECOGNIZED", "UNSUPPORTED"}


@dataclass(frozen=True)
class Question:
    """A heading and its Cypher."""

    heading: str
    cypher: str

    @property
    def parameters(self) -> set[str]:
        """Names after a dollar sign."""
        return set(re.findall(r"\$(\w+)", self.cypher))

    @property
    def limit(self) -> int | None:
        """Of the whole answer; None for a question with one row or few."""
        last = self.cypher.strip().splitlines()[-1]
        found = re.search(r"LIMIT (\d+)$", last)
        return int(found[1]) if found else None

    def ask(self, driver: Driver, values: Mapping[str, Any], database: str) -> list[list[Any]]:
        """Its answer; what the server says of the query itself is an error."""
        chosen = {name: values[name] for name in self.parameters}
        rows, summary, _ = driver.execute_query(self.cypher, chosen, database_=database, routing_=RoutingControl.READ)
        said = [one for one in summary.gql_status_objects if one.raw_classification in _UNRECOGNISED]
        assert not said, f"{self.heading}: {[one.status_description for one in said]}"
        return [list(row.values()) for row in rows]


def questions() -> dict[str, Question]:
    """By heading; a heading without Cypher, or with more than one piece, is none."""
    parts = _HEADING.split(TEXT)[1:]
    found = {}
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        pieces = _FENCED.findall(body)
        assert len(pieces) == 1, f"{heading}: one piece of Cypher is wanted"
        found[heading] = Question(heading, pieces[0])
    assert len(_FENCED.findall(TEXT)) == len(found), "Cypher that is under no heading of its own"
    return found
