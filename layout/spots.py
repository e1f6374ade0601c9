"""No two papers on one spot: each can be seen and clicked."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

APART: Final = 2e-4
"""Map units between papers that would stand on one spot."""
_TURN: Final = np.pi * (3 - np.sqrt(5))
"""The golden angle: each next paper of a spiral falls into the widest gap (Vogel 1979)."""
_ROUNDS: Final = 4


def spread(xy: NDArray[np.float32], standing: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
    """Move papers that share a spot apart: the first stays, the others follow a sunflower's spiral around it.

    float32 (n, 2) finite, in [0, 1]. `standing`, bool (n,), are papers that stay in any case; they must share no spot among themselves.
    """
    stands = np.zeros(len(xy), bool) if standing is None else standing
    for _ in range(_ROUNDS):
        _, which, times = np.unique(xy, axis=0, return_inverse=True, return_counts=True)
        which = which.ravel()
        if times.max(initial=1) == 1:
            break
        order = np.lexsort((~stands, which))
        begins = np.concatenate([[0], np.cumsum(times)[:-1]])
        turn = np.empty(len(xy), np.int64)
        turn[order] = np.arange(len(xy)) - np.repeat(begins, times)
        angle, radius = turn * _TURN, APART * np.sqrt(turn)
        moved = np.clip(xy + np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1), 0, 1)
        xy = np.where(turn[:, None] > 0, moved, xy).astype(np.float32)
    return xy
