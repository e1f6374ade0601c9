"""What is said while the database does not answer: what the map knows, and what could not be checked. Never more than that."""

from __future__ import annotations

from typing import Final

from corpus.model import PartialDate
from corpus.sentences import TRIED, date_text

AWAY: Final = "The database does not answer. This is what the map knows; it may be older than the corpus."
NOTHING: Final = "Neither the database nor a map can be read: nothing is known of any paper now."
_AGAIN: Final = "Ask again in a moment."


def unchanged_unchecked() -> str:
    """Say what may have changed for a paper of the map."""
    return "Whether its record or its reference list has changed since the map was made could not be checked."


def identifier_unchecked(date: PartialDate | None, numbered: PartialDate | None) -> str:
    """Say that nobody knows now whether the corpus has an identifier that no paper of the map has.

    `date` is that of the map's data; `numbered` the month in which arXiv gave out the identifier.
    """
    reach = "" if date is None else f", whose data reach to {date_text(date)},"
    month = "" if numbered is None else f" arXiv gave it out in {date_text(numbered)}."
    return (
        f"No paper of the map{reach} has this identifier.{month} Whether the corpus has it could not be checked: it may belong to "
        f"a paper that came after the map, to a cited work without a record, or be another identifier of a paper. {_AGAIN}"
    )


def tried(*, laid_out: bool) -> list[str]:
    """Say what a string was tried as: of titles, those of the map alone, if there is one."""
    return [*TRIED[:-1], *(("the whole title of a paper of the map",) if laid_out else ())]


def title_unchecked() -> str:
    """Say that the titles of the corpus could not be looked through."""
    return f"Titles of papers that came after the map could not be looked through. {_AGAIN}"
