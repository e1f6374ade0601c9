"""Publishing a build."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.build import FILES, PAPERS, Manifest, Workshop, current, read_manifest, verify
from corpus.errors import BooksDoNotBalance, BrokenBuild


def publish(data: Path, placed: int = 0) -> Path:
    workshop = Workshop(data)
    for name in FILES:
        (workshop.path / name).write_bytes(name.encode())
    manifest = Manifest(
        data_date=None,
        policy="references",
        policy_version="1",
        seed=1,
        parameters={},
        libraries={},
        papers=0,
        placed=placed,
        unplaced={},
        areas=(),
        minzoom=0,
        maxzoom=0,
        quality={},
        files={},
    )
    return data / "builds" / workshop.publish(manifest)


def test_the_same_map_again_keeps_the_sound_one(tmp_path: Path) -> None:
    place = publish(tmp_path)
    inode = (place / PAPERS).stat().st_ino
    assert publish(tmp_path) == place == current(tmp_path)
    assert (place / PAPERS).stat().st_ino == inode, "readers may hold it open"


@pytest.mark.parametrize("damage", ["remove", "alter"])
def test_the_same_map_again_repairs_a_damaged_one(tmp_path: Path, damage: str) -> None:
    place = publish(tmp_path)
    (place / PAPERS).unlink() if damage == "remove" else (place / PAPERS).write_bytes(b"altered")
    with pytest.raises(BrokenBuild, match=PAPERS):
        verify(place, read_manifest(place))
    assert publish(tmp_path) == place
    verify(place, read_manifest(place))
    assert [path.name for path in (tmp_path / "builds").iterdir()] == [place.name]


def test_books_that_do_not_balance_are_not_published(tmp_path: Path) -> None:
    with pytest.raises(BooksDoNotBalance):
        publish(tmp_path, placed=1)
    assert current(tmp_path) is None
