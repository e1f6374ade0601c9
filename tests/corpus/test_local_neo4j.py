"""The server under the data directory: what it is made of, what it says when it cannot be started."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from corpus.access import Access
from corpus.errors import BadSetting, StoreDenied, StoreError, StoreUnavailable
from corpus.holders import Holder
from corpus.local_neo4j import admin, endpoint
from corpus.local_neo4j.configuration import Configuration
from corpus.local_neo4j.jars import VERSION, ServerUnavailable, jars, lock, remove_damaged, wrong_files
from corpus.local_neo4j.place import Place
from corpus.local_neo4j.process import bolt_port, last_words, new_password, start, stop
from corpus.neo4j_connection import Connection
from corpus.stores import open_store
from tests.databases import Database
from tests.leftovers import ROOT

SMALL = Configuration(heap="512m", page_cache="64m", bolt_port=0)


@pytest.fixture
def local(neo4j: Database) -> Path:
    """The data directory of the session's server."""
    if neo4j.data is None:
        pytest.skip("these tests are about a server of our own: run them without NEO4J_URI")
    return neo4j.data


def noted(holder: Holder, bolt_port: int = 7687) -> str:
    """What a starter notes of a server."""
    return json.dumps({"holder": asdict(holder), "bolt_port": bolt_port, "http_port": None})


def test_a_second_start_finds_the_server_that_runs(local: Path) -> None:
    place = Place.under(local)
    before = place.running()
    started = start(local, SMALL)
    assert started.already
    assert started.running == before


def test_only_its_owner_can_read_what_is_under_it(local: Path) -> None:
    place = Place.under(local)
    assert stat.S_IMODE(place.home.stat().st_mode) == 0o700
    assert stat.S_IMODE(place.password_file.stat().st_mode) == 0o600
    assert len(place.password()) >= 32
    assert place.password() not in "".join(
        file.read_text("utf-8", "replace") for file in (*place.configuration.iterdir(), place.log)
    )
    assert place.password() not in repr(endpoint(local))


def test_it_listens_on_loopback_and_asks_for_the_password(local: Path) -> None:
    place = endpoint(local)
    assert place.url.startswith("bolt://127.0.0.1:")
    with pytest.raises(StoreDenied, match="does not accept the user 'neo4j'"):
        open_store(place.url, local, access=Access(password="wrong"))  # noqa: S106
    with pytest.raises(StoreDenied):
        open_store(place.url, local, access=Access())


def test_it_reads_no_files_for_a_query_and_has_no_procedures_of_others(local: Path) -> None:
    place = endpoint(local)
    with GraphDatabase.driver(place.url, auth=(place.user, place.password)) as driver, driver.session() as session:
        with pytest.raises(Exception, match=r"configuration property 'dbms.security.allow_csv_import_from_file_urls'"):
            session.run("LOAD CSV FROM 'file:///etc/hostname' AS line RETURN line").consume()
        names = session.run("SHOW PROCEDURES YIELD name RETURN collect(name) AS names").single(strict=True)["names"]
    assert not [name for name in names if name.startswith(("apoc.", "gds."))]


def test_it_tells_nobody_of_itself_and_loads_no_procedure_but_its_own(local: Path) -> None:
    place = endpoint(local)
    wanted = ["dbms.security.procedures.allowlist", "client.allow_telemetry", "dbms.usage_report.enabled"]
    connection = Connection(place.url, Access(place.user, place.password), patience=60)
    settings = connection.read(
        "SHOW SETTINGS YIELD name, value WHERE name IN $wanted RETURN name, value", wanted=wanted
    )
    ours = ["db.index.fulltext.queryNodes", "db.awaitIndexes", "dbms.components", "db.schema.visualization"]
    names = connection.read("SHOW PROCEDURES YIELD name WHERE name IN $ours RETURN name", ours=ours)
    connection.close()
    assert dict(settings) == dict(zip(wanted, ["", "false", "false"], strict=True))
    assert sorted(name for (name,) in names) == sorted(ours)


def test_what_is_too_large_for_the_heap_is_refused_with_what_to_do_and_the_server_lives(local: Path) -> None:
    place = endpoint(local)
    connection = Connection(place.url, Access(place.user, place.password), patience=120)
    with pytest.raises(StoreError, match=r"too little memory.*limit (460|499)\.0 MiB.*setting neo4j\.heap"):
        connection.read("UNWIND range(1, 60000000) AS n RETURN size(collect(n))")
    assert connection.read("RETURN 1") == [[1]]
    connection.close()


@pytest.mark.parametrize(
    ("heap", "limit"), [("3g", "1843m"), ("512m", "307m"), ("2097152K", "1228m"), ("1073741824", "614m"), ("1k", "1m")]
)
def test_one_transaction_may_take_six_tenths_of_the_heap(heap: str, limit: str) -> None:
    assert f"db.memory.transaction.max={limit}\n" in Configuration(heap=heap).text()


def test_the_lock_names_every_jar_by_its_hash_and_no_address() -> None:
    hashes = lock()
    assert len(hashes) == 216
    assert all(len(digest) == 64 for digest in hashes.values())
    folder = jars()
    assert wrong_files(folder) == []


def test_an_altered_a_missing_and_a_foreign_jar_are_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    source = jars()
    for part in ("jars", "modules"):
        (folder / part).mkdir(parents=True)
        for file in (source / part).glob("*.jar"):
            (folder / part / file.name).symlink_to(file)
    names = sorted(file.name for file in (folder / "modules").iterdir())
    altered, missing = folder / "modules" / names[0], folder / "modules" / names[1]
    content = altered.read_bytes()
    altered.unlink()
    altered.write_bytes(content[: len(content) // 2])
    missing.unlink()
    (folder / "jars" / "foreign-1.0.jar").write_bytes(b"PK")
    assert set(wrong_files(folder)) == {names[0], names[1], "foreign-1.0.jar"}


def test_of_an_earlier_download_only_what_was_cut_is_removed(tmp_path: Path) -> None:
    name = f"neo4j-bolt-{VERSION}.jar"
    ours = tmp_path / "org/neo4j/neo4j-bolt" / VERSION
    others = tmp_path / "com/example/theirs/1.0"
    for folder in (ours, others):
        folder.mkdir(parents=True)
    (ours / name).write_bytes(b"PK, and then the network went")
    (ours / "neo4j-bolt.pom").write_text("<project><modelVersion>4.0.0</mode")
    (others / "theirs-1.0.jar").write_bytes(b"PK")
    (others / "theirs-1.0.pom").write_text("<project></project>\n<!-- the end -->\n")
    assert {file.name for file in remove_damaged(tmp_path)} == {name, "neo4j-bolt.pom"}
    assert {file.name for file in tmp_path.rglob("*") if file.is_file()} == {"theirs-1.0.jar", "theirs-1.0.pom"}
    assert remove_damaged(tmp_path) == []


def test_no_password_is_taken_for_an_option_when_it_is_set() -> None:
    assert all(new_password()[0].isalpha() and len(new_password()) >= 32 for _ in range(500))


def test_a_server_that_was_never_started_or_has_died_says_how_to_start_it(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="paperatlas neo4j start"):
        open_store("neo4j", tmp_path)
    place = Place.under(tmp_path)
    place.make()
    place.note("a" * 32, place.password_file)
    died = replace(Holder.here(), born="1")
    place.note(noted(died), place.running_file)
    assert place.running() is None, "the number of a process that died may be another's now"
    with pytest.raises(StoreUnavailable, match=r"does not run; start it with `paperatlas neo4j start`"):
        open_store("neo4j", tmp_path)
    assert not stop(tmp_path)
    assert not place.running_file.exists()


def test_a_server_is_known_by_its_process_whatever_the_machine_is_called(tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    with subprocess.Popen(["sleep", "60"]) as process:  # noqa: S607
        holder = replace(Holder.of(process.pid), host="as-it-was-called-before")
        place.note(noted(holder), place.running_file)
        running = place.running()
        assert running is not None
        assert running.holder == holder, "a new host name ends no process"
        place.note(noted(replace(holder, born="1")), place.running_file)
        assert not stop(tmp_path), "it died, and its number is another's now"
        assert process.poll() is None
        place.note(noted(holder), place.running_file)
        assert stop(tmp_path)
        assert process.wait(5) == -signal.SIGTERM


def test_a_start_waits_for_a_server_that_another_start_left_before_it_was_ready(tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    place.log.write_text("INFO  Starting...\n")
    with socket.socket() as bolt, subprocess.Popen(["sleep", "60"]) as process:  # noqa: S607
        bolt.bind(("127.0.0.1", 0))
        place.note(noted(Holder.of(process.pid), bolt.getsockname()[1]), place.running_file)
        said: list[str] = []

        def hear(text: str) -> None:
            """Become ready only after it was said that this is waited for."""
            said.append(text)
            place.log.write_text("INFO  Starting...\nINFO  Started.\n")
            bolt.listen()
            threading.Thread(target=_greet, args=(bolt, 2), daemon=True).start()

        assert start(tmp_path, SMALL, hear).already
        assert len(said) == 1
        assert f"process {process.pid}" in said[0]
        assert start(tmp_path, SMALL, hear).already
        assert len(said) == 1, "it answers at once now"
        process.kill()


def _greet(bolt: socket.socket, times: int) -> None:
    """Agree on Bolt 5.0 with so many who ask."""
    for _ in range(times):
        asking, _ = bolt.accept()
        with asking:
            assert asking.recv(20, socket.MSG_WAITALL).startswith(b"\x60\x60\xb0\x17")
            asking.sendall(b"\0\0\0\x05")


def test_a_server_that_ends_while_it_is_waited_for_is_told_in_its_own_words(tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    place.log.write_text("ERROR the disk is on fire\n")
    with subprocess.Popen(["sleep", "60"]) as process:  # noqa: S607
        place.note(noted(Holder.of(process.pid)), place.running_file)
        with pytest.raises(ServerUnavailable, match=r"did not start: ERROR the disk is on fire; its log is "):
            start(tmp_path, SMALL, lambda _: process.kill())
    assert place.running() is None


@pytest.mark.parametrize("calm", [True, False])
def test_no_server_outlives_the_test_run_that_started_it_even_if_it_is_killed(calm: bool, tmp_path: Path) -> None:
    place = Place.under(tmp_path / "of a test")
    place.make()
    run = (
        "import sys, pathlib\nfrom tests.leftovers import ended_with_this_run\n"
        "with ended_with_this_run(pathlib.Path(sys.argv[1])):\n    print('inside', flush=True)\n    sys.stdin.read()\n"
    )
    with (
        subprocess.Popen(["sleep", "60"]) as server,  # noqa: S607
        subprocess.Popen(
            [sys.executable, "-c", run, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
        ) as runner,
    ):
        place.note(noted(Holder.of(server.pid)), place.running_file)
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"inside\n"
        assert server.poll() is None
        if calm:
            runner.communicate(b"")
        else:
            runner.kill()
        assert server.wait(30) == -signal.SIGKILL


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage",
        "{}",
        "[]",
        '{"holder": null, "bolt_port": 1, "http_port": null}',
        '{"holder": {"host": "a"}}',
        "\xff",
    ],
)
def test_a_note_of_a_server_that_is_none_is_as_if_there_were_none(text: str, tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    place.running_file.write_text(text, "latin-1")
    assert place.running() is None
    assert not stop(tmp_path)


@pytest.mark.parametrize("pid", [0, -1])
def test_a_note_never_leads_to_a_group_of_processes(pid: int, tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    place.note(noted(replace(Holder.here(), pid=pid, born="")), place.running_file)
    assert place.running() is None


@pytest.mark.parametrize(("held", "says"), [(b"", "is empty"), (b"\xc3\xa9", "cannot be read")])
def test_a_file_that_holds_no_password_is_named(held: bytes, says: str, tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    place.password_file.write_bytes(held)
    with pytest.raises(StoreUnavailable, match=f"{place.password_file} {says}"):
        open_store("neo4j", tmp_path)


def test_a_password_that_is_gone_is_not_replaced_by_one_that_opens_nothing(tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    (place.home / "data" / "databases" / "system").mkdir(parents=True)
    for attempt in (lambda: start(tmp_path, SMALL), lambda: open_store("neo4j", tmp_path)):
        with pytest.raises(
            (ServerUnavailable, StoreUnavailable), match=f"{place.password_file} is gone.*put the file back"
        ):
            attempt()
    assert not place.password_file.exists()


def test_a_wrong_password_of_the_local_server_is_told_with_its_file(local: Path) -> None:
    place = Place.under(local)
    right = place.password()
    place.note("n" * 32, place.password_file)
    try:
        with pytest.raises(StoreDenied, match=f"does not accept the password in {place.password_file}"):
            open_store("neo4j", local)
    finally:
        place.note(right, place.password_file)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "neo4j").write_text("a file")
    with pytest.raises(StoreUnavailable, match=f"{tmp_path / 'neo4j'} .*cannot be made"):
        start(tmp_path, SMALL)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("# There is insufficient memory for the Java Runtime\n# /x/hs_err.log", "lower neo4j.heap"),
        ("Caused by: a.b.Failure: no such file\n\tat a.b.Locker.lockException(Locker.java:1)", "no such file"),
        (
            "Caused by: FileLockException: Lock file has been locked by another process: /x\n\tat a.lockException(b:1)",
            "end its process",
        ),
    ],
)
def test_of_the_last_words_of_a_server_the_cause_is_told(said: str, says: str, tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    place.log.write_text(said)
    assert says in last_words(place)


def test_a_taken_port_is_named_with_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServerUnavailable, match=rf"port {port} of 127.0.0.1 is taken.*neo4j\.bolt_port"):
            start(tmp_path, replace(SMALL, bolt_port=port))


def test_a_port_that_was_left_open_stays_the_same_while_it_is_free(tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    first = bolt_port(place, 0)
    place.note(str(first), place.port_file)
    assert bolt_port(place, 0) == first
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert bolt_port(place, 0) not in {0, first}
    place.note("99999999", place.port_file)
    assert bolt_port(place, 0) > 0


def test_files_of_another_line_of_neo4j_are_left_alone(tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    place.note("4.4.9", place.version_file)
    with pytest.raises(ServerUnavailable, match=r"is of Neo4j 4\.4\.9"):
        start(tmp_path, SMALL)


def test_a_start_that_fails_gives_the_servers_own_words(tmp_path: Path) -> None:
    with pytest.raises(ServerUnavailable, match=r"did not start: .*; its log is "):
        start(tmp_path, replace(SMALL, page_cache="1k"))
    assert Place.under(tmp_path).running() is None
    shutil.rmtree(tmp_path / "neo4j")


def test_the_log_of_a_server_that_crashed_outlives_the_next_start(tmp_path: Path) -> None:
    place = Place.under(tmp_path)
    place.make()
    place.note("n" * 32, place.password_file)
    place.note(noted(replace(Holder.here(), born="1")), place.running_file)
    place.log.write_text("java.lang.OutOfMemoryError: Java heap space\n")
    said: list[str] = []
    with pytest.raises(ServerUnavailable, match="did not start"):
        start(tmp_path, replace(SMALL, page_cache="1k"), said.append)
    assert str(place.earlier_log) in said[0]
    assert "OutOfMemoryError" in place.earlier_log.read_text()
    assert "OutOfMemoryError" not in place.log.read_text()


def test_a_command_of_its_own_that_fails_says_why(local: Path) -> None:
    with pytest.raises(admin.AdminFailed, match="database check neo4j"):
        admin.check(local)  # it runs


def test_files_and_data_may_lie_in_folders_with_commas_spaces_and_signs_of_patterns(tmp_path: Path) -> None:
    folder = tmp_path / "papers, one (of=two) [x]+ 'é'"
    folder.mkdir()
    (folder / "papers.csv").write_text(':ID(Paper),id:string\n1,"a"\n2,"b"\n')
    (folder / "more.csv").write_text('3,"c"\n')
    (folder / "cites.csv").write_text(":START_ID(Paper),:END_ID(Paper)\n1,2\n3,1\n")
    place = Place.under(folder)
    place.make()
    papers = [folder / "papers.csv", folder / "more.csv"]
    said = admin.import_files(folder, {"Paper": papers}, {"CITES": [folder / "cites.csv"]}, delimiter="\x1f")
    assert re.search(r"\b3 nodes\s+2 relationships\b", said), said
    assert not list((place.home / "run").iterdir())


@pytest.mark.parametrize(
    "url",
    [
        "bolt://u:secret@127.0.0.1",
        "bolt://127.0.0.1:7687/?password=secret",
        "bolt://127.0.0.1:7687/secret",
        "bolt://127.0.0.1:7687#secret",
        "bolt://127.0.0.1:seven",
        "bolt://127.0.0.1:99999",
        "bolt://127.0.0.1:0",
        "bolt://[::1:7687",
        "http://127.0.0.1",
        "neo4j:",
        "bolt://",
        "file:///etc/passwd",
        "postgres",
    ],
)
def test_what_names_no_bolt_server_or_holds_a_password_is_refused_without_repeating_it(
    url: str, tmp_path: Path
) -> None:
    with pytest.raises(BadSetting) as refused:
        open_store(url, tmp_path)
    assert "secret" not in str(refused.value)


def test_a_database_that_was_closed_says_so(neo4j: Database, tmp_path: Path) -> None:
    store = open_store(neo4j.url, tmp_path, access=neo4j.access)
    store.close()
    with pytest.raises(StoreError, match="was closed"):
        store.size()
