"""The corpus as a file in the neutral format: one paper a line, in order of address; read again it gives the same corpus."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from corpus.errors import BadInput
from corpus.neutral import write
from corpus.store import Store


def export_papers(store: Store, file: Path) -> int:
    """Write every paper to `.jsonl` or `.jsonl.gz`; return how many. The file appears when it is whole. Raises `BadInput`."""
    if not file.name.lower().endswith((".jsonl", ".jsonl.gz")):
        raise BadInput(f"{file}: papers are written as .jsonl or .jsonl.gz")
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    count = 0
    try:
        with _written(beside, packed=file.name.lower().endswith(".gz")) as out:
            for stored in store.stream():
                out.write(msgspec.json.encode(write(stored.paper)) + b"\n")
                count += 1
        beside.replace(file)
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)
    return count


@contextmanager
def _written(path: Path, *, packed: bool) -> Iterator[IO[bytes]]:
    with path.open("wb") as file:
        if packed:
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as out:
                yield out  # type: ignore[misc]
        else:
            yield file
        file.flush()
        os.fsync(file.fileno())
