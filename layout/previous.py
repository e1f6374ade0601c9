"""The map that stands, as the next layout sees it: where papers were, and what their regions were called."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from corpus.build import PAPERS, Manifest, Region, current, read_manifest, read_regions, verify
from corpus.errors import BuildError
from layout.arrays import Corpus


@dataclass(frozen=True, slots=True)
class Previous:
    """The current build, told of the papers of a corpus that may have changed since."""

    manifest: Manifest
    xy: NDArray[np.float32]
    """(n, 2) map units; NaN for papers that are new or were not on that map."""
    keys: list[str | None]
    """n keys of the deepest region they were in."""
    regions: list[Region]
    table: pa.Table
    """id, ids, x, y, region and reason of its papers."""


def read_previous(data: Path, corpus: Corpus) -> Previous | None:
    """The current build of a data directory; None before the first layout, and where it is damaged: then a layout begins anew.

    A paper is known by any of its identifiers: one that was merged since, or has another address now, stays where it was. Where two
    that stood apart became one, the place of its address counts, else of the first identifier that had one.
    """
    path = current(data)
    if path is None:
        return None
    try:
        manifest = read_manifest(path)
        verify(path, manifest)
        regions = read_regions(path)
        table = pq.read_table(path / PAPERS, columns=["id", "ids", "x", "y", "region", "reason"])
    except (BuildError, OSError, pa.ArrowException, msgspec.DecodeError, ValueError):
        return None
    before = _before(table, corpus)
    there = before >= 0
    xy = np.full((corpus.n, 2), np.nan, np.float32)
    for axis, name in enumerate(("x", "y")):
        column = table[name].to_numpy().astype(np.float32)
        xy[there, axis] = column[before[there]]
    xy[~np.isfinite(xy).all(axis=1)] = np.nan
    region = table["region"].to_pylist()
    keys = [region[at] if at >= 0 else None for at in before.tolist()]
    return Previous(manifest, xy, keys, regions, table)


def _before(table: pa.Table, corpus: Corpus) -> NDArray[np.int64]:
    """The row of each paper in the build, int64 (n,); -1 where it has none."""
    rows: dict[str, int] = {}
    placed = table["x"].is_valid().to_pylist()
    for row, ids in enumerate(table["ids"].to_pylist()):
        for one in ids:
            rows.setdefault(one, row)
    before = np.full(corpus.n, -1, np.int64)
    for at, ids in enumerate(corpus.ids):
        found = [rows[one] for one in ids if one in rows]
        before[at] = next((row for row in found if placed[row]), found[0] if found else -1)
    return before
