"""The SQLite file is moved away, replaced, locked or damaged while the map is served, and is mended."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from corpus.atlas import Builds
from corpus.breaker import FAILURES, REST
from corpus.errors import ForeignStore, StoreError
from corpus.sqlite_served import served_file
from corpus.stores import open_store
from server.app import create_app
from tests.server.making import SEED, lay_out_by_hand, open_filled
from tests.server.reading import page_of
from tests.server.test_away import ASKING, LATER, ROUTES


@dataclass
class Site:
    """A server over a corpus in a file."""

    client: TestClient
    file: Path
    now: list[float]
    mend: Callable[[], None] = field(default=lambda: None)

    @property
    def kept(self) -> Path:
        """A copy of the file as it was."""
        return self.file.with_name("kept")

    def get(self, route: str):  # type: ignore[no-untyped-def]  # noqa: ANN201  httpx is only known to the test client
        return self.client.get(route)

    def bodies(self) -> dict[str, bytes]:
        return {route: self.get(route).content for route in ASKING}


@pytest.fixture
def site(tmp_path: Path, bundle: Path) -> Iterator[Site]:
    store = open_filled(tmp_path)
    lay_out_by_hand(tmp_path, store)
    store.close()
    now = [0.0]
    guarded = served_file(tmp_path / "corpus.sqlite", lambda: now[0], patience=0.02)
    assert guarded.try_now() is None
    app = create_app(guarded, Builds(tmp_path), bundle=bundle)
    # An error that no route expects is a 500 here, as for a reader, and not the test's.
    client = TestClient(app, follow_redirects=False, raise_server_exceptions=False)
    site = Site(client, tmp_path / "corpus.sqlite", now)
    shutil.copy(site.file, site.kept)
    yield site
    site.mend()
    guarded.close()


def moved(site: Site) -> None:
    away = site.file.rename(site.file.with_name("elsewhere"))
    site.mend = lambda: void(away.rename(site.file))


def deleted(site: Site) -> None:
    site.file.unlink()
    site.mend = lambda: void(shutil.copy(site.kept, site.file))


def a_folder(site: Site) -> None:
    moved(site)
    back = site.mend
    site.file.mkdir()
    site.mend = lambda: (site.file.rmdir(), back())[-1]


def emptied(site: Site) -> None:
    site.file.write_bytes(b"")
    site.mend = lambda: void(shutil.copy(site.kept, site.file))


def cut(site: Site) -> None:
    with site.file.open("r+b") as opened:
        opened.truncate(5_000)
    site.mend = lambda: void(shutil.copy(site.kept, site.file))


def scribbled(site: Site) -> None:
    size = site.file.stat().st_size
    with site.file.open("r+b") as opened:
        opened.seek(100)
        opened.write(b"\xa5" * (size - 100))
    site.mend = lambda: void(shutil.copy(site.kept, site.file))


def somebody_elses(site: Site) -> None:
    other = site.file.with_name("other")
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine(x)")
    connection.close()
    other.replace(site.file)
    site.mend = lambda: void(shutil.copy(site.kept, site.file))


@contextmanager
def lock(file: Path) -> Iterator[None]:
    """Another process that lets nobody read."""
    other = sqlite3.connect(file, isolation_level=None)
    try:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        other.close()


def void(_: object) -> None:
    pass


TROUBLES = [moved, deleted, a_folder, emptied, cut, scribbled, somebody_elses]


@pytest.mark.parametrize("trouble", TROUBLES)
def test_whatever_happens_to_the_file_the_map_goes_on_and_all_comes_back_by_itself(
    site: Site, trouble: Callable[[Site], None]
) -> None:
    whole = site.bodies()
    trouble(site)
    assert_the_map_goes_on(site)
    site.mend()
    site.mend = lambda: None
    site.now[0] += REST
    assert site.bodies() == whole
    assert site.get("/readyz").status_code == 200


def assert_the_map_goes_on(site: Site) -> None:
    for _ in range(3):  # before it is left alone, and after
        for route, kind in ROUTES:
            if route in ASKING:
                answer = site.get(route)
                assert answer.status_code == (503 if kind == LATER else 200), (route, answer.text)
                assert answer.headers["cache-control"] == "no-store"
                assert answer.headers.get("retry-after") == ("5" if kind == LATER else None)
                assert "Traceback" not in answer.text
    page = page_of(site.get(f"/paper/{SEED}").text)
    assert "The database does not answer. This page shows what the map knows" in page.words
    assert site.get("/api/search?q=scaling").json()["results"], "titles of the map"
    assert site.get("/readyz").json()["status"] == "degraded"
    assert site.get("/version").json()["store"] == {"kind": "sqlite", "version": None}


def test_a_file_that_is_locked_when_the_server_starts_is_waited_for_by_nobody(tmp_path: Path, bundle: Path) -> None:
    store = open_filled(tmp_path)
    lay_out_by_hand(tmp_path, store)
    store.close()
    now = [0.0]
    with lock(tmp_path / "corpus.sqlite"):
        guarded = served_file(tmp_path / "corpus.sqlite", lambda: now[0], patience=0.02)
        assert "locked" in (guarded.try_now() or "")
        client = TestClient(create_app(guarded, Builds(tmp_path), bundle=bundle), follow_redirects=False)
        site = Site(client, tmp_path / "corpus.sqlite", now)
        assert_the_map_goes_on(site)
    now[0] += REST
    assert {site.get(route).status_code for route in ASKING} <= {200, 404}
    guarded.close()


def test_a_file_that_was_replaced_is_read_anew_at_once(site: Site, tmp_path: Path) -> None:
    assert site.get(f"/api/paper?id={SEED}").status_code == 200
    other = tmp_path / "other"
    fresh = open_store("sqlite", other)
    fresh.close()
    (other / "corpus.sqlite").replace(site.file)
    for beside in ("-wal", "-shm"):
        site.file.with_name(site.file.name + beside).unlink(missing_ok=True)
    assert site.get(f"/api/paper?id={SEED}").json()["abstract"] is None
    assert site.get("/api/search?q=scaling").json()["results"] == []
    assert site.get("/readyz").status_code == 200


def test_one_damaged_record_costs_its_own_page_alone_and_one_line_of_the_log(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    with sqlite3.connect(site.file) as writer:
        number = "(SELECT n FROM node WHERE id = ?)"
        writer.execute(f"UPDATE content SET paper = x'00ff' WHERE n = {number}", (SEED,))  # noqa: S608
    writer.close()
    with caplog.at_level(logging.WARNING):
        for _ in range(FAILURES * 2):
            assert site.get(f"/api/paper?id={SEED}").status_code == 503
            page = site.get(f"/paper/{SEED}")
            assert page.status_code == 200
            assert "This page shows what the map knows" in page_of(page.text).words
            assert site.get("/paper/fixture:citer-2020").headers["cache-control"] != "no-store"
            assert site.get("/api/search?q=scaling").status_code == 200
    assert len(caplog.records) == 1
    assert "the corpus cannot be read" in caplog.text


def test_a_file_that_is_not_there_or_not_ours_when_the_server_starts_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="ingest"):
        served_file(tmp_path / "corpus.sqlite")
    (tmp_path / "corpus.sqlite").write_text("somebody else's")
    with pytest.raises(ForeignStore):
        served_file(tmp_path / "corpus.sqlite")


def test_questions_go_on_while_the_file_is_opened_anew(site: Site) -> None:
    """A store that was left is closed when the last question to it is answered, and not under it."""
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            calls = [pool.submit(site.get, f"/paper/{SEED}") for _ in range(16)]
            shutil.copy(site.file, site.file.with_name("next"))
            site.file.with_name("next").replace(site.file)
            assert {call.result(20).status_code for call in calls} == {200}
    assert site.get("/readyz").status_code == 200
