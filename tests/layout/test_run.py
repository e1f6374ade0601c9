from __future__ import annotations

import fcntl
import os
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from corpus.build import PAPERS, SCHEMA, current, read_manifest, verify
from corpus.errors import LayoutFailed, StoreBusy, StoreError
from corpus.stores import open_store
from layout.run import Stage, lay_out
from tests.layout.making import FAST, filled, many, paper

PAPERS_IN = [*many(40), paper("7777", None, title="no list was ever obtained for this one")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Stage]]:
    """A data directory with a map, and what was told while it was made."""
    data, told = filled(tmp_path_factory.mktemp("made") / "data", PAPERS_IN), []
    lay_out(data, "sqlite", FAST, progress=told.append)
    return data, told


def test_a_build_is_whole_and_current(made: tuple[Path, list[Stage]]) -> None:
    place = current(made[0])
    assert place is not None
    manifest = read_manifest(place)
    verify(place, manifest)
    assert (manifest.papers, manifest.placed, manifest.unplaced) == (41, 40, {"no_reference_list": 1})
    table = pq.read_table(place / PAPERS)
    assert table.schema.equals(SCHEMA)
    assert table.column("id").to_pylist() == sorted(one.address for one in PAPERS_IN)
    assert manifest.areas == ("Area 0", "Area 1", "Area 2", "Area 3", "unknown")


def test_the_store_knows_the_verdicts(made: tuple[Path, list[Stage]]) -> None:
    place = current(made[0])
    store = open_store("sqlite", made[0], create=False, readonly=True)
    try:
        assert place is not None
        assert store.published() == place.name
    finally:
        store.close()


def test_the_stages_are_told_in_order(made: tuple[Path, list[Stage]]) -> None:
    names = list(dict.fromkeys(stage.name for stage in made[1]))
    assert names[0] == "reading the corpus"
    assert names[-1] == "writing the map"
    assert any(stage.done and 0 < stage.done < 1 for stage in made[1])


def test_same_papers_in_any_order_and_any_threads_give_the_same_build(
    made: tuple[Path, list[Stage]], tmp_path: Path
) -> None:
    data = filled(tmp_path / "data", PAPERS_IN[::-1])
    manifest = lay_out(data, "sqlite", replace(FAST, threads=2))
    place = current(made[0])
    assert place is not None
    assert manifest.hash == place.name


def test_another_seed_gives_another_build(made: tuple[Path, list[Stage]], tmp_path: Path) -> None:
    manifest = lay_out(filled(tmp_path / "data", PAPERS_IN), "sqlite", replace(FAST, seed=1))
    place = current(made[0])
    assert place is not None
    assert manifest.hash != place.name


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_smallest_corpora_get_a_build(count: int, tmp_path: Path) -> None:
    data = filled(tmp_path / "data", many(count))
    manifest = lay_out(data, "sqlite", FAST)
    assert manifest.papers == count == manifest.placed
    assert current(data) is not None


DEATHS = {
    "import os; os.abort()": "SIGABRT",
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": "memory",
    "raise MemoryError('no more')": "MemoryError: no more",
    "import sys; sys.exit(3)": "code 3",
    """print('{"type":"progress","stage":"placing papers","done":0.5}', flush=True); import os; os.abort()""": "placing papers",
    """print('{"type":"failed","cause":"all papers were lost"}', flush=True)""": "all papers were lost",
    """print('not what was agreed', flush=True)""": "not what was agreed",
}


@pytest.mark.parametrize(("code", "told"), DEATHS.items())
def test_a_process_that_dies_leaves_the_old_map_and_says_why(
    made: tuple[Path, list[Stage]], code: str, told: str
) -> None:
    before = current(made[0])
    with pytest.raises(LayoutFailed, match=told):
        lay_out(made[0], "sqlite", FAST, command=(sys.executable, "-c", code))
    assert current(made[0]) == before


def test_the_process_has_as_many_threads_as_were_asked_for_which_sleep_while_they_wait(tmp_path: Path) -> None:
    code = """import os
told = [os.environ[name] for name in ("NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_WAIT_POLICY")]
print('{"type": "failed", "cause": "%s"}' % told, flush=True)"""
    with pytest.raises(LayoutFailed, match=r"\['5', '1', 'PASSIVE'\]"):
        lay_out(tmp_path, "sqlite", replace(FAST, threads=5), command=(sys.executable, "-c", code))


def test_a_corpus_that_is_not_there_fails_with_its_cause(tmp_path: Path) -> None:
    with pytest.raises(LayoutFailed, match=r"corpus\.sqlite"):
        lay_out(tmp_path, "sqlite", FAST)
    assert list((tmp_path / "builds").iterdir()) == []


def test_two_layouts_of_one_directory_do_not_run_at_once(tmp_path: Path) -> None:
    with (tmp_path / "layout.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(StoreBusy):
            lay_out(tmp_path, "sqlite", FAST)


def test_what_stops_us_stops_the_process(tmp_path: Path) -> None:
    number = []

    def interrupt(stage: Stage) -> None:
        number.append(int(stage.name))
        raise KeyboardInterrupt

    code = """import json, os, time
print(json.dumps({"type": "progress", "stage": str(os.getpid()), "done": None}), flush=True)
time.sleep(600)"""
    with pytest.raises(KeyboardInterrupt):
        lay_out(tmp_path, "sqlite", FAST, progress=interrupt, command=(sys.executable, "-c", code))
    with pytest.raises(ProcessLookupError):
        os.kill(number[0], 0)


def test_the_working_directory_is_not_searched_for_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = filled(tmp_path / "data", many(3))
    (tmp_path / "numpy.py").write_text("raise RuntimeError('a file of the user was run')")
    monkeypatch.chdir(tmp_path)
    assert lay_out(data, "sqlite", FAST).placed == 3


def test_a_store_that_does_not_take_the_verdicts_is_told_and_the_map_stands(tmp_path: Path) -> None:
    data = filled(tmp_path / "data", many(20))
    with closing(sqlite3.connect(data / "corpus.sqlite")) as writer:
        writer.execute(
            "CREATE TRIGGER full BEFORE INSERT ON verdict BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
    with pytest.raises(StoreError, match=r"the map is made and current.*the disk is full"):
        lay_out(data, "sqlite", FAST)
    place = current(data)
    assert place is not None
    verify(place, read_manifest(place))
