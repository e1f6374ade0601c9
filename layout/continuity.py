"""Regions that were there before keep their key and their name: matched by the papers that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from corpus.build import Region
from layout.regions import region_key

Ints = NDArray[np.int64]
SAME: Final = 0.5
"""Shared papers over papers of either (Jaccard) from which on a region is the one it was: no other can share as much."""


@dataclass(frozen=True, slots=True)
class Named:
    """What each region of one level is known by."""

    keys: list[str]
    kept: list[str | None]
    """The name that it had, None for a region that is new."""


def known_by(levels: Sequence[Ints], before: Sequence[str | None], regions: Sequence[Region]) -> list[Named]:
    """Keys and former names of the regions of each level.

    `levels` are int64 (k,) each, `before` has the deepest former region of each of these k papers, None where it had none; `regions`
    are the former ones. Papers that are new have no say. Keys of regions that ended are not given to new ones of this map.
    """
    former = {region.key: region for region in regions}
    named = []
    for depth, level in enumerate(levels):
        names = [region for region in regions if region.level == depth]
        at = {region.key: index for index, region in enumerate(names)}
        was = np.array([at.get(_ancestor(key, depth, former) or "", -1) for key in before], np.int64)
        count = int(level.max(initial=-1)) + 1
        keys: list[str | None] = [None] * count
        kept: list[str | None] = [None] * count
        for new, old in _same(level, was, count, len(names)):
            keys[new], kept[new] = names[old].key, names[old].name
        named.append(Named(_filled(keys, depth, {region.key for region in names}), kept))
    return named


def _ancestor(key: str | None, depth: int, former: dict[str, Region]) -> str | None:
    region = former.get(key) if key else None
    while region is not None and region.level > depth:
        region = former.get(region.parent) if region.parent else None
    return region.key if region is not None and region.level == depth else None


def _same(level: Ints, was: Ints, news: int, olds: int) -> list[tuple[int, int]]:
    """Pairs (new, old) that share at least `SAME` of their papers, each region in one pair at most."""
    known = was >= 0
    if not known.any():
        return []
    ones = np.ones(int(known.sum()), np.int64)
    shared = sp.csr_matrix((ones, (level[known], was[known])), shape=(news, olds)).toarray()
    either = shared.sum(axis=1)[:, None] + shared.sum(axis=0)[None, :] - shared
    likeness = shared / np.maximum(either, 1)
    pairs = zip(*linear_sum_assignment(-likeness), strict=True)
    return [(int(new), int(old)) for new, old in pairs if likeness[new, old] >= SAME]


def _filled(keys: Sequence[str | None], depth: int, taken: set[str]) -> list[str]:
    """Give every region without a key the next free one."""
    free = (key for key in (region_key(depth, index) for index in range(len(keys) + len(taken))) if key not in taken)
    return [key or next(free) for key in keys]
