"""Papers out of a planted tree: the tree is what citations and texts speak of."""

from __future__ import annotations

import numpy as np
import pytest

from bench.corpora import Given
from bench.texts import weighed
from bench.topic_tree import BRANCHES, LEAVES, path_of, plant
from layout.arrays import UNKNOWN
from layout.text_vectors import words

N = 4_000


@pytest.fixture(scope="module")
def given() -> Given:
    return plant(N)


def test_the_same_seed_plants_the_same_papers_and_another_one_others(given: Given) -> None:
    again, other = plant(N), plant(N, 1)
    assert again.corpus.titles == given.corpus.titles
    assert again.corpus.abstracts == given.corpus.abstracts
    assert np.array_equal(again.corpus.cited, given.corpus.cited)
    assert other.corpus.titles != given.corpus.titles


def test_every_leaf_has_one_way_up() -> None:
    topics = path_of(np.arange(LEAVES))
    assert [len(np.unique(level)) for level in topics.T] == np.cumprod(BRANCHES).tolist()
    assert len(np.unique(topics[:, 2:], axis=0)) == LEAVES


def test_papers_cite_earlier_ones_mostly_of_their_own_leaf(given: Given) -> None:
    corpus, leaf = given.corpus, given.labels["leaf"]
    assert (corpus.cited < corpus.citing).all()
    assert (np.diff(corpus.years) >= 0).all()
    late = corpus.citing > N // 2
    same = leaf[corpus.citing[late]] == leaf[corpus.cited[late]]
    assert 0.45 < same.mean() < 0.75
    assert corpus.citations.max() > 20 * corpus.citations.mean()


def test_leaves_are_of_very_unequal_size(given: Given) -> None:
    sizes = np.sort(np.bincount(given.labels["leaf"], minlength=LEAVES))
    assert sizes[-LEAVES // 10 :].sum() > 0.4 * N


def test_some_papers_lack_text_or_references_or_both(given: Given) -> None:
    corpus = given.corpus
    bare = np.array([abstract is None for abstract in corpus.abstracts])
    nothing = np.array([title is None for title in corpus.titles])
    assert bare.mean() == pytest.approx(0.036, abs=0.012)
    assert nothing.mean() == pytest.approx(0.006, abs=0.004)
    assert (corpus.resolved == UNKNOWN).mean() > 0.08
    assert (corpus.resolved[nothing] == UNKNOWN).all()
    assert (corpus.citations[nothing] == 0).all()


def test_texts_are_of_the_papers_topic_but_for_one_in_ten(given: Given) -> None:
    terms = weighed(given)
    area = given.labels["area"]
    centres = np.stack([np.asarray(terms[area == one].mean(axis=0)).ravel() for one in range(BRANCHES[0])])
    right = (terms @ centres.T).argmax(axis=1) == area
    assert 0.85 < right.mean() < 0.97


def test_the_text_stage_knows_the_words(given: Given) -> None:
    title = given.corpus.titles[0] or ""
    assert set(words(title)) <= set(title.split())
    told = " ".join(title for title in given.corpus.titles if title)
    assert 0.6 < len(words(told)) / len(told.split()) < 0.95


def test_counts_stand_in_for_texts() -> None:
    given = plant(N, counts=True)
    assert given.counts is not None
    assert set(given.corpus.titles) == {None}
    terms = weighed(given)
    lengths = np.asarray(terms.multiply(terms).sum(axis=1)).ravel()
    assert lengths[lengths > 0] == pytest.approx(1, abs=1e-5)
    assert weighed(given, np.arange(100)).shape[0] == 100
