"""A program starts anew with BLAS on one thread, as the layout process has it: sums of another order differ in the last bit."""

from __future__ import annotations

import os
import sys
from typing import Final

_ONE: Final = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


def with_one_blas_thread() -> None:
    """Go on in a process in which the same figures come out every time; returns at once where this is one."""
    wanted = _ONE | {"PYTHONHASHSEED": "0"}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | wanted)  # noqa: S606  ourselves
