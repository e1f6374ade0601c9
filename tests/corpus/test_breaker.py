"""A store that goes away and comes back: nobody waits for what others have waited for already."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from corpus.breaker import FAILURES, REST, Guarded
from corpus.errors import ForeignStore, StoreUnavailable
from corpus.store import Store
from corpus.stores import open_store


@dataclass
class Place:
    """Where a store is, sometimes."""

    data: Path
    there: bool = True
    opened: int = 0
    now: float = 0.0
    stores: list[Store] = field(default_factory=list)

    def open(self) -> Store:
        self.opened += 1
        if not self.there:
            raise StoreUnavailable("the database does not answer")
        self.stores.append(open_store("sqlite", self.data))
        return self.stores[-1]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def guarded(place: Place) -> Guarded:
    return Guarded("sqlite", place.open, lambda: place.now)


def test_it_is_opened_once_when_it_is_first_asked(place: Place, guarded: Guarded) -> None:
    assert place.opened == 0
    assert guarded.try_now() is None
    assert (guarded.size().papers, guarded.version(), guarded.runs()) == (0, 0, [])
    assert place.opened == 1
    guarded.close()
    with pytest.raises(StoreUnavailable, match="was closed"):
        place.stores[0].size()


def test_after_five_failures_it_is_left_alone_and_one_call_tries_again(place: Place, guarded: Guarded) -> None:
    place.there = False
    for _ in range(FAILURES):
        with pytest.raises(StoreUnavailable, match=r"does not answer$"):
            guarded.size()
    for _ in range(20):
        with pytest.raises(StoreUnavailable, match="tried again in 10 s"):
            guarded.search(["a"], 3)
    assert place.opened == FAILURES
    place.now += REST
    with pytest.raises(StoreUnavailable, match=r"does not answer$"):
        guarded.size()
    with pytest.raises(StoreUnavailable, match="tried again"):
        guarded.size()
    assert place.opened == FAILURES + 1, "one call tried, the others did not wait"
    place.there = True
    place.now += REST
    assert guarded.size().papers == 0
    assert guarded.years() == {}
    guarded.close()


def test_a_failure_now_and_then_does_not_count(place: Place, guarded: Guarded) -> None:
    for _ in range(FAILURES * 2):
        place.there = False
        guarded.close()
        assert guarded.try_now() is not None
        place.there = True
        assert guarded.try_now() is None
    guarded.close()


def test_what_waiting_does_not_mend_is_raised_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "corpus.sqlite").write_text("somebody else's")
    guarded = Guarded("sqlite", lambda: open_store("sqlite", tmp_path))
    for _ in range(FAILURES * 2):
        with pytest.raises(ForeignStore):
            guarded.try_now()
