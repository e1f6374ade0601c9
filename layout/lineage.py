"""What a map was made from, so that the same again need not be made again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

import layout
from corpus import build
from corpus.build import Manifest
from corpus.reasons import POLICY_VERSION
from layout.arrays import Corpus
from layout.carried_vectors import fingerprint
from layout.parameters import Parameters
from layout.previous import Previous

Value = str | int | float | bool | None
LIBRARIES: Final = ("faiss-cpu", "igraph", "numba", "numpy", "openTSNE", "protobuf", "pyarrow", "scikit-learn", "scipy")
"""Whose versions a map depends on; umap-learn joins them when it is the engine."""
_APART: Final = frozenset({"threads", "cluster", "policy", "seed", "start"})
"""Parameters that stand elsewhere in a manifest, or do not decide anything."""
_SERVED_BY: Final = {"scratch": ("scratch",), "refit": ("scratch", "refit"), "add": ("scratch", "refit", "add")}
"""By what is wanted: the starts of a map that stands which is as good."""
_CHUNK: Final = 10_000


def versions(parameters: Parameters) -> dict[str, str]:
    """Versions of the libraries that a map depends on."""
    names = [*LIBRARIES, *(["umap-learn"] if parameters.engine == "umap" else [])]
    return {name: metadata.version(name) for name in names}


def lineage(
    read: Corpus, parameters: Parameters, previous: Previous | None, names: Mapping[str, str]
) -> dict[str, Value]:
    """`parameters` of a manifest: every number that decides the map, and digests of the corpus, the code and the map before.

    Raises `BadSetting` where a file of vectors cannot be read.
    """
    kept: dict[str, Value] = {name: value for name, value in _numbers(parameters) if name not in _APART}
    kept["start"], kept["vectors"] = parameters.start, fingerprint(parameters.vectors)
    kept["previous"] = previous.manifest.hash if previous is not None else None
    kept["corpus"], kept["code"] = digest(read), code()
    kept["names"] = hashlib.sha256(msgspec.json.encode(names, order="sorted")).hexdigest() if names else None
    return kept


def is_same_again(manifest: Manifest, parameters: Parameters, made_from: Mapping[str, Value]) -> bool:
    """Whether the map that stands was made from this very corpus by these very means, so that nobody needs to move.

    One that was begun from scratch serves a wish for that, and for a refit; one that was refitted, for a refit; any, for adding what is
    new, which is nothing. The names that an operator gave may differ.
    """
    if manifest.parameters.get("start") not in _SERVED_BY[parameters.start]:
        return False
    apart = ("start", "previous", "names")
    one, other = (
        {name: value for name, value in held.items() if name not in apart} for held in (manifest.parameters, made_from)
    )
    means = (manifest.policy, manifest.policy_version, manifest.seed, dict(manifest.libraries))
    return one == other and means == (parameters.policy.value, POLICY_VERSION, parameters.seed, versions(parameters))


def digest(read: Corpus) -> str:
    """sha256 over everything of a corpus that a layout looks at."""
    whole = hashlib.sha256()
    for field in fields(read):
        whole.update(field.name.encode())
        for part in _parts(getattr(read, field.name)):
            whole.update(part)
    return whole.hexdigest()


@cache
def code() -> str:
    """sha256 over the code that makes a map: a new version of it makes another, even under the same number."""
    whole = hashlib.sha256()
    folder = Path(layout.__path__[0])
    for file in [*sorted(folder.rglob("*.py")), Path(build.__file__)]:
        whole.update(f"{file.name}\n".encode())
        whole.update(file.read_bytes())
    return whole.hexdigest()


def _numbers(parameters: Parameters) -> Iterator[tuple[str, Value]]:
    for field in fields(parameters):
        yield field.name, getattr(parameters, field.name)


def _parts(value: Any) -> Iterator[bytes]:  # noqa: ANN401  any column of a corpus
    if isinstance(value, np.ndarray):
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, Sequence):
        for start in range(0, len(value), _CHUNK):
            yield msgspec.json.encode(value[start : start + _CHUNK])
    else:
        yield msgspec.json.encode(value)
