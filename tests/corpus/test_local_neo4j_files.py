"""The files of the local server: a database that is replaced is never lost, and nobody works beside another."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from corpus.errors import BadInput, StoreBusy
from corpus.holders import Holder
from corpus.local_neo4j import admin
from corpus.local_neo4j.admin import AdminFailed, input_error
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.files import replaced, while_stopped
from corpus.local_neo4j.former import NotPutBack, holds_database, kept, put_back, settle
from corpus.local_neo4j.jars import ServerUnavailable
from corpus.local_neo4j.lock import alone, check_unused
from corpus.local_neo4j.place import Place
from corpus.local_neo4j.process import start, stop

SMALL = Configuration(heap="512m", page_cache="64m", bolt_port=0)
PARTS = ("databases", "transactions")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A server that was stopped, with a database."""
    place = Place.under(tmp_path)
    place.make()
    fill(place, "old")
    return place


def fill(place: Place, text: str) -> None:
    """Put files of a database where they belong."""
    for part in PARTS:
        folder = place.home / "data" / part / "neo4j"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{part}.{text}").write_text(text)


def held(place: Place) -> dict[str, str]:
    """Every file under `data`, with its text."""
    data = place.home / "data"
    return {str(file.relative_to(data)): file.read_text() for file in data.rglob("*") if file.is_file()}


def of(text: str) -> dict[str, str]:
    return {f"{part}/neo4j/{part}.{text}": text for part in PARTS}


def silent(_: str) -> None:
    """Say nothing."""


def test_a_database_that_was_replaced_is_gone_and_only_then(place: Place) -> None:
    with kept(place) as whole:
        assert not (place.home / "data" / "databases" / "neo4j").exists(), "a new one is made in an empty place"
        assert holds_database(place)
        fill(place, "new")
        assert sorted(held(place).values()) == ["new", "new", "old", "old"]
        whole()
    assert sorted(held(place).values()) == ["new", "new", "old", "old"]
    settle(place, silent)
    assert held(place) == of("new")


@pytest.mark.parametrize("error", [AdminFailed("no"), KeyboardInterrupt(), OSError("full")])
@pytest.mark.parametrize("far", [0, 1, 2])
def test_however_a_replacement_fails_the_old_database_is_back(place: Place, error: BaseException, far: int) -> None:
    with pytest.raises(type(error)):
        fail(place, error, far)
    assert held(place) == of("old")
    assert sorted(path.name for path in (place.home / "data").iterdir()) == sorted(PARTS)


def fail(place: Place, error: BaseException, far: int) -> None:
    """Fail in a replacement that got so far."""
    with kept(place) as whole:
        if far:
            fill(place, "new")
        if far == 2:
            whole()
        raise error


def test_what_came_where_nothing_was_goes_when_it_failed(tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    assert not holds_database(place)
    with pytest.raises(AdminFailed):
        fail(place, AdminFailed("no"), 1)
    assert held(place) == {}
    assert not holds_database(place)


def test_a_database_that_cannot_be_moved_stays(place: Place) -> None:
    (place.home / "data" / "former").write_text("in the way")
    with pytest.raises(ServerUnavailable, match=r"cannot be moved aside \(File exists: .*/former\)"), kept(place):
        pytest.fail("nothing is made without the old one being safe")
    (place.home / "data" / "former").unlink()
    assert held(place) == of("old")


def killed(place: Place, steps: int) -> None:
    """Leave what a replacement leaves that is killed after so many steps."""
    data = place.home / "data"
    move: Callable[[str], object] = lambda part: (data / part / "neo4j").rename(data / "former" / part)  # noqa: E731
    todo: list[Callable[[], object]] = [
        lambda: (data / "former").mkdir(),
        lambda: move("databases"),
        lambda: move("transactions"),
        lambda: (data / "databases" / "neo4j").mkdir(),
        lambda: fill(place, "new"),
    ]
    for step in todo[:steps]:
        step()


@pytest.mark.parametrize("steps", range(1, 6))
def test_a_replacement_that_was_killed_is_undone_later_even_if_that_is_killed_too(place: Place, steps: int) -> None:
    killed(place, steps)
    assert holds_database(place), "an import asks first whether it may replace it"
    if steps == 5:  # an undoing that was killed after its first part
        fill(place, "new")
        databases = place.home / "data" / "databases" / "neo4j"
        for file in databases.iterdir():
            file.unlink()
        databases.rmdir()
        (place.home / "data" / "former" / "databases").rename(databases)
    said: list[str] = []
    settle(place, said.append)
    assert held(place) == of("old")
    assert "putting back" in said[0]
    settle(place, said.append)
    assert len(said) == 1, "it is done"


def test_a_replacement_that_was_killed_when_the_new_database_was_whole_is_not_undone(place: Place) -> None:
    killed(place, 5)
    (place.home / "data" / "former").rename(place.home / "data" / "replaced")
    settle(place, silent)
    assert held(place) == of("new")


def test_nothing_is_put_back_under_a_server_that_runs(place: Place) -> None:
    killed(place, 5)
    with subprocess.Popen(["sleep", "60"]) as process:  # noqa: S607
        noted = {"holder": asdict(Holder.of(process.pid)), "bolt_port": 7687, "http_port": None}
        place.note(json.dumps(noted), place.running_file)
        settle(place, silent)
        with pytest.raises(NotPutBack, match="neo4j stop"):
            put_back(place)
        process.kill()
    assert sorted(held(place).values()) == ["new", "new", "old", "old"]
    place.running_file.unlink()
    settle(place, silent)
    assert held(place) == of("old")


@pytest.mark.parametrize("error", [AdminFailed("the disk is on fire"), KeyboardInterrupt()])
def test_a_failed_replacement_says_that_all_is_as_it_was(place: Place, tmp_path: Path, error: BaseException) -> None:
    said: list[str] = []

    def broken() -> None:
        fill(place, "new")
        raise error

    with pytest.raises(type(error)) as failed:
        replaced(tmp_path, SMALL, broken, lambda: None, said.append)
    told = str(failed.value) if isinstance(error, AdminFailed) else said[-1]
    assert told.endswith("the corpus that was there is as it was")
    assert held(place) == of("old")
    assert not place.version_file.exists(), "no server was started for it"


def test_a_database_that_has_no_room_beside_the_old_one_is_not_begun(place: Place, tmp_path: Path) -> None:
    with pytest.raises(ServerUnavailable, match=r"only .* MB are free at .* make room; .* is as it was"):
        replaced(tmp_path, SMALL, lambda: fill(place, "new"), lambda: None, silent, room=1 << 60)
    assert held(place) == of("old")


def test_a_directory_without_a_server_is_left_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no local Neo4j under .* `paperatlas neo4j start` makes one"):
        while_stopped(tmp_path, SMALL, lambda: None, silent)
    assert not list(tmp_path.iterdir())


@contextmanager
def working(file: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has a file locked, as Java locks it."""
    code = (
        "import fcntl, sys\nwith open(sys.argv[1], 'rb+') as held:\n    fcntl.lockf(held, fcntl.LOCK_EX)\n"
        "    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.communicate("")


@pytest.mark.parametrize("name", ["store_lock", "neo4j/database_lock"])
def test_a_server_whose_note_was_lost_is_named_and_nothing_is_touched(
    place: Place, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.local_neo4j.lock._LETS_GO", 0.1)
    lock = place.home / "data" / "databases" / name
    lock.write_bytes(b"")
    place.note("5.26.30", place.version_file)
    place.log.write_text("INFO  Started.\n")
    work: list[Callable[[], object]] = [
        lambda: start(tmp_path, SMALL),
        lambda: stop(tmp_path),
        lambda: while_stopped(tmp_path, SMALL, lambda: pytest.fail("beside a server"), silent),
        lambda: replaced(tmp_path, SMALL, lambda: pytest.fail("beside a server"), lambda: None, silent),
    ]
    before = held(place)
    with working(lock) as process:
        for attempt in work:
            with pytest.raises(
                ServerUnavailable, match=rf"\(process {process.pid}\) works on the files .*`kill {process.pid}`"
            ):
                attempt()
    assert held(place) == before
    assert place.log.read_text() == "INFO  Started.\n", "the log of a server that runs is not moved away"
    check_unused(place)


def test_a_process_that_is_about_to_let_go_of_the_files_is_waited_for(place: Place) -> None:
    lock = place.home / "data" / "databases" / "store_lock"
    lock.write_bytes(b"")
    with working(lock) as process:
        threading.Timer(0.3, process.kill).start()
        check_unused(place)


def test_while_one_works_on_the_files_nobody_else_does_even_when_its_program_outlives_it(place: Place) -> None:
    program = subprocess.Popen(["sleep", "60"])  # noqa: S607
    with alone(place):
        with pytest.raises(StoreBusy, match="works on its files; wait for it"), alone(place):
            pass
        program.kill()
        program.wait()
        program = subprocess.Popen(["sleep", "60"], close_fds=False)  # noqa: S607
    with pytest.raises(StoreBusy), alone(place):
        pass
    program.kill()
    program.wait()
    with alone(place):
        pass


HEAD = """\
Error in input data

WARNING Import failed. The store files in /x are left as they are
org.neo4j.cli.CommandFailedException: Error importing csv file.
\tat org.neo4j.importer.ImportCommand$Base.doExecute(ImportCommand.java:429)
"""
INPUT = "org.neo4j.importer.FileImporter$CsvImportException: org.neo4j.internal.batchimport.input.InputException: "
SOURCE = """\
Caused by: {INPUT}ERROR in input
  data source: BufferedCharSeeker[source:/tmp/a b/0.csv, position:1448, line:1]
  in field: {field}
  for header: [:ID(Paper), id:string, title:string, year:long]
  raw field value: {raw}
  original error: {error}
\tat org.neo4j.importer.FileImporter.doImport(FileImporter.java:1)
Caused by: java.lang.NumberFormatException: Not an integer: "20x2"
"""
QUOTE = "At /tmp/a b/0.csv @ position 432 -  there's a field starting with a quote. This is what I read: 'C ,\"c'"
ID = "java.lang.RuntimeException: java.util.concurrent.ExecutionException: org.neo4j.a.DuplicateInputIdException: "


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            SOURCE.format(INPUT=INPUT, field="year:long:9", raw="20x2", error='Not an integer: "20x2"'),
            'my papers.csv is damaged near character 1,448, in the field year: Not an integer: "20x2"; write the files anew',
        ),
        (
            SOURCE.format(INPUT=INPUT, field="title:string:4", raw="C", error=QUOTE),
            "my papers.csv is damaged near character 1,448, in the field title: there's a field starting with a quote.",
        ),
        (
            SOURCE.format(INPUT=INPUT, field=":ID(Paper)", raw="x", error='Not an integer: "x"'),
            'in the field of the key: Not an integer: "x"; write the files anew',
        ),
        (
            f"Caused by: {INPUT}3 (Paper)-[CITES]->9 (Paper) referring to missing node 9\n\tat a.b(C.java:1)\n",
            "cannot import the files: 3 (Paper)-[CITES]->9 (Paper) referring to missing node 9; write the files anew",
        ),
        (
            f"Caused by: {INPUT}{ID}Id '1' is defined more than once in group 'Paper'\n\t... 13 more\n",
            "cannot import the files: Id '1' is defined more than once in group 'Paper'; write the files anew",
        ),
    ],
)
def test_what_is_wrong_with_which_file_is_told_of_an_import_that_failed(said: str, told: str) -> None:
    error = input_error(AdminFailed("failed", HEAD + said), {"0.csv": Path("my papers.csv")})
    assert isinstance(error, BadInput)
    assert told in str(error)
    assert "org.neo4j" not in str(error)


def test_an_import_that_failed_for_another_reason_is_told_as_it_is() -> None:
    failed = AdminFailed("Neo4j's `database import full` failed: No space left on device", "No space left on device")
    assert input_error(failed, {}) is failed


def test_a_damaged_file_is_named_with_the_place_by_the_real_program(tmp_path: Path) -> None:
    (tmp_path / "my papers.csv").write_text(':ID(Paper),id:string,year:long\n1,"a",2001\n2,"b",20x2\n')
    Place.under(tmp_path).make()
    with pytest.raises(BadInput, match=re.escape(f"{tmp_path / 'my papers.csv'} is damaged near character ")) as failed:
        admin.import_files(tmp_path, {"Paper": [tmp_path / "my papers.csv"]}, {}, delimiter="\x1f")
    assert 'in the field year: Not an integer: "20x2"' in str(failed.value)
