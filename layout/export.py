"""The map as a table for other tools: one row a paper, in order of address."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from corpus.build import PAPERS, current, read_manifest, verify
from corpus.errors import BadInput, NoBuild

COLUMNS: Final = ("id", "title", "year", "x", "y", "region", "citations", "reason")
"""x, y are empty where unplaced, reason is empty where placed."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Cells that a spreadsheet would run; they get an apostrophe in front in CSV."""


def export_map(data: Path, file: Path) -> int:
    """Write the current map to `.csv`, `.jsonl` or `.parquet`; return the rows. Raises `NoBuild`, `BadInput`."""
    writers = {".csv": _write_csv, ".jsonl": _write_lines, ".parquet": _write_parquet}
    if file.suffix.lower() not in writers:
        raise BadInput(f"{file}: the ending says the format; use .csv, .jsonl or .parquet")
    table = _table(data).select(list(COLUMNS))
    _replace(file, table, writers[file.suffix.lower()])
    return int(table.num_rows)


def export_verdicts(data: Path, file: Path) -> int:
    """Write each paper's verdict with its evidence as JSON lines; return the rows. Raises `NoBuild`, `BadInput`."""
    if not file.name.lower().endswith((".jsonl", ".jsonl.gz")):
        raise BadInput(f"{file}: verdicts are written as .jsonl or .jsonl.gz")
    table = _table(data).select(["id", "x", "y", "region", "signals", "confidence", "marks", "reason", "evidence"])
    _replace(file, table, _write_packed_verdicts if file.name.lower().endswith(".gz") else _write_verdicts)
    return int(table.num_rows)


def _table(data: Path) -> pa.Table:
    place = current(data)
    if place is None:
        raise NoBuild("no map has been laid out yet; run `paperatlas layout`")
    verify(place, read_manifest(place))
    return pq.read_table(place / PAPERS)


def _replace(file: Path, table: pa.Table, write: Any) -> None:  # noqa: ANN401  one of the writers below
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        write(table, beside)
        beside.replace(file)
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _write_csv(table: pa.Table, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in _rows(table):
            writer.writerow([_cell(row[name]) for name in COLUMNS])


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _write_lines(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in _rows(table))


def _write_verdicts(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file:
        file.writelines(_verdict_lines(table))


def _write_packed_verdicts(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        packed.writelines(_verdict_lines(table))


def _verdict_lines(table: pa.Table) -> Iterator[bytes]:
    for row in _rows(table):
        yield msgspec.json.encode({**row, "evidence": msgspec.Raw(row["evidence"].encode())}) + b"\n"


def _write_parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, compression="zstd")
