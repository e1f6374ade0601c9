"""Nearest neighbours among many papers."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import layout.similarity
from layout.cells import nearest_in_cells
from layout.similarity import nearest
from layout.unit_rows import unit_rows

ROOT = Path(__file__).resolve().parents[2]

BITS = """
import hashlib, sys
from tests.layout.test_cells import crowd, nearest_in_cells
found, near = nearest_in_cells(crowd(6_000), 15, int(sys.argv[1]))
print(hashlib.sha256(found.tobytes() + near.tobytes()).hexdigest())
"""


def crowd(n: int, d: int = 32) -> NDArray[np.float32]:
    """Papers of two hundred topics of very unequal size."""
    random = np.random.default_rng(2)
    topics = random.normal(size=(200, d))
    return unit_rows(topics[(200 * random.random(n) ** 2).astype(int)] + 0.5 * random.normal(size=(n, d)))


def test_nearly_all_of_the_nearest_are_found() -> None:
    vectors = crowd(6_000)
    exact, distances = nearest(vectors, 15)
    found, near = nearest_in_cells(vectors, 15, 2)
    shared = [len(set(one) & set(other)) for one, other in zip(exact.tolist(), found.tolist(), strict=True)]
    assert np.mean(shared) / 15 > 0.95
    assert (found != np.arange(6_000)[:, None]).all()
    assert (np.diff(near) <= 0).all()
    first = found[:, 0] == exact[:, 0]
    assert np.allclose(1 - near[first, 0], distances[first, 0], atol=1e-5)


def test_a_large_corpus_is_looked_at_by_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = crowd(3_000)
    monkeypatch.setattr(layout.similarity, "EXACT", 2_000)
    found, distances = nearest(vectors, 15, 2)
    assert np.array_equal(found, nearest_in_cells(vectors, 15, 1)[0])
    assert (found.dtype, distances.dtype, found.shape) == (np.int32, np.float32, (3_000, 15))
    assert distances.min() >= 0


def test_twins_are_each_others_neighbours_and_nobody_is_its_own() -> None:
    vectors = np.repeat(crowd(1_500), 2, axis=0)
    found, near = nearest_in_cells(vectors, 5, 1)
    rows = np.arange(3_000)
    assert (found != rows[:, None]).all()
    assert np.mean((found == (rows ^ 1)[:, None]).any(axis=1)) > 0.99
    assert near.max() <= 1


def test_papers_without_a_vector_are_near_nobody() -> None:
    vectors = crowd(3_000)
    vectors[::10] = 0
    found, near = nearest_in_cells(vectors, 5, 1)
    assert (near[::10] <= 0).all()
    assert ((found >= 0) & (found < 3_000)).all()


def test_one_thread_and_two_in_fresh_processes_give_the_same_bits() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", BITS, threads],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for threads in ("1", "2")
    }
    found, near = nearest_in_cells(crowd(6_000), 15, 2)
    assert told == {hashlib.sha256(found.tobytes() + near.tobytes()).hexdigest()}
