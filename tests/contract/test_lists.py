"""What every store promises of lists and of search."""

from __future__ import annotations

import pytest

from corpus.store import Direction, Sort, Store
from tests.contract.making import ids, paper, put


@pytest.fixture
def hub(store: Store) -> Store:
    """A paper with citers of every kind, ties, nulls, accents, partial dates; they arrive last address first."""
    put(
        store,
        paper("test:5", title="Ähre", date="2019", references=["test:hub"]),
        paper("test:4", title="Zebra", date="2021-01-02", references=["test:hub", "test:1", "test:2"], areas=["b"]),
        paper("test:3", title=None, date=None, references=["test:hub"]),
        paper("test:2", title="eclipse", date="2019-05", references=["test:hub", "test:1"], areas=["a"]),
        paper("test:1", title="Éclair", date="2019", references=["test:hub"], areas=["b", "a"]),
        paper("test:hub"),
    )
    return store


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        (Sort.CITATIONS, "1 2 3 4 5"),
        (Sort.NEWEST, "4 2 1 5 3"),
        (Sort.OLDEST, "1 5 2 4 3"),
        (Sort.TITLE, "5 1 2 4 3"),
    ],
)
def test_lists_are_sorted_and_ties_follow_the_address(hub: Store, sort: Sort, expected: str) -> None:
    page = hub.neighbours("test:hub", Direction.CITATIONS, sort=sort)
    assert ids(page.rows) == [f"test:{number}" for number in expected.split()]
    assert page.total == 5


def test_lists_are_filtered_and_paged_with_the_total_of_the_filter(hub: Store) -> None:
    page = hub.neighbours("test:hub", Direction.CITATIONS, area="b", limit=1)
    assert (ids(page.rows), page.total) == (["test:1"], 2)
    assert ids(hub.neighbours("test:hub", Direction.CITATIONS, area="b", limit=1, offset=1).rows) == ["test:4"]
    page = hub.neighbours("test:hub", Direction.CITATIONS, year=2019)
    assert (ids(page.rows), page.total) == (["test:1", "test:2", "test:5"], 3)
    assert hub.neighbours("test:hub", Direction.CITATIONS, area="a' OR 1=1 --").total == 0


def test_citers_per_year_add_up_with_the_unknown_year_apart(hub: Store) -> None:
    assert hub.citers_per_year("test:hub") == {None: 1, 2019: 3, 2021: 1}
    assert hub.years() == {None: 2, 2019: 3, 2021: 1}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["networks"], ["test:n", "test:m"]),
        (["NETWORKS"], ["test:n", "test:m"]),
        (["net"], ["test:n", "test:m"]),
        (["net", "scientific"], []),
        (["scientific", "net"], ["test:n"]),
        (["deja"], ["test:d"]),
        (["Déjà", "v"], ["test:d"]),
        (["price"], ["test:n"]),
        (["works"], []),
        (['"', "*"], []),
        (["networks", "AND"], []),
        (["title:networks"], []),
        (["(", "networks)"], ["test:n", "test:m"]),
        (["net*"], ["test:n", "test:m"]),
        (["\0networks"], ["test:n", "test:m"]),
        (["\ud800networks"], ["test:n", "test:m"]),
        (["networks"] * 300, ["test:n", "test:m"]),
        (["networks", "-"], ["test:n", "test:m"]),
        (["complex-networks"], ["test:m"]),
        ([], []),
    ],
)
def test_search_is_lower_case_word_prefix_and_all_of_them(store: Store, words: list[str], found: list[str]) -> None:
    put(
        store,
        paper("test:n", title="Networks of Scientific Papers", authors=["Derek Price"]),
        paper("test:m", title="Complex networks"),
        paper("test:d", title="Déjà vu", references=["test:n"]),
    )
    assert ids(store.search(words, 10)) == found


def test_search_gives_the_most_cited_first_and_no_more_than_asked(store: Store) -> None:
    put(store, *(paper(f"test:{n}", title="same words", references=[f"test:{m}" for m in range(n)]) for n in range(5)))
    assert ids(store.search(["same"], 3)) == ["test:0", "test:1", "test:2"]


def test_a_changed_title_is_found_by_the_new_words_alone(store: Store) -> None:
    put(store, paper("test:a", title="old words"))
    put(store, paper("test:a", title="new names"))
    assert ids(store.search(["names"], 9)) == ["test:a"]
    assert store.search(["old"], 9) == []


def test_a_paper_that_was_joined_is_found_by_its_old_title_no_more(store: Store) -> None:
    put(store, paper("test:a", title="first"), paper("test:b", title="second"))
    put(store, paper("test:a", "test:b", title="first"))
    put(store, paper("test:a", "test:b", title="first", references=["test:stub"]))
    assert store.search(["second"], 9) == []


def test_an_area_is_the_whole_name_whatever_characters_it_has(store: Store) -> None:
    names = ["b", 'a"b', "a\\", "Ünïcode 50 %", 'x","b', "a"]
    put(store, paper("test:hub", title="Hub"))
    put(store, *(paper(f"test:{n}", references=["test:hub"], areas=[name]) for n, name in enumerate(names)))
    for n, name in enumerate(names):
        page = store.neighbours("test:hub", Direction.CITATIONS, area=name)
        assert (ids(page.rows), page.total) == ([f"test:{n}"], 1)
    assert store.neighbours("test:hub", Direction.CITATIONS, area="ünïcode 50 %").total == 0
    assert store.neighbours("test:hub", Direction.CITATIONS, area="").total == 0
