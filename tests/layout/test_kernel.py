"""UMAP's objective in a deterministic kernel."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.embedding import embed
from layout.kernel import curve, optimise
from layout.parameters import Parameters

ROOT = Path(__file__).resolve().parents[2]
PARAMETERS = Parameters(threads=1)
pytestmark = pytest.mark.filterwarnings("ignore:Tensorflow not installed:ImportWarning")

BITS = """
import hashlib
from tests.layout.test_kernel import PARAMETERS, optimise, ring, scattered
print(hashlib.sha256(optimise(ring(300), scattered(300), PARAMETERS).tobytes()).hexdigest())
"""


def ring(n: int) -> sp.csr_matrix:
    """Papers in a ring, each tied to the two nearest at both sides: what a map must keep is plain."""
    ties = np.concatenate([np.stack([np.arange(n), (np.arange(n) + step) % n], 1) for step in (1, 2)])
    half = sp.csr_matrix((np.ones(len(ties), np.float32), (ties[:, 0], ties[:, 1])), shape=(n, n))
    graph = (half + half.T).tocsr()
    graph.sort_indices()
    return graph


def scattered(n: int) -> NDArray[np.float32]:
    """A start in no order."""
    return np.random.default_rng(3).normal(0, 5, (n, 2)).astype(np.float32)


def kept(graph: sp.csr_matrix, xy: NDArray[np.float32]) -> float:
    """Chance that a tied paper is nearer than a random one."""
    pairs = graph.tocoo()
    other = np.random.default_rng(4).integers(0, len(xy), pairs.nnz)
    near = np.linalg.norm(xy[pairs.row] - xy[pairs.col], axis=1)
    return float(np.mean(near < np.linalg.norm(xy[pairs.row] - xy[other], axis=1)))


@pytest.mark.parametrize("min_dist", [0.01, 0.1, 0.5])
def test_the_curve_is_that_of_umap_learn(min_dist: float) -> None:
    from umap.umap_ import find_ab_params

    assert curve(min_dist) == pytest.approx(find_ab_params(1.0, min_dist), abs=1e-4)


def test_ties_are_kept_much_better_after_than_before() -> None:
    graph, start = ring(300), scattered(300)
    assert kept(graph, start) < 0.55
    assert kept(graph, optimise(graph, start, PARAMETERS)) > 0.9


def test_it_keeps_as_much_as_umap_learn() -> None:
    graph = ring(300)
    vectors = scattered(300)
    ours, theirs = (embed(graph, vectors, replace(PARAMETERS, engine=engine)) for engine in ("kernel", "umap"))
    assert kept(graph, ours) > kept(graph, theirs) - 0.05


def test_fresh_processes_with_one_thread_and_with_two_give_the_same_bits() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", BITS],
            cwd=ROOT,
            env=os.environ | {"NUMBA_NUM_THREADS": threads, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for threads in ("1", "2")
    ]
    here = hashlib.sha256(optimise(ring(300), scattered(300), PARAMETERS).tobytes()).hexdigest()
    assert set(told) == {here}


def test_the_seed_decides() -> None:
    graph, start = ring(60), scattered(60)
    one, again, other = (optimise(graph, start, replace(PARAMETERS, seed=seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_the_start_is_not_changed() -> None:
    start = scattered(60)
    before = start.copy()
    optimise(ring(60), start, PARAMETERS)
    assert np.array_equal(start, before)


def test_papers_without_ties_or_on_one_spot_stay_finite() -> None:
    empty = sp.csr_matrix((40, 40), dtype=np.float32)
    assert np.isfinite(optimise(empty, scattered(40), PARAMETERS)).all()
    assert np.isfinite(optimise(ring(40), np.zeros((40, 2), np.float32), PARAMETERS)).all()


def test_progress_grows_to_the_end() -> None:
    told: list[float] = []
    optimise(ring(40), scattered(40), PARAMETERS, told.append)
    assert told == sorted(told)
    assert told[0] == 0
    assert 0.9 <= told[-1] < 1
