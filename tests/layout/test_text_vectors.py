"""From titles and abstracts to vectors."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from ingest.openalex_work import rebuilt_abstract
from layout.text_vectors import MAX_TERMS, reduce, texts_of, weigh_terms, weigh_terms_by, words
from layout.workers import here
from tests.layout.plain_terms import plain_weights, same_bits

ROOT = Path(__file__).resolve().parents[2]


def likeness(texts: list[str]) -> np.ndarray:
    vectors = reduce(weigh_terms(texts), 128, 42)
    result: np.ndarray = vectors @ vectors.T
    return result


def test_a_title_counts_twice_and_what_is_missing_not_at_all() -> None:
    assert list(texts_of(["A", None, "B", None], ["b", "c", "", None])) == ["A. A. b", "c", "B. B", ""]
    assert list(texts_of(["Editorial", "A"], ["b", "No abstract available."])) == ["b", "A. A"]
    assert texts_of(["A", "B", "C"], ["", "", ""])[1:] == ["B. B", "C. C"]
    with pytest.raises(ValueError, match="2 titles and 1 abstracts"):
        texts_of(["A", "B"], ["b"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The growth of galaxies", ["growth", "galaxies"]),
        ("p53 and BERT-based models, 2020", ["p53", "bert-based", "models"]),
        ("Über Größenordnungen", ["über", "größenordnungen"]),
        ("深度学习", ["深度", "度学", "学习"]),
        ("BERT模型 and カメラ", ["bert", "模型", "カメ", "メラ"]),
        ("양자 컴퓨터와 알고리즘", ["양자", "컴퓨터와", "알고리즘"]),
        ("Квантовая теория", ["квантовая", "теория"]),
        ("of the and", []),
        ("", []),
    ],
)
def test_words_of_any_script(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_chinese_titles_about_the_same_are_near_each_other() -> None:
    near = likeness(["深度学习图像识别", "图像识别的深度学习", "货币政策与通货膨胀", "通货膨胀下的货币政策"])
    assert near[0, 1] > near[0, 2] + 0.3
    assert near[2, 3] > near[0, 3] + 0.3


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["of the"] * 30, ["x"], ["galaxies"], ["galaxies"] * 200])
def test_texts_that_tell_nothing_give_finite_vectors(texts: list[str]) -> None:
    vectors = reduce(weigh_terms(texts), 128, 42)
    assert vectors.shape[0] == len(texts)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()


def test_rows_have_unit_length_or_are_zero() -> None:
    texts = ["galaxy halo dust", "halo dust quasar", "market price bond", "price bond auction", ""]
    length = np.linalg.norm(reduce(weigh_terms(texts), 128, 42), axis=1)
    assert length == pytest.approx([1, 1, 1, 1, 0], abs=1e-5)


def test_the_signs_of_the_vectors_do_not_depend_on_chance() -> None:
    texts = [f"galaxy halo number{i % 7} word{i % 5} thing{i % 3}" for i in range(60)]
    one, other = (reduce(weigh_terms(texts), 8, seed) for seed in (1, 2))
    assert np.sign(one[:, 0]).tolist() == np.sign(other[:, 0]).tolist()
    assert np.array_equal(one, reduce(weigh_terms(texts), 8, 1))


WORDS = ("halo", "halo-dust", "dust", "quasar", "bond", "price", "auction", "éclat", "深度", "the", "of")


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=15).map(" ".join), max_size=130))
def test_weights_are_scikit_learns_bit_for_bit(texts: list[str]) -> None:
    assert same_bits(weigh_terms(texts), plain_weights(texts))
    assert same_bits(weigh_terms_by(here, texts, size=7), plain_weights(texts))


def test_more_terms_than_there_may_be_are_cut_as_scikit_learn_cuts_them() -> None:
    """Nearly all terms are as frequent as others at the limit."""
    random = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    vocabulary = ["".join(letters[random.integers(0, 26, 5)]) for _ in range(30_000)]
    texts = [" ".join(vocabulary[at] for at in random.integers(0, len(vocabulary), 60)) for _ in range(50)] * 3
    texts += [" ".join(vocabulary[at : at + 200]) for at in range(0, len(vocabulary), 200)] * 3
    expected = plain_weights(texts)
    assert expected.shape[1] == MAX_TERMS
    assert same_bits(weigh_terms(texts), expected)


@pytest.mark.shared_data
@pytest.mark.parametrize("first", [60, 2_000])
def test_real_texts_have_scikit_learns_weights(shared_data: Path, first: int) -> None:
    texts = real_texts(shared_data / "openalex" / "openalex-all.jsonl.gz", first)
    assert same_bits(weigh_terms(texts), plain_weights(texts))


def real_texts(file: Path, first: int) -> Sequence[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        works = [json.loads(line) for line in islice(lines, first)]
    abstracts = [rebuilt_abstract(work["abstract_inverted_index"], []) for work in works]
    assert sum(map(bool, abstracts)) > 0.8 * first
    return texts_of([work["title"] for work in works], abstracts)


def test_progress_goes_from_nothing_to_all() -> None:
    said: list[float] = []
    weigh_terms([f"galaxy halo number{i % 7}" for i in range(12_000)], progress=said.append)
    assert said == sorted(said)
    assert 0 < said[0] < 0.5
    assert said[-1] == pytest.approx(1)


MANY = """
import hashlib, os, sys
import numpy as np
from layout.text_vectors import weigh_terms

random = np.random.default_rng(0)
words = np.array(["the", "of", "深度学习", *(f"word{number}" for number in range(3_000))])
rows = (3_000 * random.random((51_000, 12)) ** 3).astype(int)
matrix = weigh_terms([" ".join(row) for row in words[rows]], workers=int(sys.argv[1]))
parts = (matrix.indptr, matrix.indices, matrix.data)
print(hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest(), matrix.shape, sum(os.times()[2:4]) > 0)
"""


def test_one_process_and_two_give_the_same_bits() -> None:
    """In processes of their own, as the layout has it; the second one has children that did something."""
    one, two = (of_a_process(MANY, str(workers)) for workers in (1, 2))
    assert one[:-1] == two[:-1]
    assert (one[-1], two[-1]) == ("False", "True")


REDUCED = """
import hashlib, sys
from layout.text_vectors import reduce
from tests.layout.test_text_vectors import topics

print(hashlib.sha256(reduce(topics(101_000), 4, 7, threads=int(sys.argv[1])).tobytes()).hexdigest())
"""


def test_a_large_corpus_has_the_same_vectors_on_one_thread_and_on_two() -> None:
    assert of_a_process(REDUCED, "1") == of_a_process(REDUCED, "2")


def of_a_process(program: str, argument: str) -> list[str]:
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": argument}
    command = [sys.executable, "-W", "error", "-c", program, argument]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout.split()


def topics(n: int) -> sp.csr_matrix:
    """n papers of four topics in turn, each with five of the ten terms of its topic; the last one has none."""
    columns = 10 * (np.arange(n) % 4)[:, None] + (np.arange(n) // 4 % 5)[:, None] + np.arange(5)
    matrix = sp.csr_matrix((np.ones(5 * n, np.float32), columns.ravel(), np.arange(0, 5 * n + 1, 5)), shape=(n, 40))
    return sp.vstack([matrix[:-1], sp.csr_matrix((1, 40), dtype=np.float32)], format="csr")


def test_what_is_learned_from_a_sample_holds_for_all() -> None:
    n = 100_400
    vectors = reduce(topics(n), 4, 42)
    assert vectors.shape == (n, 4)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors[:-1], axis=1) == pytest.approx(1, abs=1e-5)
    assert not vectors[-1].any()
    alike = vectors[:400] @ vectors[-401:-1].T
    topic = np.arange(n) % 4
    same = topic[:400, None] == topic[None, -401:-1]
    assert alike[same].min() > 0.95
    assert abs(alike[~same]).max() < 0.05
    assert np.array_equal(vectors, reduce(topics(n), 4, 42))


def test_a_paper_without_a_term_has_no_direction_wherever_it_stands() -> None:
    matrix = sp.random(500, 300, 0.05, "lil", np.float32, rng=np.random.default_rng(0))
    empty = [0, 5, 100, 127, 128, 499]
    matrix[empty] = 0
    length = np.linalg.norm(reduce(matrix.tocsr(), 128, 42), axis=1)
    assert not length[empty].any()
    assert np.allclose(np.delete(length, empty), 1)
