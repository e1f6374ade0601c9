"""Which papers of a very large corpus are laid out together."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from layout.landmarks import choose, landmarks_of
from layout.smoothing import Links
from layout.unit_rows import unit_rows


def fields(sizes: list[int], d: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors of fields of these sizes, each in a corner of its own, and the field of each."""
    random = np.random.default_rng(3)
    which = np.repeat(np.arange(len(sizes)), sizes)
    corners = 4 * np.eye(len(sizes), d)
    return unit_rows(corners[which] + 0.3 * random.normal(size=(len(which), d))), which


def test_a_small_and_little_cited_field_gets_its_share() -> None:
    vectors, field = fields([4_000, 200])
    links = np.where(field == 0, 50, 1) + np.arange(len(field)) % 7
    chosen = choose(vectors, links, 2_100, 1)
    assert chosen.sum() == 2_100
    assert 60 <= chosen[field == 1].sum() <= 140


def test_the_most_linked_of_a_group_are_chosen_and_of_equals_the_first() -> None:
    vectors, _ = fields([400])
    links = np.arange(400) // 2
    assert np.flatnonzero(choose(vectors, links, 101, 1)).tolist() == [298, *range(300, 400)]


@pytest.mark.parametrize("many", [1, 57, 2_999, 3_000])
def test_as_many_are_chosen_as_were_asked_for(many: int) -> None:
    vectors, _ = fields([1_000, 1_500, 500])
    assert choose(vectors, np.zeros(3_000, np.int64), many, 1).sum() == many


def test_papers_without_a_vector_can_be_landmarks_too() -> None:
    vectors, _ = fields([300])
    vectors[::2] = 0
    assert choose(vectors, np.where(np.arange(300) % 2, 0, 9), 150, 1).sum() == 150


def test_of_papers_without_text_that_only_each_other_cite_one_is_a_landmark() -> None:
    vectors, _ = fields([300])
    bare = np.zeros(300, bool)
    bare[[4, 5, 6, 50, 51]] = True
    citations = sp.lil_matrix((300, 300), dtype=np.float32)
    for one, other in ((4, 5), (5, 6), (50, 7)):
        citations[one, other] = citations[other, one] = 1
    links = Links(citations.tocsr(), sp.csr_matrix((300, 0), dtype=np.float32))
    assert np.flatnonzero(landmarks_of(vectors, bare, links, 2, 1)).tolist() == [5, 51]
    assert np.flatnonzero(landmarks_of(vectors, bare, links, 1, 1)).tolist() == [5, 51]
    assert landmarks_of(vectors, bare, links, 10, 1).sum() == 10


def test_of_papers_that_only_shared_references_tie_one_is_a_landmark() -> None:
    vectors, _ = fields([100])
    shared = sp.csr_matrix((np.ones(100, np.float32), (np.arange(100), np.arange(100) % 2)), shape=(100, 2))
    links = Links(sp.csr_matrix((100, 100), dtype=np.float32), shared)
    assert np.flatnonzero(landmarks_of(vectors, np.ones(100, bool), links, 2, 1)).tolist() == [0, 1]
