"""A corpus moves from one store to another and back, and is the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from corpus.errors import BadInput
from corpus.model import PartialDate
from corpus.store import Direction, Store
from corpus.stores import open_store
from ingest.copy import Copying, copy_corpus
from ingest.export import export_papers
from tests.contract.making import ids, paper, put, run


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Store]:
    """An embedded corpus with papers that were joined, lost an identifier, and cite what nobody has."""
    (tmp_path / "from").mkdir()
    with closing(open_store("sqlite", tmp_path / "from")) as store:
        put(store, paper("arxiv:2101.00001", "openalex:W1", title="One"), paper("pmid:5", title="Five"))
        put(store, paper("openalex:W1", title="One, without its preprint", references=["pmid:5", "test:nowhere"]))
        put(store, paper("doi:10.1000/1", "pmid:5", title="Fünf", references=["arxiv:2101.00001"], date="1999-05"))
        put(store, *(paper(f"test:{n:04}", title=f"Paper {n}", references=["openalex:W1"]) for n in range(30)))
        store.settle(run("r2", 40, finished=True), PartialDate.parse("2026-10-07"))
        yield store


def picture(store: Store, file: Path) -> object:
    """What equal corpora have in common."""
    export_papers(store, file)
    known = store.resolve(["arxiv:2101.00001", "openalex:W1", "pmid:5", "doi:10.1000/1", "test:nowhere", "test:0003"])
    citers = ids(store.neighbours("openalex:W1", Direction.CITATIONS, limit=99).rows)
    counts = [(one.paper.address, one.citations, one.references_in_corpus) for one in store.stream()]
    others = list(store.identifiers())
    return file.read_bytes(), known, citers, counts, others, store.size(), store.runs(), store.data_date()


def test_a_copy_is_the_same_and_so_is_the_copy_of_a_copy(filled: Store, store: Store, tmp_path: Path) -> None:
    expected = picture(filled, tmp_path / "a.jsonl")
    told: list[Copying] = []
    assert copy_corpus(filled, store, progress=told.append) == 32
    assert (told[-1].papers, told[-1].total) == (32, 32)
    assert picture(store, tmp_path / "b.jsonl") == expected
    (tmp_path / "back").mkdir()
    with closing(open_store("sqlite", tmp_path / "back")) as back:
        copy_corpus(store, back)
        assert picture(back, tmp_path / "c.jsonl") == expected


def test_a_copy_that_was_cut_goes_on_and_one_that_is_done_changes_nothing(filled: Store, store: Store) -> None:
    held = [stored.paper for stored in filled.stream()]
    store.put(held[:10], run("r1"))
    copy_corpus(filled, store)
    assert [stored.paper for stored in store.stream()] == held
    version = store.version()
    copy_corpus(filled, store)
    assert [stored.paper for stored in store.stream()] == held
    assert store.size() == filled.size()
    assert store.version() >= version


def test_a_store_that_holds_something_else_is_refused_and_left_alone(filled: Store, store: Store) -> None:
    put(store, paper("test:mine", title="Mine"))
    with pytest.raises(BadInput, match="test:mine"):
        copy_corpus(filled, store)
    assert store.size().papers == 1


def test_identifiers_that_lead_to_a_paper_are_listed_in_order(filled: Store, store: Store) -> None:
    copy_corpus(filled, store)
    assert list(store.identifiers()) == [("arxiv:2101.00001", "openalex:W1"), ("pmid:5", "doi:10.1000/1")]
