"""What is hidden from a map is gone from it, and no paper loses its last link."""

from __future__ import annotations

import numpy as np
import pytest

from bench.editions import hide_from_new
from bench.hiding import hide, inner_pairs
from bench.topic_tree import plant

CORPUS = plant(1_500).corpus


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.arange(0, CORPUS.n - 100)


def test_a_tenth_of_the_citations_on_the_map_is_hidden(rows: np.ndarray) -> None:
    hiding = hide(CORPUS, rows)
    pairs = inner_pairs(CORPUS, rows)
    inner = pairs[(pairs >= 0).all(axis=1)]
    assert len(hiding.hidden) == pytest.approx(len(inner) / 10, rel=0.02)
    assert len(hiding.seen) + len(hiding.hidden) == len(inner)
    seen = {tuple(sorted(pair)) for pair in hiding.seen.tolist()}
    assert not seen & {tuple(sorted(pair)) for pair in hiding.hidden.tolist()}


def test_citations_of_papers_that_are_not_on_the_map_stay(rows: np.ndarray) -> None:
    left = hide(CORPUS, rows).left
    assert len(left.citing) == len(CORPUS.citing) - len(hide(CORPUS, rows).hidden)
    assert np.count_nonzero(left.citing >= len(rows)) == np.count_nonzero(CORPUS.citing >= len(rows))


def test_no_paper_loses_its_last_link(rows: np.ndarray) -> None:
    hiding = hide(CORPUS, rows)
    degree = np.bincount(hiding.seen.ravel(), minlength=len(rows))
    assert (degree[np.unique(hiding.hidden)] > 0).all()


def test_the_same_seed_hides_the_same(rows: np.ndarray) -> None:
    assert np.array_equal(hide(CORPUS, rows).hidden, hide(CORPUS, rows).hidden)
    assert not np.array_equal(hide(CORPUS, rows).hidden, hide(CORPUS, rows, seed=1).hidden)


def test_of_new_papers_citations_to_old_ones_alone_are_hidden(rows: np.ndarray) -> None:
    new = np.arange(len(rows) - 70, len(rows))
    left, hidden = hide_from_new(CORPUS, rows, new)
    assert len(hidden) > 20
    assert (hidden[:, 0] >= new[0]).all()
    assert (hidden[:, 1] < new[0]).all()
    assert len(left.citing) == len(CORPUS.citing) - len(hidden)
    pairs = inner_pairs(left, rows)
    degree = np.bincount(pairs[(pairs >= 0).all(axis=1)].ravel(), minlength=len(rows))
    assert (degree[hidden[:, 0]] > 0).all()
