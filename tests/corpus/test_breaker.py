"""A store that goes away and comes back: nobody waits for what others have waited for already."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from corpus.breaker import FAILURES, REST, Guarded
from corpus.errors import ForeignStore, StoreBusy, StoreDenied, StoreError, StoreUnavailable
from corpus.model import Paper
from corpus.store import Direction, Size, Store
from corpus.stores import open_store
from tests.server.making import SEED, open_filled

FOREVER = 20.0
"""Seconds after which a test that waits has failed."""


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


class Sized:
    """A store that has a size, or what it raises instead."""

    def __init__(self, size: Callable[[], Size]) -> None:
        self.size = size
        self.closed = False

    def stream(self) -> Iterator[Paper]:
        self.size()
        yield Paper(ids=("fixture:one",))

    identifiers = stream

    def version(self) -> int:
        return self.size().papers

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def guarded(place: Place) -> Iterator[Guarded]:
    store = Guarded("sqlite", place.open, lambda: place.now)
    yield store
    store.close()


def over(*stores: Sized, clock: Callable[[], float] = lambda: 0.0, wait: float = FOREVER) -> Guarded:
    """A guarded store that finds one of these after the other."""
    following = iter(stores)
    return Guarded("neo4j", lambda: next(following), clock, wait=wait)  # type: ignore[arg-type, return-value]


def away() -> Size:
    raise StoreUnavailable("it does not answer")


def there() -> Size:
    return Size(1, 2, 3)


def answers(store: Guarded) -> bool:
    try:
        store.size()
    except StoreUnavailable:
        return False
    return True


def until(met: Callable[[], bool]) -> None:
    end = time.monotonic() + FOREVER
    while not met():
        assert time.monotonic() < end
        time.sleep(0.001)


def fail(store: Guarded, times: int) -> None:
    for _ in range(times):
        with pytest.raises(StoreUnavailable, match=r"does not answer$"):
            store.size()


def test_it_is_opened_once_when_it_is_first_asked(place: Place, guarded: Guarded) -> None:
    assert place.opened == 0
    assert guarded.try_now() is None
    assert (guarded.size().papers, guarded.version(), guarded.runs()) == (0, 0, [])
    assert place.opened == 1
    guarded.close()
    with pytest.raises(StoreUnavailable, match="was closed"):
        place.stores[0].size()


def test_every_read_is_answered_as_by_the_store_itself(tmp_path: Path) -> None:
    store = open_filled(tmp_path)
    guarded: Store = Guarded("sqlite", lambda: store)
    for ask in (
        lambda one: one.size(),
        lambda one: one.runs(),
        lambda one: one.resolve(["doi:10.1145/3320060", "doi:10.1/none"]),
        lambda one: list(one.identifiers()),
        lambda one: one.paper(SEED),
        lambda one: one.papers([SEED, "fixture:empty"]),
        lambda one: list(one.stream()),
        lambda one: one.rows([SEED]),
        lambda one: one.neighbours(SEED, Direction.CITATIONS, year=2021, limit=2, offset=0),
        lambda one: one.citers_per_year(SEED),
        lambda one: one.search(["scaling"], 3),
        lambda one: [ends.tolist() for ends in one.edges()],
        lambda one: one.published(),
        lambda one: one.years(),
        lambda one: one.data_date(),
        lambda one: one.version(),
        lambda one: one.server_version(),
        lambda one: one.edition(),
    ):
        assert ask(guarded) == ask(store)
    assert (guarded.kind, guarded.batch > 0) == ("sqlite", True)
    guarded.close()


def test_after_five_failures_it_is_left_alone_and_one_call_tries_again(place: Place, guarded: Guarded) -> None:
    place.there = False
    fail(guarded, FAILURES)
    place.now += 3
    for _ in range(20):
        with pytest.raises(StoreUnavailable, match=r"does not answer; .* for 3 s and is tried again in 7 s$"):
            guarded.search(["a"], 3)
    assert place.opened == FAILURES
    place.now += REST
    fail(guarded, 1)
    with pytest.raises(StoreUnavailable, match="for 13 s and is tried again in 10 s"):
        guarded.size()
    assert place.opened == FAILURES + 1, "one call tried, the others did not wait"
    place.there = True
    place.now += REST
    assert guarded.size().papers == 0
    assert guarded.years() == {}


def test_while_one_call_tries_the_others_are_told_at_once() -> None:
    now, tried, go_on = [0.0], threading.Event(), threading.Event()
    down = True

    def opening() -> Store:
        if down:
            raise StoreUnavailable("it does not answer")
        tried.set()
        assert go_on.wait(FOREVER)
        return Sized(there)  # type: ignore[return-value]

    store = Guarded("neo4j", opening, lambda: now[0], wait=FOREVER)
    fail(store, FAILURES)
    now[0], down = now[0] + REST, False
    with ThreadPoolExecutor(1) as pool:
        trial = pool.submit(store.size)
        assert tried.wait(FOREVER)
        for _ in range(50):
            with pytest.raises(StoreUnavailable, match="is being tried again now"):
                store.size()
        go_on.set()
        assert trial.result(FOREVER) == there()
    assert store.size() == there()
    store.close()


def test_nobody_waits_for_a_store_that_takes_long_to_open_and_it_is_used_once_it_is_there() -> None:
    go_on, opened = threading.Event(), [0]

    def opening() -> Store:
        opened[0] += 1
        assert go_on.wait(FOREVER)
        return Sized(there)  # type: ignore[return-value]

    store = Guarded("neo4j", opening, lambda: 0.0, wait=0.01)
    for _ in range(FAILURES):
        with pytest.raises(StoreUnavailable, match=r"did not let us in within 0\.01 s"):
            store.size()
    with pytest.raises(StoreUnavailable, match="tried again in 10 s"):
        store.size()
    go_on.set()
    until(lambda: answers(store))
    assert store.try_now() is None
    assert opened == [1], "all waited for one opening"
    store.close()


def test_a_store_that_was_left_alone_is_opened_anew() -> None:
    now, first, second = [0.0], Sized(there), Sized(there)
    store = over(first, second, clock=lambda: now[0])
    assert store.size() == there()
    first.size = away
    fail(store, FAILURES)
    assert [first.closed, second.closed] == [False, False], "somebody may be asking it still"
    now[0] += REST
    assert store.size() == there()
    assert [first.closed, second.closed] == [True, False]
    store.close()
    assert [first.closed, second.closed] == [True, True]


def test_calls_that_fail_late_say_nothing_new() -> None:
    now, hang, hanging = [0.0], threading.Event(), threading.Semaphore(0)

    def slowly() -> Size:
        hanging.release()
        assert hang.wait(FOREVER)
        return away()

    first, second = Sized(slowly), Sized(there)
    store = over(first, second, clock=lambda: now[0])
    with ThreadPoolExecutor(FAILURES) as pool:
        late = [pool.submit(store.size) for _ in range(FAILURES)]
        for _ in late:
            assert hanging.acquire(timeout=FOREVER)
        first.size = away
        fail(store, FAILURES)
        now[0] += REST
        assert store.size() == there()
        hang.set()
        for call in late:
            with pytest.raises(StoreUnavailable):
                call.result(FOREVER)
    assert store.size() == there()
    store.close()


@pytest.mark.parametrize("error", [StoreBusy, StoreDenied, ForeignStore, StoreError])
def test_a_refusal_passes_does_not_count_and_ends_the_rest(error: type[StoreError]) -> None:
    def refuse() -> Size:
        raise error("no")

    now, first, second = [0.0], Sized(refuse), Sized(refuse)
    store = over(first, second, clock=lambda: now[0])
    for _ in range(FAILURES * 2):
        with pytest.raises(error, match=r"^no$"):
            store.size()
    first.size = away
    fail(store, FAILURES)
    now[0] += REST
    for _ in range(3):
        with pytest.raises(error, match=r"^no$"):
            store.size()
    store.close()


def test_a_mistake_of_ours_is_raised_where_it_is_waited_for() -> None:
    def opening() -> Store:
        raise TypeError("a mistake")

    store = Guarded("neo4j", opening)
    for _ in range(FAILURES + 1):
        with pytest.raises(TypeError, match="a mistake"):
            store.size()


def test_a_stream_that_cannot_begin_is_told_by_the_call_itself_and_counts() -> None:
    store = over(Sized(away))
    for _ in range(FAILURES):
        with pytest.raises(StoreUnavailable, match=r"does not answer$"):
            store.stream()
    with pytest.raises(StoreUnavailable, match="tried again"):
        store.identifiers()
    assert len(list(over(Sized(there)).stream())) == 1


def test_a_store_that_is_opened_after_the_end_is_closed_again() -> None:
    go_on, fresh, closed = threading.Event(), Sized(there), threading.Event()
    fresh.close = closed.set  # type: ignore[method-assign]

    def opening() -> Store:
        assert go_on.wait(FOREVER)
        return fresh  # type: ignore[return-value]

    store = Guarded("neo4j", opening, wait=0.01)
    assert not answers(store)
    store.close()
    go_on.set()
    assert closed.wait(FOREVER)


def test_the_log_tells_when_it_went_and_when_it_came_back_and_nothing_between(
    place: Place, guarded: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    place.there = False
    with caplog.at_level(logging.INFO):
        for _ in range(40):
            answers(guarded)
            place.now += 1
        place.there = True
        place.now += REST
        assert answers(guarded)
    assert [record.getMessage() for record in caplog.records] == [
        "the database does not answer; it is left alone, and tried again every 10 s",
        "the database answers again after 50 s",
    ]


def test_many_threads_agree_while_it_goes_and_comes() -> None:
    """Whatever they meet, each call ends with an answer or `StoreUnavailable`, and at the end it is there."""
    stop, down, now = threading.Event(), threading.Event(), [0.0]
    met: list[bool] = []

    def size() -> Size:
        return away() if down.is_set() else there()

    def opening() -> Store:
        size()
        return Sized(size)  # type: ignore[return-value]

    def ask() -> None:
        while not stop.is_set():
            met.append(answers(store))

    def some_more() -> None:
        seen = len(met)
        until(lambda: len(met) > seen + 50)

    store = Guarded("neo4j", opening, lambda: now[0], wait=FOREVER)
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(ask) for _ in range(8)]
        for _ in range(10):
            down.set()
            some_more()
            down.clear()
            now[0] += REST
            some_more()
        until(lambda: answers(store))
        stop.set()
        for call in calls:
            call.result(FOREVER)
    assert set(met) == {True, False}
    store.close()


def test_a_failure_now_and_then_does_not_count(place: Place, guarded: Guarded) -> None:
    for _ in range(FAILURES * 2):
        place.there = False
        guarded.close()
        assert guarded.try_now() is not None
        place.there = True
        assert guarded.try_now() is None


def test_what_waiting_does_not_mend_is_raised_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "corpus.sqlite").write_text("somebody else's")
    guarded = Guarded("sqlite", lambda: open_store("sqlite", tmp_path))
    for _ in range(FAILURES * 2):
        with pytest.raises(ForeignStore):
            guarded.try_now()
