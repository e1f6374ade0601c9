"""What a stage gave, kept on disk until the map is published: a layout that was interrupted goes on where it stopped."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

FOLDER: Final = ".stages"
"""Beside the builds of a data directory."""
LARGE: Final = 20_000
"""Papers from which on a layout takes long enough to keep what it has."""

Arrays = tuple[NDArray[Any], ...]


def key_of(made_from: Mapping[str, object], papers: int) -> str:
    """Names what a layout is made from: the same key, the same stages, the same results."""
    return hashlib.sha256(msgspec.json.encode([made_from, papers], order="sorted")).hexdigest()[:32]


def _digest(file: Path) -> bytes:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").digest()


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The kept results of one layout. Without a folder nothing is kept."""

    folder: Path | None = None

    @classmethod
    def of(cls, data: Path, key: str) -> Checkpoints:
        """Those of a layout of a data directory; what another layout left behind is removed."""
        kept = data / "builds" / FOLDER
        for other in kept.glob("*") if kept.is_dir() else ():
            if other.name != key:
                shutil.rmtree(other, ignore_errors=True)
        (kept / key).mkdir(parents=True, exist_ok=True)
        return cls(kept / key)

    def arrays(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of a stage: those that are kept, else made now and kept. A damaged file is as if there were none."""
        if self.folder is None:
            return make()
        file, seal = self.folder / f"{name}.npz", self.folder / f"{name}.sha256"
        if seal.is_file() and file.is_file() and seal.read_bytes() == _digest(file):
            with file.open("rb") as handle, np.load(handle, allow_pickle=False) as held:
                return tuple(held[f"arr_{at}"] for at in range(len(held.files)))
        seal.unlink(missing_ok=True)
        made = make()
        beside = file.with_suffix(".tmp")
        with beside.open("wb") as writing:
            np.savez(writing, *made)
            writing.flush()
            os.fsync(writing.fileno())
        beside.replace(file)
        seal.write_bytes(_digest(file))
        return made

    def matrix(self, name: str, make: Callable[[], sp.csr_matrix]) -> sp.csr_matrix:
        """The same for a sparse matrix."""

        def parts() -> Arrays:
            matrix = make().tocsr()
            return matrix.data, matrix.indices, matrix.indptr, np.array(matrix.shape, np.int64)

        data, indices, indptr, shape = self.arrays(name, parts)
        return sp.csr_matrix((data, indices, indptr), shape=tuple(shape.tolist()))

    def done(self) -> None:
        """Remove what was kept: the map is published."""
        if self.folder is not None:
            shutil.rmtree(self.folder.parent, ignore_errors=True)
