"""The columns of a build's papers, read once into Arrow arrays and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from corpus.build import PAPERS, SCHEMA, Manifest
from corpus.errors import BrokenBuild

CELLS: Final = tuple(name for name in SCHEMA.names if name not in {"n", "evidence"})
"""Columns that make up an entry; `n` is the row and evidence is decoded on demand."""


def read_columns(path: Path, manifest: Manifest) -> dict[str, Any]:
    """Read `papers.parquet` of the build at `path`: one Arrow array a column, row i is the paper numbered i.

    Raises `BrokenBuild` where the columns or the rows are not those that the manifest speaks of.
    """
    table = pq.read_table(path / PAPERS)
    if not table.schema.equals(SCHEMA):
        raise BrokenBuild(f"{path / PAPERS} has not the columns of this version; run `paperatlas layout` again")
    dense = np.arange(manifest.papers, dtype=np.int32)
    if not np.array_equal(table.column("n").to_numpy(), dense):
        raise BrokenBuild(
            f"{path / PAPERS} does not hold papers 0..{manifest.papers - 1}; run `paperatlas layout` again"
        )
    return {name: _one(table.column(name)) for name in table.column_names}


def index(ids: Any) -> tuple[Any, NDArray[np.int64]]:  # noqa: ANN401  Arrow has no types
    """Sort all identifiers: (Arrow strings, row of each). Arrow and Python both order strings by code point."""
    keys, rows = ids.flatten(), pc.list_parent_indices(ids)
    order = pc.sort_indices(keys)
    return keys.take(order), rows.take(order).to_numpy().astype(np.int64)


def numbers(column: Any) -> NDArray[np.float32]:  # noqa: ANN401  Arrow has no types
    """Return the known, finite values of a float column."""
    values: NDArray[np.float32] = column.drop_null().to_numpy(zero_copy_only=False)
    return values[np.isfinite(values)]


def finite(value: float | None) -> float | None:
    """Return a float32 with the eight decimals that matter in [0, 1]; what is not finite is no number."""
    return None if value is None or not np.isfinite(value) else round(value, 8)


def _one(column: Any) -> Any:  # noqa: ANN401  Arrow has no types
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
