"""Store and build together, for questions that are answered even when the store is not there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from corpus.atlas import Atlas, Entry
from corpus.briefs import Brief, brief_of_entry, brief_of_row, brief_of_stored
from corpus.errors import StoreError, StoreUnavailable
from corpus.identifiers import Identifier, out_of_prose, recognise
from corpus.model import PartialDate
from corpus.store import Direction, Page, Row, Store, Stored
from corpus.words import fold_title, tokens

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_SAME: Final = 200
"""Papers looked through for a title; they come most cited first."""
_LEAVE_OUT: Final = 6
"""Words of a title that are left out in turn to find near matches: each costs one search."""


@dataclass(frozen=True, slots=True)
class Found:
    """A paper or stub, from wherever it is known."""

    brief: Brief
    stored: Stored | None
    """None for a stub, and while the store is away."""
    entry: Entry | None
    """None where the build does not know it."""


class Library:
    """What is known, for one question. After the first failure the store is not asked again."""

    def __init__(self, store: Store | None, atlas: Atlas | None) -> None:
        self.atlas = atlas
        self._store = store

    @property
    def store(self) -> Store | None:
        """The store while it answers: what may be asked further without waiting for a database that is away."""
        return self._store

    @property
    def away(self) -> bool:
        """Whether the store could not be asked."""
        return self._store is None

    @property
    def state(self) -> str:
        """`ok`, or `unavailable` where the answers are the build's alone."""
        return "unavailable" if self.away else "ok"

    def find_named(self, text: str) -> tuple[Identifier | None, Found | None]:
        """Read a string that a person wrote as an identifier, and find its paper: as it stands, else out of its sentence."""
        seen: Identifier | None = None
        for form in dict.fromkeys((text, out_of_prose(text))):
            identifier = recognise(form) if form else None
            if identifier is not None:
                seen = identifier
                if (found := self.find(str(identifier))) is not None:
                    return identifier, found
        return seen, None

    def find(self, identifier: str) -> Found | None:
        """Return the paper or stub that has this canonical identifier."""
        address = self.ask(lambda store: store.resolve([identifier]).get(identifier), None)
        if address is not None:
            stored = self.ask(lambda store: store.paper(address), None)
            if stored is not None:
                return Found(brief_of_stored(stored, self.atlas), stored, self._entry(stored.paper.ids))
            none: list[Row] = []
            rows = self.ask(lambda store: store.rows([address]), none)
            if rows:
                return Found(brief_of_row(rows[0], self.atlas), None, self._entry((address,)))
        entry = self._entry((identifier,) if address is None else (identifier, address))
        return None if entry is None or self.atlas is None else Found(brief_of_entry(entry, self.atlas), None, entry)

    def titled(self, title: str) -> list[Brief]:
        """Return the papers that have this title, whatever its case, accents and punctuation."""
        folded = fold_title(title)
        if not folded:
            return []
        return [
            brief for brief in self.search(tokens(title), _SAME) if brief.title and fold_title(brief.title) == folded
        ]

    def near(self, title: str, limit: int) -> list[Brief]:
        """Return papers that hold all, or all but one, of the longest words of a title; the best ones first."""
        words = tokens(title)
        longest = sorted(sorted(set(words), key=lambda word: (-len(word), word))[:_LEAVE_OUT])
        tries = [words, *([other for other in longest if other != word] for word in longest if len(longest) > 1)]
        met: dict[str, tuple[int, Brief]] = {}
        for attempt in tries:
            for brief in self.search(attempt, limit):
                met[brief.id] = (met.get(brief.id, (0, brief))[0] + 1, brief)
        best = sorted(met.values(), key=lambda pair: (-pair[0], -pair[1].citations, pair[1].id))
        return [brief for _, brief in best[:limit]]

    def search(self, words: Sequence[str], limit: int) -> list[Brief]:
        """Return papers that hold every word, the last as a prefix; from the build's titles while the store is away."""
        if not words:
            return []
        rows = self.ask(lambda store: store.search(words, limit), None)
        if rows is not None:
            return [brief_of_row(row, self.atlas) for row in rows]
        atlas = self.atlas
        return [] if atlas is None else [brief_of_entry(entry, atlas) for entry in atlas.titled(words, limit)]

    def neighbours(self, address: str, direction: Direction, limit: int) -> Page | None:
        """Return neighbours of a paper or stub, most cited first; None, unknown, while the store is away."""
        return self.ask(lambda store: store.neighbours(address, direction, limit=limit), None)

    def data_date(self) -> PartialDate | None:
        """Return the date up to which the data reach; the build's while the store is away."""
        date = self.ask(lambda store: store.data_date(), None)
        if date is None and self.atlas is not None and self.atlas.manifest.data_date is not None:
            return PartialDate.parse(self.atlas.manifest.data_date)
        return date

    def _entry(self, identifiers: Sequence[str]) -> Entry | None:
        n = None if self.atlas is None else self.atlas.find_any(identifiers)
        return None if self.atlas is None or n is None else self.atlas.row(n)

    def ask(self, question: Callable[[Store], _T], otherwise: _T) -> _T:
        """Put a question to the store; `otherwise` where it is away, or was for an earlier question."""
        if self._store is None:
            return otherwise
        try:
            return question(self._store)
        except StoreError as error:
            # An outage is told once by the one who watches the store, and not again for every question.
            level = logging.DEBUG if isinstance(error, StoreUnavailable) else logging.WARNING
            _log.log(level, "the store does not answer, the map answers alone: %s", error)
            self._store = None
            return otherwise
