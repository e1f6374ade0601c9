"""Work spread over processes of this machine and over a Dask cluster."""

from __future__ import annotations

import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from distributed import Client, LocalCluster

import layout.cells
import layout.settling
from corpus.build import current
from corpus.errors import BadSetting, LayoutFailed
from layout.cells import nearest_in_cells
from layout.run import lay_out
from layout.settling import settle
from layout.text_vectors import weigh_terms
from layout.tiles import pyramid, write_tiles
from layout.workers import WorkersLost, crew, here, means
from tests.layout.making import FAST, filled, many
from tests.layout.plain_terms import same_bits
from tests.layout.test_cells import crowd
from tests.layout.test_tiles import REGIONS, scattered

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = [(number,) for number in range(12)]
SQUARES = [float(number**2) for (number,) in NUMBERS]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two processes with a thread each, and their scheduler."""
    with LocalCluster(
        host="127.0.0.1",
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as started:
        yield started


def test_answers_come_in_order_from_here_and_from_other_processes() -> None:
    assert list(here(math.pow, NUMBERS, 2)) == SQUARES
    with crew(1) as spread:
        assert spread is here
    with crew(2) as spread:
        assert list(spread(math.pow, NUMBERS, 2)) == SQUARES
        assert os.getpid() not in set(spread(os.getpid, [()] * 4))
        assert set(spread(os.getenv, [("OPENBLAS_NUM_THREADS",)] * 4)) == {"1"}


def test_a_set_is_refused_because_a_cluster_would_not_get_it() -> None:
    with crew(2) as spread, pytest.raises(TypeError, match="member by member"):
        list(spread(math.pow, NUMBERS, frozenset({2})))


def test_what_a_function_raises_is_raised_here() -> None:
    with crew(2) as spread, pytest.raises(ValueError, match="math domain error"):
        list(spread(math.sqrt, [(4,), (-1,)]))


def test_a_process_that_ends_is_told() -> None:
    with crew(2) as spread, pytest.raises(WorkersLost, match="memory"):
        list(spread(os._exit, [(1,)]))
    with crew(2) as spread:
        assert list(spread(math.pow, NUMBERS, 2)) == SQUARES


KILLED = """
import os, signal, sys, time
from layout.workers import crew

with crew(2) as spread:
    for worker in spread(os.getpid, [()] * 4):
        print(worker)
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_do_not_outlive_who_began_them() -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL
    workers = {int(line) for line in ended.stdout.split()}
    assert workers
    end = time.monotonic() + 20
    while any(map(is_alive, workers)):
        assert time.monotonic() < end
        time.sleep(0.1)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_cluster_weighs_terms_to_the_same_bits_and_every_worker_takes_part(cluster: Any) -> None:
    random = np.random.default_rng(0)
    words = np.array(["the", "of", "深度学习", *(f"word{number}" for number in range(2_000))])
    rows = (2_000 * random.random((26_000, 10)) ** 3).astype(int)
    texts = [" ".join(row) for row in words[rows]]
    before = executed(cluster)
    assert same_bits(weigh_terms(texts, cluster=cluster.scheduler_address), weigh_terms(texts))
    after = executed(cluster)
    assert len(after) == 2
    assert all(after[worker] > before[worker] for worker in after)


def test_a_cluster_encodes_tiles_to_the_same_bytes_and_every_worker_takes_part(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyramid, "_BATCH", 300)
    alone = write_tiles(tmp_path / "alone", scattered(3_000), REGIONS, name="Somewhere")
    before = executed(cluster)
    with crew(1, cluster.scheduler_address) as spread:
        together = write_tiles(tmp_path / "together", scattered(3_000), REGIONS, name="Somewhere", spread=spread)
    after = executed(cluster)
    assert len(after) == 2
    assert all(after[worker] > before[worker] for worker in after)
    assert (together.tiles, together.largest) == (alone.tiles, alone.largest)
    assert (tmp_path / "together").read_bytes() == (tmp_path / "alone").read_bytes()


def test_a_layout_on_a_cluster_gives_the_same_build(cluster: Any, tmp_path: Path) -> None:
    alone = lay_out(filled(tmp_path / "alone", many(60)), "sqlite", replace(FAST, landmarks=40))
    before = executed(cluster)
    together = lay_out(
        filled(tmp_path / "together", many(60)),
        "sqlite",
        replace(FAST, landmarks=40, cluster=cluster.scheduler_address),
    )
    assert together.hash == alone.hash
    assert sum(executed(cluster).values()) > sum(before.values())


def test_a_cluster_finds_neighbours_and_places_papers_to_the_same_bits_and_every_worker_takes_part(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout.cells, "_TOGETHER", 250)
    monkeypatch.setattr(layout.settling, "_TOGETHER", 50)
    landmarks = np.arange(3_000) % 2 == 0
    unlinked = sp.csr_matrix((3_000, 3_000), dtype=np.float32)
    xy = np.random.default_rng(1).random((1_500, 2), dtype=np.float32)
    asked = (crowd(3_000), landmarks, unlinked, xy, 0.05, FAST)
    alone, near = settle(*asked), nearest_in_cells(crowd(3_000), 15, 1)
    before = executed(cluster)
    with crew(1, cluster.scheduler_address) as spread:
        found = nearest_in_cells(crowd(3_000), 15, 1, spread)
        between = executed(cluster)
        together = settle(*asked, spread)
    after = executed(cluster)
    assert len(after) == 2
    assert all(after[worker] > between[worker] > before[worker] for worker in after)
    assert [part.tobytes() for part in found] == [part.tobytes() for part in near]
    assert together.xy.tobytes() == alone.xy.tobytes()
    assert together.distances.tobytes() == alone.distances.tobytes()
    assert together.ties.data.tobytes() == alone.ties.data.tobytes()


def test_a_worker_that_is_lost_is_done_without() -> None:
    with (
        LocalCluster(
            host="127.0.0.1", n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
        ) as hurt,
        crew(1, hurt.scheduler_address) as spread,
    ):
        shared, items = np.ones(5_000), [(np.full(5_000, number, np.float64),) for number in range(24)]
        answers = spread(slow_sum, items, shared)
        first = [next(answers), next(answers)]
        os.kill(next(iter(hurt.workers.values())).pid, signal.SIGKILL)
        assert first + list(answers) == [5_000.0 * (number + 1) for number in range(24)]


def slow_sum(one: Any, other: Any) -> float:
    time.sleep(0.2)
    return float((one + other).sum())


def test_a_cluster_that_is_not_there_leaves_the_old_map_and_is_named(tmp_path: Path) -> None:
    data = filled(tmp_path / "data", many(60))
    lay_out(data, "sqlite", FAST)
    before = current(data)
    with pytest.raises(
        LayoutFailed, match=r"looking at layout.cluster.*no Dask scheduler answers at tcp://127\.0\.0\.1:9"
    ):
        lay_out(data, "sqlite", replace(FAST, cluster="tcp://127.0.0.1:9", seed=1))
    assert current(data) == before


def executed(cluster: Any) -> dict[str, int]:
    """Tasks that each worker has executed."""
    with Client(cluster, set_as_default=False) as client:
        counts: dict[str, int] = client.run(lambda dask_worker: dask_worker.state.executed_count)
        return counts


def test_what_a_function_raises_on_a_cluster_is_raised_here(cluster: Any) -> None:
    with crew(1, cluster.scheduler_address) as spread, pytest.raises(ValueError, match="math domain error"):
        list(spread(math.sqrt, [(4,), (-1,)]))


def test_a_cluster_that_falls_silent_is_told(cluster: Any) -> None:
    with crew(1, cluster.scheduler_address, silent=0.5) as spread, pytest.raises(WorkersLost, match="lost its workers"):
        list(spread(time.sleep, [(3,), (3,)]))


def test_a_cluster_that_runs_something_else_is_refused(cluster: Any, tmp_path: Path) -> None:
    for package in ("corpus", "layout"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "layout" / "words.py").open("a") as code:
        code.write("# of another version\n")
    address = cluster.scheduler_address
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as other:
        with Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(3, timeout=60)
        with pytest.raises(BadSetting, match=rf"{address} does not run what runs here \({means()}\); tcp"):
            crew(1, address).__enter__()
        other.terminate()
    with Client(cluster, set_as_default=False) as client:
        end = time.monotonic() + 20
        while len(client.scheduler_info(n_workers=-1)["workers"]) > 2:
            assert time.monotonic() < end
            time.sleep(0.1)


def test_a_cluster_without_workers_is_told() -> None:
    with (
        LocalCluster(host="127.0.0.1", n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50) as empty,
        pytest.raises(BadSetting, match="has no workers; start some with `dask worker tcp"),
    ):
        crew(1, empty.scheduler_address).__enter__()


def test_a_scheduler_that_does_not_answer_is_told_within_seconds() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(BadSetting, match=f"no Dask scheduler answers at {address}: it is silent"):
            crew(1, address).__enter__()
    for gone in (address, address.replace("tcp", "tls"), "tcp://nowhere.invalid:8786"):
        with pytest.raises(BadSetting, match="no Dask scheduler answers"):
            crew(1, gone).__enter__()
    assert time.monotonic() - begun < 20


def test_without_dask_the_error_names_what_to_install() -> None:
    program = "import sys; sys.modules['distributed'] = None; from layout.workers import crew; crew(1, 'tcp://a:1').__enter__()"
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].endswith("layout.cluster: Dask is missing; install `paperatlas[dask]`")


def test_nothing_asks_for_dask_without_a_cluster() -> None:
    program = "import sys, layout.text_vectors; sys.exit('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
