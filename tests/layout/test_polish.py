"""The short t-SNE after the kernel."""

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
from layout.parameters import Parameters
from layout.polish import drawn_in, polish

ROOT = Path(__file__).resolve().parents[2]
PARAMETERS = Parameters(threads=1)

BITS = """
import hashlib, sys
from dataclasses import replace
from tests.layout.test_polish import PARAMETERS, crowd, polish
parameters = replace(PARAMETERS, threads=int(sys.argv[1]))
print(hashlib.sha256(polish(*crowd(400), parameters).tobytes()).hexdigest())
"""


def crowd(n: int) -> tuple[sp.csr_matrix, NDArray[np.float32]]:
    """Papers of eight topics tied to random ones of their own, and their layout by the kernel in few epochs."""
    random = np.random.default_rng(1)
    one = np.repeat(np.arange(n), 6)
    other = (one + 8 * random.integers(1, n // 8, len(one))) % n // 8 * 8 + one % 8
    other = np.minimum(other, n - 1)
    graph = sp.csr_matrix((random.uniform(0.1, 1, len(one)).astype(np.float32), (one, other)), shape=(n, n))
    graph = graph.maximum(graph.T).tocsr()
    graph.setdiag(0)
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph, optimise(graph, random.normal(0, 5, (n, 2)).astype(np.float32), PARAMETERS)


def near(graph: sp.csr_matrix, xy: NDArray[np.float32]) -> float:
    """Share of the ties whose ends are among the fifteen nearest of each other."""
    far = np.linalg.norm(xy[:, None] - xy[None], axis=2)
    rank = far.argsort(axis=1).argsort(axis=1)
    ties = graph.tocoo()
    return float(np.mean(rank[ties.row, ties.col] <= 15))


def test_it_keeps_more_of_the_nearest_and_leaves_the_whole_in_place() -> None:
    graph, before = crowd(400)
    after = polish(graph, before, PARAMETERS)
    assert near(graph, after) > near(graph, before)
    turned = np.corrcoef(before.ravel(), after.ravel())[0, 1]
    assert turned > 0.9


def test_fresh_processes_with_one_thread_and_with_two_give_the_same_bits() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", BITS, threads],
            cwd=ROOT,
            env=os.environ
            | {"NUMBA_NUM_THREADS": threads, "OMP_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for threads in ("1", "2")
    }
    assert told == {hashlib.sha256(polish(*crowd(400), PARAMETERS).tobytes()).hexdigest()}


def test_a_row_that_is_not_finite_stays_so_and_moves_no_other() -> None:
    graph, xy = crowd(80)
    loose = sp.block_diag([graph, sp.csr_matrix((2, 2), dtype=np.float32)]).tocsr()
    broken = np.vstack([xy, np.full((2, 2), np.nan, np.float32)])
    after = polish(loose, broken, PARAMETERS)
    assert np.isnan(after[80:]).all()
    assert np.array_equal(after[:80], polish(graph, xy, PARAMETERS))


@pytest.mark.parametrize("n", [4, 8, 24])
def test_a_handful_of_papers_stays_where_the_kernel_put_it(n: int) -> None:
    graph, xy = crowd(max(n, 16))
    assert np.array_equal(polish(graph[:n, :n].tocsr(), xy[:n], PARAMETERS), xy[:n])


def test_nothing_is_refined_without_ties_or_iterations() -> None:
    graph, xy = crowd(80)
    assert np.array_equal(polish(sp.csr_matrix((80, 80), dtype=np.float32), xy, PARAMETERS), xy)
    assert np.array_equal(polish(graph, xy, replace(PARAMETERS, polish=0)), xy)


def test_papers_on_one_spot_stay_there() -> None:
    graph, xy = crowd(80)
    assert not polish(graph, np.zeros_like(xy), PARAMETERS).any()


@pytest.mark.parametrize("scale", [1e-6, 1e-2, 10, 1e6])
def test_the_units_of_the_start_do_not_matter(scale: float) -> None:
    graph, xy = crowd(80)
    after = polish(graph, (xy * np.float32(scale)).astype(np.float32), PARAMETERS)
    assert np.isfinite(after).all()
    assert near(graph, after) == pytest.approx(near(graph, polish(graph, xy, PARAMETERS)), abs=0.1)


def test_papers_without_ties_to_the_rest_stay_within_reach() -> None:
    graph, xy = crowd(400)
    pairs = sp.block_diag([np.array([[0, 1], [1, 0]], np.float32)] * 10).tocsr()
    loose = sp.block_diag([graph, pairs]).tocsr()
    start = np.vstack([xy, np.random.default_rng(0).normal(0, 40, (20, 2))]).astype(np.float32)
    after = polish(loose, start, PARAMETERS)
    radius = np.linalg.norm(after - np.median(after, axis=0), axis=1)
    assert radius.max() <= 3.2 * np.quantile(radius, 0.95)


def test_the_order_of_papers_does_not_matter() -> None:
    """openTSNE itself flings the first one away where it has the largest coordinate of all."""
    graph, xy = crowd(80)
    xy[:, 0] += 100
    last = int(xy[:, 0].argmax())
    order = np.r_[last, np.delete(np.arange(80), last)]
    turned = polish(graph[order][:, order].tocsr(), xy[order], PARAMETERS)
    assert turned == pytest.approx(polish(graph, xy, PARAMETERS)[order], abs=0.05)


def test_papers_that_are_all_tied_to_all_do_not_fall_into_one_spot() -> None:
    everyone = sp.csr_matrix(np.ones((40, 40), np.float32) - np.eye(40, dtype=np.float32))
    after = polish(everyone, crowd(80)[1][:40], replace(PARAMETERS, polish=1_000, exaggeration=1.2))
    assert np.ptp(after, axis=0).min() > 1e-5
    assert len(np.unique(after, axis=0)) == 40


def test_papers_with_next_to_no_ties_do_not_drive_each_other_apart_for_ever() -> None:
    pair = sp.csr_matrix((np.ones(2, np.float32), ([0, 1], [1, 0])), shape=(40, 40))
    after = polish(pair, crowd(80)[1][:40], replace(PARAMETERS, polish=300))
    assert np.ptp(after, axis=0).max() < 50


def test_drawing_in_keeps_the_order_of_distances_and_whoever_is_near() -> None:
    xy = np.random.default_rng(0).normal(0, 1, (200, 2))
    xy[:3] *= 50
    after = drawn_in(xy)
    radius, drawn = (np.hypot(*one.T) for one in (xy, after))
    assert np.array_equal(np.argsort(radius), np.argsort(drawn))
    assert drawn.max() <= 3 * np.quantile(radius, 0.95)
    assert np.array_equal(after[radius < 1], xy[radius < 1])


def test_progress_grows_to_the_end() -> None:
    told: list[float] = []
    polish(*crowd(80), PARAMETERS, told.append)
    assert told == sorted(told)
    assert told[-1] == 1
