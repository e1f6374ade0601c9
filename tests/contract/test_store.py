"""What every store promises, primitive by primitive."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from corpus.model import PartialDate
from corpus.store import Direction, Edition, Store, Verdict
from tests.contract.making import ids, paper, put, run


def test_an_empty_store_answers_everything(store: Store) -> None:
    assert (store.size().papers, store.size().stubs, store.size().citations) == (0, 0, 0)
    assert store.version() == 0
    assert store.runs() == []
    assert store.resolve(["doi:10.1000/1"]) == {}
    assert store.paper("doi:10.1000/1") is None
    assert list(store.stream()) == []
    assert store.search(["a"], 10) == []
    assert store.neighbours("doi:10.1000/1", Direction.CITATIONS).total == 0
    assert [len(ends) for ends in store.edges()] == [0, 0]
    assert store.data_date() is None
    assert store.published() is None


def test_a_paper_comes_back_as_it_was_put(store: Store) -> None:
    made = paper(
        "doi:10.1000/1", "openalex:W1", title="Déjà vu", references=["doi:10.1000/2"], date="2018-02", areas=["x"]
    )
    put(store, made)
    stored = store.paper("doi:10.1000/1")
    assert stored is not None
    assert stored.paper == made
    assert store.papers(["doi:10.1000/9", "doi:10.1000/1"]) == [stored]
    assert list(store.stream()) == [stored]


def test_unknown_empty_and_listed_references_stay_apart(store: Store) -> None:
    put(store, paper("test:u"), paper("test:e", references=[]), paper("test:l", references=["test:x"]))
    kept = {stored.paper.address: stored.paper.references for stored in store.stream()}
    assert kept == {"test:u": None, "test:e": (), "test:l": ("test:x",)}


def test_papers_of_one_batch_that_prove_to_be_one_are_one(store: Store) -> None:
    put(
        store,
        paper("test:a", references=["test:x"]),
        paper("test:b", references=["test:y", "test:a"]),
        paper("test:a", "test:b", title="One", references=["test:x"]),
    )
    assert (store.size().papers, store.size().stubs, store.size().citations) == (1, 1, 1)
    assert store.resolve(["test:b", "test:y"]) == {"test:b": "test:a"}
    known = {row.number for row in store.rows(["test:a", "test:x"])}
    assert {number for ends in store.edges() for number in ends.tolist()} == known


def test_an_identifier_that_a_paper_once_had_leads_to_it_for_ever(store: Store) -> None:
    put(store, paper("arxiv:2101.00001", "openalex:W1", title="One"))
    put(store, paper("openalex:W1", title="One, without its preprint"))
    assert store.resolve(["arxiv:2101.00001"]) == {"arxiv:2101.00001": "openalex:W1"}
    put(store, paper("test:c", references=["arxiv:2101.00001"]))
    assert ids(store.neighbours("openalex:W1", Direction.CITATIONS).rows) == ["test:c"]
    put(store, paper("arxiv:2101.00001", title="The preprint again"))
    assert store.size().papers == 2
    assert store.resolve(["openalex:W1"]) == {"openalex:W1": "arxiv:2101.00001"}


def test_every_identifier_leads_to_the_address(store: Store) -> None:
    put(store, paper("openalex:W1", "doi:10.1000/1", "pmid:7", references=["openalex:W9"]))
    found = store.resolve(["pmid:7", "openalex:W1", "doi:10.1000/1", "openalex:W9", "openalex:W8"])
    assert found == dict.fromkeys(["pmid:7", "openalex:W1", "doi:10.1000/1"], "doi:10.1000/1") | {
        "openalex:W9": "openalex:W9"
    }


def test_a_cited_work_without_a_record_is_a_stub_until_it_has_one(store: Store) -> None:
    put(store, paper("test:a", references=["test:b", "test:c"]))
    assert (store.size().papers, store.size().stubs, store.size().citations) == (1, 2, 2)
    assert store.paper("test:b") is None
    (row,) = store.rows(["test:b"])
    assert (row.stub, row.title, row.citations) == (True, None, 1)
    put(store, paper("test:b", title="Now known"))
    assert (store.size().papers, store.size().stubs, store.size().citations) == (2, 1, 2)
    stored = store.paper("test:b")
    assert stored is not None
    assert stored.citations == 1


def test_one_record_joins_stubs_and_papers_and_old_addresses_lead_on(store: Store) -> None:
    put(
        store,
        paper("test:a", references=["openalex:W1", "doi:10.1000/1"]),
        paper("pmid:5", title="Five", references=["test:z"]),
    )
    put(store, paper("test:b", references=["pmid:5", "pmid:5"]))
    put(store, paper("doi:10.1000/1", "openalex:W1", "pmid:5", title="One", references=["test:y"]))
    assert store.resolve(["pmid:5", "openalex:W1"]) == dict.fromkeys(["pmid:5", "openalex:W1"], "doi:10.1000/1")
    assert ids(store.neighbours("doi:10.1000/1", Direction.CITATIONS).rows) == ["test:a", "test:b"]
    assert ids(store.neighbours("doi:10.1000/1", Direction.REFERENCES).rows) == ["test:y"]
    assert store.paper("pmid:5") is None
    assert store.size().papers == 3
    assert store.rows(["test:z"]) == [], "nothing cites it any more"


def test_a_better_identifier_moves_the_address_and_the_old_one_leads_to_it(store: Store) -> None:
    put(store, paper("openalex:W1", title="One"))
    put(store, paper("openalex:W1", "arxiv:2101.00001", title="One"))
    assert store.resolve(["openalex:W1"]) == {"openalex:W1": "arxiv:2101.00001"}
    assert store.size().papers == 1


def test_a_new_reference_list_replaces_the_old_one(store: Store) -> None:
    put(store, paper("test:a", references=["test:b", "test:c"]), paper("test:b"))
    put(store, paper("test:a", references=["test:d"]))
    assert ids(store.neighbours("test:a", Direction.REFERENCES).rows) == ["test:d"]
    stored = store.paper("test:b")
    assert stored is not None
    assert stored.citations == 0
    assert store.rows(["test:c"]) == []
    assert store.size().citations == 1


def test_papers_of_one_batch_may_cite_each_other_themselves_and_in_circles(store: Store) -> None:
    put(store, paper("test:a", references=["test:b", "test:a"]), paper("test:b", references=["test:a"]))
    assert store.size().stubs == 0
    assert store.size().citations == 3
    stored = store.paper("test:a")
    assert stored is not None
    assert (stored.citations, stored.references_in_corpus) == (2, 2)


def test_in_corpus_counts_papers_and_not_stubs(store: Store) -> None:
    put(store, paper("test:a", references=["test:b", "test:c"]), paper("test:b"))
    stored = store.paper("test:a")
    assert stored is not None
    assert stored.references_in_corpus == 1


def test_a_row_has_the_first_three_authors_and_their_number(store: Store) -> None:
    put(store, paper("test:a", authors=["A One", "B Two", "C Three", "D Four"]))
    (row,) = store.rows(["test:a"])
    assert (row.authors, row.authors_total) == (("A One", "B Two", "C Three"), 4)


def test_edges_are_store_numbers_sorted(store: Store) -> None:
    put(store, paper("test:b", references=["test:c", "test:a"]), paper("test:a", references=["test:b"]))
    numbers = {row.id: row.number for row in store.rows(["test:a", "test:b", "test:c"])}
    citing, cited = store.edges()
    assert citing.dtype == cited.dtype == np.int32
    pairs = list(zip(citing.tolist(), cited.tolist(), strict=True))
    assert pairs == sorted(pairs)
    assert set(pairs) == {
        (numbers[a], numbers[b]) for a, b in [("test:b", "test:c"), ("test:b", "test:a"), ("test:a", "test:b")]
    }


def test_the_stream_is_in_order_of_address_by_code_point(store: Store) -> None:
    names = ["test:b", "test:A", "test:ä", "arxiv:2101.00001", "test:\N{GRINNING FACE}", "test:~", "test:\uffee"]
    put(store, *(paper(name) for name in names))
    assert [stored.paper.address for stored in store.stream()] == sorted(names)


def test_the_same_again_changes_nothing(store: Store) -> None:
    papers = [paper("test:a", title="A", references=["test:b"]), paper("test:b", title="B")]
    put(store, *papers)
    before = (store.version(), store.size(), list(store.stream()))
    put(store, *papers)
    assert (store.version(), store.size(), list(store.stream())) == before
    put(store, paper("test:a", title="A2", references=["test:b"]))
    assert store.version() > before[0]


def test_a_batch_that_fails_in_the_middle_leaves_nothing(store: Store) -> None:
    put(store, paper("test:a", title="kept", references=["test:z"]))
    before = (store.version(), store.size(), store.runs(), list(store.stream()))
    good = [
        paper("test:b", title="lost", references=["test:c", "test:a"]),
        paper("test:a", title="lost", references=[]),
    ]
    unwritable = replace(paper("test:d"), title="half a letter: \ud800")
    with pytest.raises(UnicodeEncodeError):
        store.put([*good, unwritable], run("r2", 3))
    assert (store.version(), store.size(), store.runs(), list(store.stream())) == before
    assert store.search(["lost"], 9) == []
    put(store, *good)
    assert store.size().papers == 2, "it goes on after a failure"


def test_the_run_is_written_with_its_batch(store: Store) -> None:
    store.put([paper("test:a")], run("r1", 1))
    assert [(one.id, one.finished, one.tally.read) for one in store.runs()] == [("r1", None, 1)]
    store.settle(run("r1", 1, finished=True), PartialDate.parse("2026-10-07"))
    assert [one.finished for one in store.runs()] == ["2026-12-01T10:01:00+00:00"]
    store.settle(run("r2"), PartialDate.parse("2025"))
    assert str(store.data_date()) == "2026-10-07", "the later one stays"


def test_runs_are_listed_oldest_first_and_a_batch_without_papers_notes_the_run(store: Store) -> None:
    for name in ("r9", "r1", "r5"):
        store.put([], run(name))
    store.settle(run("r9", 4, finished=True), None)
    assert [(one.id, one.tally.read) for one in store.runs()] == [("r9", 4), ("r1", 0), ("r5", 0)]
    assert store.version() == 0


def test_a_list_may_be_streamed_while_its_reader_writes(store: Store) -> None:
    put(store, *(paper(f"test:{n:04}") for n in range(1500)))
    seen = []
    for stored in store.stream():
        seen.append(stored.paper.address)
        if len(seen) == 1:
            put(store, paper("test:9999"))
    assert seen == [f"test:{n:04}" for n in range(1500)], "one state of the corpus"


def test_many_threads_read_while_one_writes(store: Store) -> None:
    put(store, paper("test:hub"))

    def consistent(_: int) -> bool:
        page = store.neighbours("test:hub", Direction.CITATIONS, limit=1000)
        return len(page.rows) == page.total and page.total % 5 == 0

    with ThreadPoolExecutor(4) as threads:
        asked = threads.map(consistent, range(200))
        for batch in range(20):
            put(store, *(paper(f"test:{batch}-{n}", references=["test:hub"]) for n in range(5)))
        assert all(asked), "a page never mixes two states"
    assert store.neighbours("test:hub", Direction.CITATIONS).total == 100


def test_verdicts_are_replaced_as_a_whole(store: Store) -> None:
    store.publish(
        Edition("b" * 64, "2026-12-01T10:00:00+00:00"),
        [Verdict("test:a", 0.5, 0.5, "0-00", None), Verdict("test:b", None, None, None, "no_links")],
    )
    store.publish(Edition("c" * 64, "2026-12-01T10:00:00+00:00"), [Verdict("test:a", 0.1, 0.2, "0-00", None)])
    assert store.published() == "c" * 64


@pytest.mark.parametrize(
    "title",
    ["'; DROP TABLE node; --", "\N{PILE OF POO}", "\u05e9\u05dc\u05d5\u05dd", "a" * 20_000, "</script>", "%s {} \\"],
)
def test_hostile_titles_are_kept_as_text(store: Store, title: str) -> None:
    put(store, paper("test:a", title=title))
    (row,) = store.rows(["test:a"])
    assert row.title == title
