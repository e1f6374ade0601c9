"""What only the embedded store has to prove: its file, its lock, readers beside a writer."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corpus.errors import BadSetting, ForeignStore, StoreBusy, StoreError
from corpus.stores import open_store
from tests.contract.making import paper, run


def test_somebody_elses_file_is_refused_and_untouched(tmp_path: Path) -> None:
    file = tmp_path / "corpus.sqlite"
    other = sqlite3.connect(file)
    other.execute("CREATE TABLE theirs(x)")
    other.close()
    with pytest.raises(ForeignStore, match=r"corpus\.sqlite"):
        open_store("sqlite", tmp_path)
    file.write_bytes(b"no database at all" * 100)
    with pytest.raises(ForeignStore, match="not a corpus"):
        open_store("sqlite", tmp_path)


def test_another_schema_version_says_what_to_do(tmp_path: Path) -> None:
    open_store("sqlite", tmp_path).close()
    other = sqlite3.connect(tmp_path / "corpus.sqlite")
    other.execute("PRAGMA user_version=99")
    other.close()
    with pytest.raises(ForeignStore, match=r"schema 99.*export"):
        open_store("sqlite", tmp_path)


def test_an_absent_corpus_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="ingest"):
        open_store("sqlite", tmp_path, create=False, readonly=True)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_of_store_is_a_bad_setting(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="postgres"):
        open_store("postgres", tmp_path)


def test_a_reader_sees_what_a_writer_has_committed_meanwhile(tmp_path: Path) -> None:
    writer = open_store("sqlite", tmp_path)
    reader = open_store("sqlite", tmp_path, create=False, readonly=True)
    writer.put([paper("test:a", title="first")], run(read=1))
    assert reader.size().papers == 1
    writer.put([paper("test:b", title="second")], run(read=2))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: len(reader.search(["second"], 9)), range(8))) == [1] * 8
    with pytest.raises(StoreError):
        reader.publish("a" * 64, [])
    reader.close()
    writer.close()


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    first, second = open_store("sqlite", tmp_path), open_store("sqlite", tmp_path)
    first.put([paper("test:a")], run(read=1))
    with pytest.raises(StoreBusy, match=r"process \d+ \(since"):
        second.put([paper("test:b")], run("r2", 1))
    first.close()
    second.put([paper("test:b")], run("r2", 1))
    assert second.size().papers == 2
    second.close()


def test_the_lock_of_a_killed_writer_is_gone_and_its_batches_are_there(tmp_path: Path) -> None:
    code = (
        "import os, signal; from pathlib import Path; from corpus.stores import open_store; "
        "from tests.contract.making import paper, run; store = open_store('sqlite', Path(os.environ['WHERE'])); "
        "store.put([paper('test:a', references=['test:b'])], run(read=1)); os.kill(os.getpid(), signal.SIGKILL)"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env={"WHERE": str(tmp_path)}, check=False)
    assert done.returncode == -9
    store = open_store("sqlite", tmp_path)
    assert store.size().papers == 1
    (row,) = store.rows(["test:b"])
    assert row.citations == 1, "counts are right without the end of the run"
    store.put([paper("test:c")], run("r2", 1))
    store.close()
