"""Which process holds something, so that another one, even on another machine, can tell whether it is still there."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Holder:
    """A process on a machine since its start."""

    host: str
    boot: str
    """Which start of the machine, and after a `/` which of its spaces of process numbers; empty where it cannot be told."""
    pid: int
    born: str
    """When the process was started, in ticks since then; empty where it cannot be told."""

    @classmethod
    def here(cls) -> Holder:
        """Name the process that asks."""
        return cls.of(os.getpid())

    @classmethod
    def of(cls, pid: int) -> Holder:
        """Name a process of this machine."""
        return cls(socket.gethostname(), _boot(), pid, _born(pid))

    def is_gone(self) -> bool:
        """Whether it has certainly ended; of a process on another machine that cannot be told, nor of one in another container.

        Containers may share the name and the start of their machine, but not the numbers of their processes.
        """
        here = Holder.here()
        if self.host != here.host:
            return False
        return self.start != here.start or (self.boot == here.boot and self.has_ended())

    def has_ended(self) -> bool:
        """Whether a process that is known to be of this machine has ended.

        The host name says nothing here: it may change while a process runs, and its number be another's afterwards.
        """
        here = Holder.here()
        if self.start != here.start:
            return True
        if self.born:
            return _born(self.pid) != self.born
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    @property
    def start(self) -> str:
        """Which start of the machine."""
        return self.boot.partition("/")[0]

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def _boot() -> str:
    file = Path("/proc/sys/kernel/random/boot_id")
    if not file.is_file():
        return ""
    try:
        space = str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    except OSError:  # a system that hides it: its processes are told apart by name and start alone
        space = ""
    return f"{file.read_text('ascii').strip()}/{space}"


def _born(pid: int) -> str:
    """Field 22 of /proc/PID/stat, or nothing where there is no such process or no such file system."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]
