"""Papers = placed + unplaced(reason), whatever happened since the build was made."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from corpus.coverage import cover, total
from corpus.errors import BooksDoNotBalance
from corpus.store import Run, Tally
from corpus.stores import open_store
from tests.contract.making import paper, run


class Built:
    """A build of these verdicts."""

    def __init__(self, *verdicts: tuple[str, str | None]) -> None:
        self.of = verdicts

    def verdicts(self) -> Iterable[tuple[str, str | None]]:
        return self.of


def test_before_the_first_layout_every_paper_waits(tmp_path: Path) -> None:
    store = open_store("sqlite", tmp_path)
    store.put([paper("test:a", references=["test:z"]), paper("test:b")], run(read=2))
    assert cover(store, None).unplaced == {"not_yet_laid_out": 2}
    store.close()


def test_papers_that_came_or_went_since_the_build_are_counted_once(tmp_path: Path) -> None:
    store = open_store("sqlite", tmp_path)
    store.put([paper("test:a"), paper("test:b"), paper("pmid:1"), paper("pmid:2")], run(read=4))
    built = Built(("pmid:1", None), ("pmid:2", None), ("test:a", None), ("test:b", "no_reference_list"))
    store.put([paper("doi:10.1000/1", "pmid:1", "pmid:2"), paper("test:new")], run(read=6))
    coverage = cover(store, built)
    assert (coverage.papers, coverage.placed) == (4, 1)
    assert coverage.unplaced == {"not_yet_laid_out": 2, "no_reference_list": 1}
    store.close()


def test_totals_over_runs_balance_or_fail() -> None:
    good = Run(
        "a", "2026", None, (), Tally(read=5, accepted=2, duplicates=1, rejected={"bad_json": 1}, merged={"updated": 1})
    )
    assert total([good, good]).rejected == {"bad_json": 2}
    with pytest.raises(BooksDoNotBalance):
        total([good, Run("b", "2026", None, (), Tally(read=1))])
