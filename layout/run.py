"""Lay out the corpus in a process of its own, and watch over it."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import msgspec

from corpus.access import Access
from corpus.build import Manifest, current
from corpus.errors import LayoutFailed, StoreBusy, StoreError
from layout.messages import Done, Failed, Job, Progress, Word
from layout.parameters import Parameters

_TAIL: Final = 4_000
"""Characters of the process's last words that are looked at."""
_FAREWELL: Final = 5.0
"""Seconds for the process to end after its last word."""

WORKER: Final = (sys.executable, "-P", "-m", "layout.worker")


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a layout is."""

    name: str
    done: float | None
    """Share of the stage that is done, None where it cannot be told."""


def lay_out(
    data: Path,
    store_url: str,
    parameters: Parameters,
    *,
    access: Access | None = None,
    memory: int | None = None,
    progress: Callable[[Stage], None] = lambda _: None,
    command: Sequence[str] = WORKER,
) -> Manifest:
    """Lay out the corpus of a data directory and make the new map current.

    Raises `LayoutFailed` with the stage and the cause when the process ends without a build; the old map stays then. Raises
    `StoreBusy` while another layout of the same directory runs, and `StoreError` where the map is made but the store did not take
    its verdicts. `access` is what a database server asks for; `memory` are the bytes that the layout may take, None for what is free;
    `command` is the process that does the work.
    """
    with _alone(data), tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603  our own interpreter and module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=os.environ | _threads(parameters.threads) | _here(),
        )
        try:
            return _follow(process, Job(str(data), store_url, parameters, access, memory), progress, errors)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()


def _follow(
    process: subprocess.Popen[bytes], job: Job, progress: Callable[[Stage], None], errors: IO[bytes]
) -> Manifest:
    stage = "start"
    assert process.stdin is not None  # noqa: S101  for the type checker
    assert process.stdout is not None  # noqa: S101
    with suppress(BrokenPipeError):  # it died at once: why is told below
        process.stdin.write(msgspec.json.encode(job))
        process.stdin.close()
    for line in process.stdout:
        try:
            word = msgspec.json.decode(line, type=Word)
        except (msgspec.DecodeError, UnicodeDecodeError):  # a native library's own words
            errors.write(line)
            continue
        if isinstance(word, Progress):
            stage = word.stage
            progress(Stage(word.stage, word.done))
        elif isinstance(word, Failed):
            raise LayoutFailed(stage, word.cause, standing=current(Path(job.data)) is not None)
        elif isinstance(word, Done):
            with suppress(subprocess.TimeoutExpired):  # a plug-in may have left a thread behind that never ends
                process.wait(_FAREWELL)
            if word.unmirrored is not None:
                raise StoreError(
                    f"the map is made and current, but the store did not take its verdicts: {word.unmirrored}; "
                    "run `paperatlas layout` again"
                )
            return word.manifest
    raise LayoutFailed(stage, _cause(process.wait(), errors), standing=current(Path(job.data)) is not None)


def _cause(code: int, errors: IO[bytes]) -> str:
    """Say why the process ended: its last line, or the signal that ended it."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _TAIL))
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    last = lines[-1].strip() if lines else ""
    if code < 0:
        name = signal.Signals(-code).name
        memory = "; it may have run out of memory" if name == "SIGKILL" else ""
        return f"the process was ended by {name}{memory}{f' ({last})' if last else ''}"
    return last or f"the process ended with code {code}"


def _here() -> dict[str, str]:
    """Let the process find this very code, and nothing in the working directory, wherever it is started."""
    root = str(Path(__file__).resolve().parents[1])
    return {"PYTHONPATH": os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH")) if part)}


def _threads(threads: int) -> dict[str, str]:
    """BLAS on one thread: sums of another order differ in the last bit. The kernel's threads do not.

    They sleep while they wait: by default they wait in a loop, which takes as much of the processors again as the work, from whoever
    else needs them.
    """
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
    return one | {"NUMBA_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE", "PYTHONHASHSEED": "0"}


@contextmanager
def _alone(data: Path) -> Iterator[None]:
    """Hold the layout lock of a data directory; the kernel lets go of it when we die."""
    (data / "builds").mkdir(parents=True, exist_ok=True)
    with (data / "layout.lock").open("a+", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            handle.seek(0)
            raise StoreBusy(
                f"process {handle.read().strip() or '?'} is laying out {data}; wait for it to end"
            ) from error
        handle.truncate(0)
        handle.write(str(os.getpid()))
        handle.flush()
        yield
