"""Whether a layout fits is told before the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.errors import BadInput, LayoutFailed
from corpus.store import Size
from layout.memory import available, need_room, needed
from layout.run import lay_out
from tests.layout.making import FAST, filled, many

MILLION = Size(1_000_000, 3_000_000, 8_000_000)
MANY = 1_000_000


def machine(folder: Path, free: int = 4_000_000, limit: str | None = None) -> tuple[Path, Path]:
    """A meminfo with `free` kB available, and a control group with a limit."""
    meminfo, group = folder / "meminfo", folder / "cgroup"
    meminfo.write_text(f"MemTotal: 9000000 kB\nMemFree: 1 kB\nMemAvailable: {free} kB\n", "ascii")
    group.mkdir()
    if limit is not None:
        (group / "memory.max").write_text(f"{limit}\n", "ascii")
        (group / "memory.current").write_text("600000000\n", "ascii")
        (group / "memory.stat").write_text("anon 1\ninactive_file 100000000\n", "ascii")
    return meminfo, group


@pytest.mark.parametrize(
    ("limit", "room"),
    [(None, 4_096_000_000), ("max", 4_096_000_000), ("1000000000", 500_000_000), ("9000000000", 4_096_000_000)],
)
def test_what_is_free_is_the_machines_or_the_containers(tmp_path: Path, limit: str | None, room: int) -> None:
    assert available(*machine(tmp_path, limit=limit)) == room


def test_where_nobody_says_it_is_unknown(tmp_path: Path) -> None:
    assert available(tmp_path / "none", tmp_path) is None
    need_room(MILLION, MANY, None)


def test_a_million_papers_are_refused_where_they_do_not_fit() -> None:
    need_room(MILLION, MANY, 24_000_000_000)
    with pytest.raises(BadInput, match=r"1,000,000 papers takes about 1\d\.\d GB of memory, and 4\.0 GB are free"):
        need_room(MILLION, MANY, 4_000_000_000)
    assert needed(MILLION, MANY) > needed(MILLION, 100_000) > needed(Size(10, 0, 0), MANY)


def test_the_job_is_refused_before_the_corpus_is_read(tmp_path: Path) -> None:
    data = filled(tmp_path / "data", many(10))
    with pytest.raises(LayoutFailed, match=r"a layout of 10 papers takes about 0\.5 GB"):
        lay_out(data, "sqlite", FAST, memory=1_000_000)
