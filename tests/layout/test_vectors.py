"""Vectors of texts, by the corpus itself or by a plug-in."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from corpus.errors import BadSetting, LayoutFailed
from layout import wordllama
from layout.run import lay_out
from layout.text_vectors import reduce, weigh_terms
from layout.vectors import plug_in, vectors_of
from tests.layout.making import FAST, filled, many

TEXTS = [
    "Galaxies and dark matter haloes in simulations",
    "Dark matter around spiral galaxies",
    "Protein folding in living cells",
    "",
]
HERE = "tests.layout.test_vectors"
seen: list[list[str]] = []


def terms() -> sp.csr_matrix:
    return weigh_terms(TEXTS)


def lengths(texts: list[str]) -> NDArray[np.float64]:
    """A plug-in: how long the texts are."""
    seen.append(texts)
    return np.array([[float(len(text)), 1.0] for text in texts])


def flat(texts: list[str]) -> NDArray[np.float64]:
    return np.ones(len(texts))


def short(texts: list[str]) -> NDArray[np.float64]:
    return np.ones((len(texts) - 1, 4))


def whole(texts: list[str]) -> NDArray[np.int64]:
    return np.ones((len(texts), 4), np.int64)


def hole(texts: list[str]) -> NDArray[np.float64]:
    return np.where(np.arange(len(texts))[:, None] == 1, np.nan, np.ones((len(texts), 3)))


def failing(texts: list[str]) -> NDArray[np.float64]:
    raise RuntimeError(f"no graphics card for {len(texts)} texts")


NO_FUNCTION = 3


def test_by_default_the_corpus_itself_tells() -> None:
    assert np.array_equal(vectors_of("lsa", TEXTS, terms(), 8, 1), reduce(terms(), 8, 1))


def test_a_plug_in_is_asked_for_what_can_be_read_and_never_for_an_empty_text() -> None:
    seen.clear()
    given = vectors_of(f"{HERE}:lengths", TEXTS, terms(), 8, 1)
    assert seen == [TEXTS[:3]]
    assert (given.dtype, given.shape) == (np.float32, (4, 2))
    assert np.allclose(np.linalg.norm(given[:3], axis=1), 1)
    assert not given[3].any()


def test_nobody_is_asked_where_nothing_can_be_read() -> None:
    seen.clear()
    given = vectors_of(f"{HERE}:lengths", ["", ""], sp.csr_matrix((2, 0), dtype=np.float32), 8, 1)
    assert (seen, given.any(), given.shape) == ([], False, (2, 1))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("word2vec", "neither lsa nor file:PATH nor package.module:function"),
        (":f", "neither lsa nor"),
        ("no.such.module:f", "cannot be loaded: No module named 'no'"),
        (f"{HERE}:nothing", "cannot be loaded"),
        (f"{HERE}:NO_FUNCTION", "is no function"),
        (f"{HERE}:flat", r"returned float64 \(3,\) for 3 texts"),
        (f"{HERE}:short", r"returned float64 \(2, 4\) for 3 texts"),
        (f"{HERE}:whole", r"returned int64 \(3, 4\) for 3 texts"),
        (f"{HERE}:hole", "no finite numbers for 1 texts, the first: 'Dark matter"),
        (f"{HERE}:failing", "failed: RuntimeError: no graphics card for 3 texts"),
    ],
)
def test_a_plug_in_that_does_not_keep_its_word_is_told(name: str, told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        vectors_of(name, TEXTS, terms(), 8, 1)


def test_static_vectors_out_of_a_wheel_know_what_belongs_together() -> None:
    given = vectors_of("layout.wordllama:vectors", TEXTS, terms(), 8, 1)
    assert given.shape == (4, 256)
    assert given[0] @ given[1] > given[0] @ given[2] + 0.2
    assert np.array_equal(given, vectors_of("layout.wordllama:vectors", TEXTS, terms(), 8, 1))


def test_a_text_without_tokens_has_no_vector() -> None:
    assert not wordllama.vectors([""]).any()


def test_the_extra_is_named_where_it_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "safetensors.numpy", None)
    wordllama._model.cache_clear()
    with pytest.raises(BadSetting, match=r"pip install 'paperatlas\[wordllama\]'"):
        plug_in("layout.wordllama:vectors")(["text"])


def huge(texts: list[str]) -> NDArray[np.floating]:
    """More than single precision holds."""
    return np.full((len(texts), 4), 1e300)


@pytest.mark.parametrize("scale", [1e25, 1e-25])
def test_very_large_and_very_small_numbers_give_the_same_directions(
    scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = vectors_of(f"{HERE}:lengths", TEXTS, terms(), 8, 1)
    module = sys.modules[HERE]
    plain = module.lengths
    monkeypatch.setattr(module, "lengths", lambda texts: np.asarray(plain(texts), np.float32) * np.float32(scale))
    assert np.allclose(vectors_of(f"{HERE}:lengths", TEXTS, terms(), 8, 1), expected, atol=1e-6)


def test_numbers_that_single_precision_does_not_hold_are_refused() -> None:
    with pytest.raises(BadSetting, match="no finite numbers for 3 texts"):
        vectors_of(f"{HERE}:huge", TEXTS, terms(), 8, 1)


def lingering(texts: list[str]) -> NDArray[np.floating]:
    """Leaves a thread behind that does not end for a long time."""
    threading.Thread(target=time.sleep, args=(600,)).start()
    return np.ones((len(texts), 2), np.float32)


def test_a_plug_in_that_leaves_a_thread_behind_does_not_hold_the_map(tmp_path: Path) -> None:
    begun = time.monotonic()
    made = lay_out(filled(tmp_path / "data", many(20)), "sqlite", replace(FAST, vectors=f"{HERE}:lingering"))
    assert made.placed == 20
    assert time.monotonic() - begun < 120


def rambling(_: list[str]) -> NDArray[np.floating]:
    """Fail in three lines."""
    raise ValueError("line one\nline two\nline three")


def test_a_cause_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(LayoutFailed, match="rambling' failed: ValueError: line one line two line three"):
        lay_out(filled(tmp_path / "data", many(20)), "sqlite", replace(FAST, vectors=f"{HERE}:rambling"))
