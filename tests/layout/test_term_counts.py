"""Terms counted over chunks and slices of any size."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layout.term_counts import Terms, _slices, common_words, count, most_frequent, tally
from layout.words import read
from tests.layout.plain_terms import plain_terms

WORDS = ("halo", "halo-dust", "halos", "dust", "quasar", "éclat", "深度")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=12)


def spelt(code: int, words: list[str]) -> str:
    left, right = divmod(code, len(words) + 1)
    return words[left] + (f" {words[right - 1]}" if right else "")


@given(TEXTS, st.integers(1, 3), st.integers(1, 5), st.integers(1, 30))
def test_counts_are_those_of_every_term_spelt(texts: list[str], least: int, together: int, size: int) -> None:
    most = 0.7 * len(texts)
    readings = [read(texts[at : at + together], frozenset()) for at in range(0, len(texts), together)]
    chunks, times = common_words(iter(readings), least)
    found = list(tally(chunks, times, least, most, size=size))
    assert [done for done, _ in found] == sorted(done for done, _ in found)
    terms = Terms.together([some for _, some in found])

    each = [Counter(plain_terms(text)) for text in texts]
    papers = Counter(chain.from_iterable(each))
    all_times = sum(each, Counter())
    expected = sorted(term for term, many in papers.items() if least <= many <= most)
    words = sorted({word for word in WORDS if all_times[word] >= least})
    assert [spelt(code, words) for code in terms.codes.tolist()] == expected
    assert terms.papers.tolist() == [papers[term] for term in expected]
    assert terms.times.tolist() == [all_times[term] for term in expected]

    parts = [count(chunk.words, chunk.ends, terms.codes, len(times)) for chunk in chunks]
    rows = [row for part in parts for row in part.toarray().tolist()]
    assert rows == [[counted[term] for term in expected] for counted in each]
    assert all(part.has_sorted_indices for part in parts)


def test_no_texts_have_no_terms() -> None:
    chunks, times = common_words([], 1)
    assert chunks == []
    assert list(tally(chunks, times, 1, 1.0)) == []
    assert len(Terms.together([]).codes) == 0


@pytest.mark.parametrize("size", [1, 8])
def test_numbers_of_terms_of_a_large_corpus_fit(size: int) -> None:
    """With so many papers and words, term and paper need more than 63 bits together, unless slices are narrow."""
    words = 3_000_000
    times = np.ones(words, np.int64)
    slices = list(_slices(times, 10**9, size * words))
    assert [low for low, _ in slices[1:]] == [high for _, high in slices[:-1]]
    assert (slices[0][0], slices[-1][1]) == (0, words)
    assert max(high - low for low, high in slices) * (words + 1) * 10**9 < 2**63


def test_the_most_frequent_terms_stay_in_their_order() -> None:
    terms = Terms(np.arange(5), np.ones(5, np.int64), np.array([3, 1, 9, 2, 7]))
    assert most_frequent(terms, 3).codes.tolist() == [0, 2, 4]
    assert most_frequent(terms, 5).codes.tolist() == [0, 1, 2, 3, 4]
