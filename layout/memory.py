"""Whether a layout fits into memory, told before the work rather than by the kernel after an hour."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from corpus.errors import BadInput
from corpus.store import Size

_BASE: Final = 500_000_000
"""Bytes of the interpreter and the libraries."""
_PAPER: Final = 11_000
"""Bytes a paper at the most: 8,000 for vectors and graph (at 1,000,000 papers), the rest its texts and its row."""
_BEYOND: Final = 6_000
"""Bytes a paper that is placed among landmarks: its texts, its row, two vectors and its ties."""
_CITATION: Final = 60
"""Bytes a citation."""
_CGROUP: Final = Path("/sys/fs/cgroup")


def needed(size: Size, landmarks: int) -> int:
    """Bytes that the layout of a corpus takes at its peak, estimated; `landmarks` of its papers are laid out together."""
    together = min(size.papers, landmarks)
    return _BASE + _PAPER * together + _BEYOND * (size.papers - together) + _CITATION * size.citations


def need_room(size: Size, landmarks: int, room: int | None) -> None:
    """Raise `BadInput` where a layout will not fit into `room` bytes; None is any."""
    need = needed(size, landmarks)
    if room is not None and need > room:
        raise BadInput(
            f"a layout of {size.papers:,} papers takes about {need / 1e9:.1f} GB of memory, and {room / 1e9:.1f} GB are free: end other "
            "programs, use a larger machine, lay fewer of them out together (layout.landmarks), or set layout.memory if you know better"
        )


def available(meminfo: Path = Path("/proc/meminfo"), cgroup: Path = _CGROUP) -> int | None:
    """Bytes that a process may take now: what the machine has free, or less where a container is limited; None where nobody says."""
    free = _machine(meminfo)
    limit = _container(cgroup)
    known = [value for value in (free, limit) if value is not None]
    return min(known) if known else None


def _machine(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _container(cgroup: Path) -> int | None:
    try:
        limit = (cgroup / "memory.max").read_text("ascii").strip()
        used = int((cgroup / "memory.current").read_text("ascii"))
        held = dict(line.split() for line in (cgroup / "memory.stat").read_text("ascii").splitlines())
    except (OSError, ValueError):
        return None
    # What the kernel holds of files it gives back when it is asked for room.
    return None if limit == "max" else max(0, int(limit) - used + int(held.get("inactive_file", 0)))
