"""The corpus as arrays."""

from __future__ import annotations

import numpy as np

from layout.arrays import UNKNOWN
from tests.layout.making import corpus, paper


def test_rows_are_in_order_of_address_whatever_the_order_of_arrival() -> None:
    papers = [paper("b", references=["a", "z"]), paper("a", references=["z", "y"]), paper("c", references=["y", "z"])]
    one, other = corpus(papers), corpus(papers[::-1])
    assert one.ids == [("openalex:Wa",), ("openalex:Wb",), ("openalex:Wc",)] == other.ids
    assert np.array_equal(one.citing, other.citing)
    assert np.array_equal(one.cited, other.cited)


def test_unknown_is_never_zero() -> None:
    arrays = corpus(
        [
            paper("absent", None),
            paper("empty", references=[]),
            paper("full", references=["x"], unresolved=["A book", "Another"]),
        ]
    )
    assert arrays.parsed.tolist() == [UNKNOWN, 0, 3]
    assert arrays.resolved.tolist() == [UNKNOWN, 0, 1]
    assert arrays.declared.tolist() == [UNKNOWN] * 3


def test_a_self_citation_is_dropped_and_a_cycle_is_kept() -> None:
    arrays = corpus([paper("a", references=["a", "b"]), paper("b", references=["a"])])
    assert list(zip(arrays.citing.tolist(), arrays.cited.tolist(), strict=True)) == [(0, 1), (1, 0)]


def test_a_stub_that_one_paper_cites_is_left_out_and_a_shared_one_is_a_node() -> None:
    arrays = corpus([paper("a", references=["lonely", "shared"]), paper("b", references=["shared"])])
    assert arrays.nodes == 3
    assert arrays.cited.tolist() == [2, 2]


def test_no_paper_at_all_is_a_corpus_too() -> None:
    arrays = corpus([])
    assert (arrays.n, arrays.nodes, len(arrays.citing)) == (0, 0, 0)
