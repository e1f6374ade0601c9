"""New papers into a map that stands."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.placement import place

ROOT = Path(__file__).resolve().parents[2]
NAN = (np.nan, np.nan)

BITS = """
import hashlib
from tests.layout.test_placement import crowd, place
print(hashlib.sha256(place(*crowd(), 0.02).tobytes()).hexdigest())
"""


def tied(n: int, *ties: tuple[int, int, float]) -> sp.csr_matrix:
    one, other, weight = (np.array(part) for part in zip(*ties, strict=True))
    graph = sp.csr_matrix((weight.astype(np.float32), (one, other)), shape=(n, n))
    return graph.maximum(graph.T).tocsr()


def crowd() -> tuple[sp.csr_matrix, NDArray[np.float32]]:
    random = np.random.default_rng(3)
    graph = sp.random(500, 500, 0.03, "csr", np.float32, rng=random)
    xy = random.random((500, 2)).astype(np.float32)
    xy[random.choice(500, 60, replace=False)] = np.nan
    return graph.maximum(graph.T).tocsr(), xy


def test_a_new_paper_goes_to_the_larger_group_and_not_between_the_two() -> None:
    xy = np.array([[0.1, 0.1], [0.12, 0.1], [0.11, 0.12], [0.9, 0.9], [0.91, 0.9], NAN], np.float32)
    graph = tied(6, *((5, other, 0.5) for other in range(5)))
    assert np.linalg.norm(place(graph, xy, 0.02)[5] - [0.11, 0.107]) < 0.01


def test_a_strong_tie_outweighs_two_weak_ones() -> None:
    xy = np.array([[0.1, 0.1], [0.1, 0.1], [0.9, 0.9], NAN], np.float32)
    assert np.allclose(place(tied(4, (3, 0, 0.2), (3, 1, 0.2), (3, 2, 0.9)), xy, 0.02)[3], 0.9, atol=0.01)


def test_nobody_else_moves_by_a_bit() -> None:
    graph, xy = crowd()
    old = np.isfinite(xy).all(axis=1)
    after = place(graph, xy, 0.02)
    assert after[old].tobytes() == xy[old].tobytes()
    assert np.isfinite(after).all()
    assert after[~old].min() >= xy[old].min()
    assert after[~old].max() <= xy[old].max()


def test_a_paper_tied_to_new_ones_alone_is_placed_after_them() -> None:
    xy = np.array([[0.4, 0.4], NAN, NAN, NAN], np.float32)
    after = place(tied(4, (0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)), xy, 0.02)
    assert np.allclose(after, 0.4, atol=0.01)


def test_a_paper_without_a_tie_to_the_map_gets_no_position() -> None:
    xy = np.array([[0.4, 0.4], NAN, NAN, NAN], np.float32)
    after = place(tied(4, (0, 1, 1.0), (2, 3, 1.0)), xy, 0.02)
    assert np.isfinite(after[:2]).all()
    assert np.isnan(after[2:]).all()


def test_an_old_row_that_is_half_finite_is_placed_anew() -> None:
    xy = np.array([[0.4, 0.4], [0.3, np.nan]], np.float32)
    assert np.allclose(place(tied(2, (0, 1, 1.0)), xy, 0.02), 0.4)


@pytest.mark.parametrize("xy", [np.empty((0, 2), np.float32), np.full((3, 2), np.nan, np.float32)])
def test_no_map_is_no_place(xy: NDArray[np.float32]) -> None:
    after = place(sp.csr_matrix((len(xy), len(xy)), dtype=np.float32), xy, 0.02)
    assert after.shape == xy.shape
    assert np.isnan(after).all()


def test_one_thread_and_two_in_fresh_processes_give_the_same_bits() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", BITS],
            cwd=ROOT,
            env=os.environ | {"NUMBA_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for threads in ("1", "2")
    }
    assert told == {hashlib.sha256(place(*crowd(), 0.02).tobytes()).hexdigest()}
