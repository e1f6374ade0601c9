"""The next edition of a map."""

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

from layout.kernel import optimise
from layout.movement import movement, procrustes
from layout.parameters import Parameters
from layout.polish import polish
from layout.positions import positions, refitted
from layout.refit import natural_scale, refit

ROOT = Path(__file__).resolve().parents[2]
PARAMETERS = Parameters(threads=1, epochs=100)

BITS = """
import hashlib
from tests.layout.test_refit import PARAMETERS, laid, refit
graph, xy = laid(300)
print(hashlib.sha256(refit(graph, xy / 40 + 0.5, 0.0, PARAMETERS).tobytes()).hexdigest())
"""


def laid(n: int) -> tuple[sp.csr_matrix, NDArray[np.float32]]:
    """Papers of eight topics tied to random ones of their own, and their layout by the kernel."""
    random = np.random.default_rng(1)
    one = np.repeat(np.arange(n), 6)
    other = np.minimum((one + 8 * random.integers(1, n // 8, len(one))) % n // 8 * 8 + one % 8, n - 1)
    graph = sp.csr_matrix((random.uniform(0.1, 1, len(one)).astype(np.float32), (one, other)), shape=(n, n))
    graph = graph.maximum(graph.T).tocsr()
    graph.setdiag(0)
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph, optimise(graph, random.normal(0, 5, (n, 2)).astype(np.float32), PARAMETERS)


@pytest.mark.parametrize("unit", [0.01, 0.05])
def test_the_scale_of_a_map_is_found_from_the_map(unit: float) -> None:
    graph, xy = laid(400)
    assert natural_scale(graph, (xy * unit).astype(np.float32), PARAMETERS) == pytest.approx(1 / unit, rel=0.35)


def test_a_map_that_is_as_it_should_be_hardly_moves() -> None:
    graph, xy = laid(400)
    xy = polish(graph, xy, PARAMETERS)
    before = ((xy - xy.mean(axis=0)) / 60 + 0.5).astype(np.float32)
    raw = refit(graph, before, 0.0, PARAMETERS)
    moved = movement(before, procrustes(raw, before).of(raw).astype(np.float32), 0)
    assert moved["mean"] is not None
    assert 0 < moved["mean"] < 0.1


def test_many_new_papers_get_as_much_work_as_a_new_map() -> None:
    graph, xy = laid(400)
    before = (xy / 60 + 0.5).astype(np.float32)
    few, many = (refit(graph, before, new, PARAMETERS) for new in (0.2, 0.21))
    steps = [float(np.abs(np.ptp(one, axis=0) - np.ptp(few, axis=0)).max()) for one in (few, many)]
    assert steps[0] == 0
    assert steps[1] > 0


def test_a_new_paper_without_a_tie_to_the_map_gets_a_place() -> None:
    graph, xy = laid(80)
    loose = sp.block_diag([graph, sp.csr_matrix([[0, 1], [1, 0]], dtype=np.float32)]).tocsr()
    before = np.vstack([xy / 40 + 0.5, np.full((2, 2), np.nan)]).astype(np.float32)
    assert np.isfinite(refitted(loose, before, PARAMETERS)).all()
    assert np.isfinite(positions(loose, before, replace(PARAMETERS, start="refit"), before)).all()


@pytest.mark.parametrize("spot", [0.3, 0.5])
def test_papers_on_one_spot_and_a_graph_without_ties_stay_finite(spot: float) -> None:
    graph, _ = laid(80)
    flat = np.full((80, 2), spot, np.float32)
    assert np.isfinite(refit(graph, flat, 0.0, PARAMETERS)).all()
    assert np.isfinite(refit(sp.csr_matrix((80, 80), dtype=np.float32), flat, 0.0, PARAMETERS)).all()


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
    assert len(told) == 1
    graph, xy = laid(300)
    assert told == {hashlib.sha256(refit(graph, xy / 40 + 0.5, 0.0, PARAMETERS).tobytes()).hexdigest()}
