"""From records to papers: which paper a record is about, whether it says anything new, and what the paper then is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from corpus.folding import canonical_json, fold
from corpus.identifiers import sort_ids
from corpus.model import Paper, Record
from corpus.store import Store


class Outcome(StrEnum):
    """What becomes of a record that could be read."""

    ACCEPTED = "accepted"
    """The first about its paper."""
    DUPLICATE = "duplicate"
    """Says nothing that is not held already."""
    UPDATED = "updated"
    """A newer record of the same source, in place of the older one."""
    SAME_IDENTIFIER = "same_identifier"
    """Another record about a paper that is held."""
    JOINED_PAPERS = "joined_papers"
    """Shows that papers held as several are one."""


MERGED = frozenset({Outcome.UPDATED, Outcome.SAME_IDENTIFIER, Outcome.JOINED_PAPERS})


class Matcher:
    """Matches one batch of records against the store and against each other."""

    def __init__(self, store: Store, records: Sequence[Record]) -> None:
        known = store.resolve({identifier for record in records for identifier in record.ids})
        held = {stored.paper.address: stored for stored in store.papers(sorted(set(known.values())))}
        self._papers: dict[int, Paper] = {}
        self._of = {identifier: held[address].number for identifier, address in known.items() if address in held}
        self._changed: dict[int, None] = {}
        for stored in held.values():
            self._put(stored.number, stored.paper)
        self._next = -1

    def add(self, record: Record) -> Outcome:
        """Take in one record and say what became of it."""
        keys = sorted({self._of[identifier] for identifier in record.ids if identifier in self._of})
        if not keys:
            self._next -= 1
            self._put(self._next, fold([record]))
            self._changed[self._next] = None
            return Outcome.ACCEPTED
        records = [one for key in keys for one in self._papers[key].records]
        kept = _with(records, record)
        if len(keys) > 1:
            outcome = Outcome.JOINED_PAPERS
        elif kept == records:
            return Outcome.DUPLICATE
        else:
            outcome = Outcome.UPDATED if len(kept) == len(records) else Outcome.SAME_IDENTIFIER
        self._join(keys, fold(kept))
        return outcome

    def papers(self) -> list[Paper]:
        """The papers that the batch made or changed."""
        return [self._papers[key] for key in self._changed]

    def _put(self, key: int, paper: Paper) -> None:
        self._papers[key] = paper
        self._of.update(dict.fromkeys(paper.ids, key))

    def _join(self, keys: Sequence[int], paper: Paper) -> None:
        for key in keys[1:]:
            del self._papers[key]
            self._changed.pop(key, None)
        self._put(keys[0], paper)
        self._changed[keys[0]] = None


def _with(records: Sequence[Record], record: Record) -> list[Record]:
    """The records with the new one among them; the same records where it says nothing new.

    Of two with the same source and key the newer stays; of equally old ones the one with the larger JSON, so that the order does
    not matter; without dates the one that came later. It takes over the identifiers of the other: whoever followed one of them
    once still arrives, and the order does not matter here either.
    """
    held = next((one for one in records if (one.source, one.key) == (record.source, record.key)), None)
    if held is None:
        return [*records, record]
    stays = replace(held if _newer(held, record) else record, ids=sort_ids((*held.ids, *record.ids)))
    return [stays if one is held else one for one in records]


def _newer(held: Record, record: Record) -> bool:
    if held.updated is None or record.updated is None:
        return held.updated is not None
    if held.updated != record.updated:
        return str(held.updated) > str(record.updated)
    return _content(held) > _content(record)


def _content(record: Record) -> bytes:
    """What a record says, apart from the identifiers that it may have taken over."""
    return canonical_json(replace(record, ids=()))
