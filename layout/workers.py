"""Work spread over processes of this machine or over a Dask cluster, through joblib: answers come in order, whoever gave them.

What is spread must be cut without a look at how many work on it, and then its answers are the same bits for any number of workers.
"""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from functools import partial
from importlib import metadata
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor

from corpus.errors import BadSetting
from layout.lineage import code

T = TypeVar("T")

_CONNECTING: Final = 5
"""Seconds for a scheduler to answer."""
_SILENT: Final = 180.0
"""Seconds without an answer from a cluster from which on it is taken for gone: joblib waits forever for a task that Dask gave up."""
_LIBRARIES: Final = ("faiss-cpu", "joblib", "numba", "numpy", "pyarrow", "scipy")
"""What the functions that are spread are made of."""


class Spread(Protocol):
    """Calls `function(*item, *shared)` for each item; yields the answers in the order of the items, which are taken as needed.

    Arguments are arrays, tuples, texts and numbers.
    """

    def __call__(self, function: Callable[..., T], items: Iterable[tuple[Any, ...]], *shared: object) -> Iterator[T]:
        """Raise `WorkersLost`, or what the function raises."""
        ...


class WorkersLost(Exception):
    """Processes that worked for us ended, or a cluster fell silent."""


def here(function: Callable[..., T], items: Iterable[tuple[Any, ...]], *shared: object) -> Iterator[T]:
    """Call the function in this process; a `Spread`."""
    return (function(*item, *shared) for item in items)


@contextmanager
def crew(workers: int, cluster: str | None = None, silent: float = _SILENT) -> Iterator[Spread]:
    """What spreads work over `workers` processes (one: this process), or over the cluster whose scheduler has the address `cluster`.

    Raises `BadSetting` where the cluster cannot be used. `silent` is how many seconds it may take over one answer.
    """
    if cluster is not None:
        with _client(cluster) as client:
            yield partial(
                _on_cluster, client, f"the cluster at {cluster} has lost its workers or its scheduler", silent
            )
    elif workers > 1:
        watch = {"initializer": _end_with, "initargs": (os.getpid(),)}
        with parallel_config(backend="loky", inner_max_num_threads=1, **watch):
            try:
                yield partial(_spread, "a process ended; it may have run out of memory", workers, None)
            finally:
                get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)
    else:
        yield here


def _on_cluster(
    client: Any,  # noqa: ANN401  Dask is not typed
    lost: str,
    silent: float,
    function: Callable[..., T],
    items: Iterable[tuple[Any, ...]],
    *shared: object,
) -> Iterator[T]:
    """Give every worker what is shared, and each task its item: what joblib gives to one worker is lost with it."""
    arrays = [one for one in shared if isinstance(one, np.ndarray)]
    with parallel_config(backend="dask", client=client, scatter=arrays):
        calls = ((partial(function, *item),) for item in items)
        yield from _spread(lost, -1, silent, _call, calls, *shared)


def _call(function: Callable[..., T], *shared: object) -> T:
    return function(*shared)


def _spread(
    lost: str,
    jobs: int,
    patience: float | None,
    function: Callable[..., T],
    items: Iterable[tuple[Any, ...]],
    *shared: object,
) -> Iterator[T]:
    if any(isinstance(one, set | frozenset | dict) for one in shared):
        raise TypeError("joblib hands a set or dictionary to Dask member by member, and the function gets none of them")
    calls = (delayed(function)(*item, *shared) for item in items)
    # Arrays go through pipes: a container's /dev/shm, in which joblib would put them, is small.
    answers = Parallel(n_jobs=jobs, return_as="generator", batch_size=1, timeout=patience, max_nbytes=None)(calls)
    try:
        yield from answers
    except (BrokenExecutor, CancelledError, OSError, multiprocessing.TimeoutError) as error:
        raise WorkersLost(lost) from error


def _end_with(parent: int) -> None:
    """Let this process end soon after the one that began it: one that was killed cannot tell its workers."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A client of the cluster."""
    try:
        distributed, dask = importlib.import_module("distributed"), importlib.import_module("dask")
    except ImportError as error:
        raise BadSetting("layout.cluster: Dask is missing; install `paperatlas[dask]`") from error
    try:
        asyncio.run(asyncio.wait_for(_greet(distributed, address), _CONNECTING))
        client = distributed.Client(address, timeout=_CONNECTING, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:  # of them, TypeError: tls without certificates
        reason = str(error) or "it is silent"
        raise BadSetting(f"layout.cluster: no Dask scheduler answers at {address}: {reason}") from error
    # Its word of warning is for graphs of many tasks: ours hold what they are to work on, some megabytes each.
    with client, dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
        _need_our_code(client, address)
        yield client


async def _greet(distributed: Any, address: str) -> None:  # noqa: ANN401  Dask is not typed
    """Exchange greetings: a client would wait for those of a silent peer for ever."""
    security = distributed.Security().get_connection_args("client")
    peer = await distributed.comm.connect(address, timeout=_CONNECTING - 1, **security)
    await peer.close()


def _need_our_code(client: Any, address: str) -> None:  # noqa: ANN401
    ours = means()
    try:
        at_scheduler = client.run_on_scheduler(means)
        at_workers = client.run(means, on_error="return")
    except OSError as error:
        raise WorkersLost(f"the scheduler at {address} has gone: {error}") from error
    except Exception as error:
        raise BadSetting(f"layout.cluster: {address} does not run this version of Paper Atlas ({error})") from error
    if not at_workers:
        raise BadSetting(f"layout.cluster: {address} has no workers; start some with `dask worker {address}`")
    others = [(where, held) for where, held in {"its scheduler": at_scheduler, **at_workers}.items() if held != ours]
    if others:
        where, held = others[0]
        raise BadSetting(f"layout.cluster: {address} does not run what runs here ({ours}); {where} says {held}")


def means() -> str:
    """What decides an answer beside the question: versions, and a digest of our code."""
    libraries = (f"{name} {metadata.version(name)}" for name in _LIBRARIES)
    return ", ".join([f"code {code()[:12]}", f"Python {sys.version_info.major}.{sys.version_info.minor}", *libraries])
