"""What only the embedded store has to prove: its file, its lock, readers beside a writer."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from corpus.errors import BadSetting, ForeignStore, StoreBusy, StoreError, StoreUnavailable
from corpus.sqlite_connections import Connections
from corpus.store import Edition
from corpus.stores import open_store
from tests.contract.making import paper, run


def theirs(file: Path, *, mode: str) -> bytes:
    """Make somebody else's SQLite file; return its content."""
    with closing(sqlite3.connect(file)) as other:
        other.execute(f"PRAGMA journal_mode={mode}")
        other.execute("CREATE TABLE theirs(x)")
    return file.read_bytes()


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize("readonly", [True, False])
def test_somebody_elses_file_is_refused_and_untouched(tmp_path: Path, mode: str, readonly: bool) -> None:
    before = theirs(tmp_path / "corpus.sqlite", mode=mode)
    with pytest.raises(ForeignStore, match=r"corpus\.sqlite is somebody else's.*--data"):
        open_store("sqlite", tmp_path, readonly=readonly)
    assert (tmp_path / "corpus.sqlite").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_no_database_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "corpus.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(ForeignStore, match="not a corpus"):
        open_store("sqlite", tmp_path)
    assert (tmp_path / "corpus.sqlite").read_bytes() == b"no database at all" * 100


@pytest.mark.parametrize(("version", "remedy"), [(99, "newer version"), (0, "export its papers")])
def test_another_schema_version_says_what_to_do(tmp_path: Path, version: int, remedy: str) -> None:
    open_store("sqlite", tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "corpus.sqlite")) as other:
        other.execute(f"PRAGMA user_version={version}")
    with pytest.raises(ForeignStore, match=rf"schema {version},.*{remedy}"):
        open_store("sqlite", tmp_path)


def test_an_absent_corpus_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="ingest"):
        open_store("sqlite", tmp_path, create=False, readonly=True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "corpus.sqlite").touch()
    with pytest.raises(StoreError, match="ingest"):
        open_store("sqlite", tmp_path, create=False, readonly=True)


def test_a_corpus_is_made_with_its_folder_and_leaves_nothing_beside(tmp_path: Path) -> None:
    open_store("sqlite", tmp_path / "new" / "data").close()
    assert [path.name for path in (tmp_path / "new" / "data").iterdir()] == ["corpus.sqlite"]


def test_the_log_of_a_deleted_corpus_does_not_leak_into_a_new_one(tmp_path: Path) -> None:
    log = tmp_path / "corpus.sqlite-wal"
    with closing(open_store("sqlite", tmp_path)) as store:
        store.put([paper("test:a")], run(read=1))
        left = log.read_bytes()
    (tmp_path / "corpus.sqlite").unlink()
    log.write_bytes(left)
    (tmp_path / ".corpus.sqlite.new").write_bytes(b"cut short")
    with closing(open_store("sqlite", tmp_path)) as store:
        assert store.size().papers == 0


def test_a_folder_in_place_of_the_corpus_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "corpus.sqlite").mkdir()
    with pytest.raises(StoreError, match=r"corpus\.sqlite cannot be opened"):
        open_store("sqlite", tmp_path)


def test_eight_threads_that_make_it_at_once_make_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        stores = list(threads.map(lambda _: open_store("sqlite", tmp_path), range(8)))
    stores[0].put([paper("test:a")], run(read=1))
    assert [store.size().papers for store in stores] == [1] * 8
    for store in stores:
        store.close()


def test_a_reader_opens_and_reads_while_a_batch_is_being_written(tmp_path: Path) -> None:
    with closing(open_store("sqlite", tmp_path)) as store:
        store.put([paper("test:a")], run(read=1))
        with closing(sqlite3.connect(tmp_path / "corpus.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with closing(open_store("sqlite", tmp_path, create=False, readonly=True)) as reader:
                assert reader.size().papers == 1


def test_queries_of_one_snapshot_see_one_state(tmp_path: Path) -> None:
    count = "SELECT count(*) FROM node"
    writer = open_store("sqlite", tmp_path)
    with closing(writer), closing(Connections(tmp_path / "corpus.sqlite", readonly=True)) as connections:
        with connections.snapshot():
            before = connections.read(count)
            writer.put([paper("test:a")], run(read=1))
            assert connections.read(count) == before == [(0,)]
        assert connections.read(count) == [(1,)]


def test_connections_of_threads_that_ended_are_closed(tmp_path: Path) -> None:
    handles = Path("/proc/self/fd")
    if not handles.is_dir():
        pytest.skip("the open files of a process are counted in /proc")
    with closing(open_store("sqlite", tmp_path)) as store:
        store.put([paper("test:a")], run(read=1))
        before = len(list(handles.iterdir()))
        for _ in range(20):
            thread = Thread(target=store.size)
            thread.start()
            thread.join()
        assert len(list(handles.iterdir())) < before + 10


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = open_store("sqlite", tmp_path)
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.size()


def test_a_damaged_corpus_says_what_to_do(tmp_path: Path) -> None:
    with closing(open_store("sqlite", tmp_path)) as store:
        store.put([paper(f"test:{n}", title="word " * 50) for n in range(200)], run(read=200))
        store.settle(run(read=200, finished=True), None)
    file = tmp_path / "corpus.sqlite"
    file.write_bytes(file.read_bytes()[:4096] + b"\xaa" * (file.stat().st_size - 4096))
    with closing(open_store("sqlite", tmp_path)) as store, pytest.raises(StoreError, match=r"damaged.*ingest"):
        list(store.stream())


def test_a_full_disk_is_named_and_the_next_transaction_works(tmp_path: Path) -> None:
    open_store("sqlite", tmp_path).close()
    with closing(Connections(tmp_path / "corpus.sqlite", readonly=False)) as connections:
        connections.here.execute("PRAGMA max_page_count=100")
        facts = [{"name": "a", "text": "lost"}, {"name": "b", "text": "x" * 10**6}]
        with pytest.raises(StoreError, match=r"the disk of .* is full"), connections.transaction() as connection:
            connection.executemany("INSERT INTO fact VALUES(:name, :text)", facts)
        with connections.transaction() as connection:
            connection.execute("INSERT INTO fact VALUES('c', 'kept')")
        assert connections.read("SELECT name FROM fact WHERE name <> 'version'") == [("c",)]


LIMIT = """
import resource, signal, sys
from pathlib import Path
from corpus.errors import StoreError
from corpus.stores import open_store
from tests.contract.making import paper, run
store = open_store("sqlite", Path(sys.argv[1]))
store.put([paper("test:a")], run(read=1))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
try:
    store.put([paper(f"test:{n}", title=f"{n} word" * 500) for n in range(3000)], run(read=3001))
except StoreError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
store.put([paper("test:b")], run(read=2))
print(store.size().papers)
"""


def test_a_file_that_may_not_grow_loses_the_batch_and_nothing_else(tmp_path: Path) -> None:
    done = python(LIMIT, str(tmp_path))
    assert done.returncode == 0, done.stderr
    message, papers = done.stdout.splitlines()
    assert "corpus.sqlite" in message
    assert papers == "2"


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
        reader.publish(Edition("a" * 64, "2026-12-01T10:00:00+00:00"), [])
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


KILLED = """
import os, signal, sys
from pathlib import Path
from corpus.stores import open_store
from tests.contract.making import paper, run

class Deadly(list):
    def __iter__(self):
        for left, one in enumerate(super().__iter__(), -int(sys.argv[2])):
            if left == 0 and store.search(["first"], 1):
                os.kill(os.getpid(), signal.SIGKILL)
            yield one

store = open_store("sqlite", Path(sys.argv[1]))
store.put([paper("test:a", title="first", references=["test:b"])], run(read=1))
store.put(Deadly(paper(f"test:{n}", references=["test:b", "test:c"]) for n in range(5)), run("r1", 6))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("after", [0, 3, 99])
def test_a_killed_writer_leaves_whole_batches_and_no_lock(tmp_path: Path, after: int) -> None:
    done = python(KILLED, str(tmp_path), str(after))
    assert done.returncode == -9, done.stderr
    whole = after == 99
    with closing(open_store("sqlite", tmp_path)) as store:
        assert store.size().papers == (6 if whole else 1)
        assert [(one.finished, one.tally.read) for one in store.runs()] == [(None, 6 if whole else 1)]
        assert [row.citations for row in store.rows(["test:b"])] == [6 if whole else 1], (
            "right without the end of the run"
        )
        store.put([paper("test:d", references=["test:b"])], run("r2", 1))
        assert [row.citations for row in store.rows(["test:b"])] == [7 if whole else 2]


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    root = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=root, capture_output=True, text=True, check=False
    )
