"""From titles and abstracts to vectors."""

from __future__ import annotations

import numpy as np
import pytest

from layout.text_vectors import reduce, texts_of, weigh_terms, words


def likeness(texts: list[str]) -> np.ndarray:
    vectors = reduce(weigh_terms(texts), 128, 42)
    result: np.ndarray = vectors @ vectors.T
    return result


def test_a_title_counts_twice_and_what_is_missing_not_at_all() -> None:
    assert texts_of(["A", None, "B", None], ["b", "c", "", None]) == ["A. A. b", "c", "B. B", ""]
    assert texts_of(["Editorial", "A"], ["b", "No abstract available."]) == ["b", "A. A"]


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
