"""Builds: opened once, swapped while the server runs, never half read."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from corpus.atlas import Atlas, Builds
from corpus.build import PAPERS, TILES, make_current
from corpus.errors import BrokenBuild
from server.app import create_app
from tests.server.conftest import Made
from tests.server.making import SEED, lay_out_by_hand, open_filled, paper


def _damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def test_any_identifier_finds_its_row(made: Made) -> None:
    atlas = Atlas.open(made.data / "builds" / made.build)
    for n in range(len(atlas)):
        entry = atlas.row(n)
        assert [atlas.find(identifier) for identifier in entry.ids] == [n] * len(entry.ids)
        assert entry.on_map == (entry.reason is None)
    assert atlas.find("doi:10.1145/3320060") == atlas.find(SEED)
    for absent in ("", "arxiv:1802.0994", "arxiv:1802.099411", "zzz:9", "\x00", "\U0010ffff"):
        assert atlas.find(absent) is None
    for outside in (-1, len(atlas)):
        with pytest.raises(IndexError):
            atlas.row(outside)


def test_a_new_build_is_served_without_a_restart_and_the_old_one_stays_readable(tmp_path: Path, bundle: Path) -> None:
    store = open_filled(tmp_path)
    client = TestClient(create_app(store, Builds(tmp_path), bundle=bundle))
    assert client.get("/tiles.json").json()["code"] == "no_build"
    assert client.get("/readyz").status_code == 503
    assert client.get("/api/paper", params={"id": SEED}).json()["reason"] == "not_yet_laid_out"
    first = lay_out_by_hand(tmp_path, store, seed=1)
    assert client.get("/tiles.json").json()["build"] == first
    second = lay_out_by_hand(tmp_path, store, seed=2)
    assert second != first
    assert client.get("/tiles.json").json()["build"] == second
    assert client.get("/readyz").json()["build"] == second
    for build in (first, second):
        assert client.get(f"/tiles/{build}/0/0/0.mvt").status_code == 200
        assert client.get(f"/api/builds/{build}/papers/0").json()["build"] == build
    fresh = Builds(tmp_path)
    old = fresh.get(first)
    assert old is not None
    assert old.manifest.hash == first
    store.close()


def test_a_broken_build_is_reported_and_the_last_good_one_stays(
    tmp_path: Path, bundle: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_filled(tmp_path)
    good = lay_out_by_hand(tmp_path, store, seed=1)
    builds = Builds(tmp_path)
    client = TestClient(create_app(store, builds, bundle=bundle))
    assert client.get("/readyz").status_code == 200
    bad = lay_out_by_hand(tmp_path, store, seed=2)
    _damage(tmp_path / "builds" / bad / PAPERS)
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["build"]) == (200, good)
    assert "cannot be read" in ready.json()["problem"]
    assert builds.problem is not None
    assert PAPERS in builds.problem
    assert caplog.text.count("the one before it stays") == 1, "told once, not at every request"
    assert client.get(f"/tiles/{bad}/0/0/0.mvt").status_code == 404
    assert client.get(f"/tiles/{good}/0/0/0.mvt").status_code == 200
    make_current(tmp_path, good)
    assert client.get("/readyz").json()["problem"] is None
    store.close()


def test_a_link_that_leads_nowhere_is_reported(tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to("builds/" + "0" * 64)
    builds = Builds(tmp_path)
    assert builds.current() is None
    assert builds.problem is not None
    assert "leads nowhere" in builds.problem


@pytest.mark.parametrize("name", [PAPERS, TILES, "regions.json", "manifest.json"])
def test_an_altered_file_is_found_when_it_is_opened(tmp_path: Path, name: str) -> None:
    store = open_filled(tmp_path)
    build = lay_out_by_hand(tmp_path, store)
    store.close()
    _damage(tmp_path / "builds" / build / name)
    with pytest.raises(BrokenBuild):
        Atlas.open(tmp_path / "builds" / build)


@pytest.mark.parametrize("papers", [0, 1])
def test_a_map_of_no_or_one_paper_is_served(tmp_path: Path, bundle: Path, papers: int) -> None:
    store = open_filled(tmp_path, [paper("fixture:one", title="One", references=("doi:10.1/x",))][:papers])
    build = lay_out_by_hand(tmp_path, store)
    client = TestClient(create_app(store, Builds(tmp_path), bundle=bundle))
    body = client.get("/tiles.json").json()
    assert body["atlas"]["placed"] == papers
    assert client.get(f"/tiles/{build}/0/0/0.mvt").status_code in {200, 204}
    assert client.get("/api/search?q=one").json()["store"] == "ok"
    assert client.get("/why?q=one").status_code == 200
    store.close()


def test_many_threads_see_one_build_or_the_next(tmp_path: Path) -> None:
    store = open_filled(tmp_path)
    first, builds = lay_out_by_hand(tmp_path, store, seed=1), Builds(tmp_path)
    assert builds.current() is not None
    second = lay_out_by_hand(tmp_path, store, seed=2)
    seen: list[str] = []

    def look() -> None:
        for _ in range(50):
            atlas = builds.current()
            seen.append("none" if atlas is None else atlas.manifest.hash)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen) <= {first, second}
    atlas = builds.current()
    assert atlas is not None
    assert atlas.manifest.hash == second
    store.close()
