"""Seconds and peak memory by stage of this process."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")
_FORGET: Final = Path("/proc/self/clear_refs")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a stage took."""

    cpu: float
    """Seconds of the processor, all threads, and processes that were begun and ended."""
    wall: float
    megabytes: float
    """Most resident memory while it ran, what was there before included."""


@dataclass(slots=True)
class Stopwatch:
    """Measures one stage after another."""

    stages: dict[str, Spent] = field(default_factory=dict)
    tell: Callable[[str, Spent], None] = lambda _name, _spent: None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure what is done inside."""
        _forget_peak()
        wall, cpu = time.monotonic(), _processor()
        yield
        self.stages[name] = Spent(_processor() - cpu, time.monotonic() - wall, _peak())
        self.tell(name, self.stages[name])


def _processor() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _forget_peak() -> None:
    """Linux begins to look for the peak anew when 5 is written there; where it may not, peaks are those since the start."""
    try:
        _FORGET.write_text("5")
    except OSError:
        return


def _peak() -> float:
    """Megabytes."""
    try:
        lines = _STATUS.read_text("ascii").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
