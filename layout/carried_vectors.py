"""Vectors that the papers' source carries, such as SPECTER2 of Semantic Scholar, out of a file of JSON Lines.

A line is `{"id": "doi:10.1000/1", "vector": [0.1, ...]}`, or one of Semantic Scholar's bulk data set `embeddings-specter_v2`:
`{"corpusid": 1, "model": "specter_v2", "vector": "[0.1, ...]"}`. Such vectors have much in common (one coordinate of SPECTER2 is near
16 in every paper): their mean is taken away before angles are compared.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from corpus.errors import BadSetting
from corpus.identifiers import recognise
from layout.unit_rows import unit_rows

SCHEME: Final = "file:"
"""What `layout.vectors` begins with where a file holds them."""
LONGEST: Final = 1 << 20
"""Bytes of a line: more than 40,000 coordinates."""
DIMENSIONS: Final = 16_384
"""Coordinates of a vector at most."""
_GZIP: Final = b"\x1f\x8b"
_BLOCK: Final = 10_000
"""Papers whose vectors are turned at once."""
_RIDGE: Final = 1.0
"""Penalty of the regression that stands in for a missing vector; rows have length 1, so it is that of one paper."""

Floats = NDArray[np.float32]


class _Line(msgspec.Struct):
    vector: msgspec.Raw
    id: str | None = None
    corpusid: int | None = None
    model: str | None = None


def file_of(name: str) -> Path | None:
    """The file that a value of `layout.vectors` names; None for other values."""
    return Path(name.removeprefix(SCHEME)).expanduser() if name.startswith(SCHEME) else None


def fingerprint(name: str) -> str:
    """A value of `layout.vectors` as it decides a map: a file by its content, wherever it lies. Raises `BadSetting`."""
    file = file_of(name)
    if file is None:
        return name
    try:
        with file.open("rb") as handle:
            return f"{SCHEME}sha256:{hashlib.file_digest(handle, 'sha256').hexdigest()}"
    except OSError as error:
        raise BadSetting(f"layout.vectors: {file} cannot be read: {error.strerror}") from error


def look_at(file: Path) -> None:
    """Raise `BadSetting` where a file cannot be read, or its first line is no vector."""
    for at, line in _lines(file):
        where = f"{file}, line {at}"
        _vector(where, _line(where, line))
        return
    raise BadSetting(f"layout.vectors: {file} is empty")


def carried(file: Path, papers: Sequence[Sequence[str]], own: Floats, dimensions: int) -> Floats:
    """Unit vectors float32 (k, d) of k papers out of a file; their `own` ones (k, e) stand in where it has none.

    A paper without a usable text, a row of zeros in `own`, gets none. Raises `BadSetting` where the file has a vector of no other paper,
    and as `read_vectors` does.
    """
    worded: list[bool] = np.asarray(own.any(axis=1)).tolist()
    if not any(worded):
        return own
    rows, vectors = read_vectors(file, [ids if has else () for ids, has in zip(papers, worded, strict=True)])
    if not len(rows):
        raise BadSetting(
            f"layout.vectors: {file} has a vector of no paper on the map; are they known by other identifiers?"
        )
    return translated(own, rows, spread_out(vectors, dimensions))


def read_vectors(file: Path, papers: Sequence[Sequence[str]]) -> tuple[NDArray[np.int64], Floats]:
    """The papers that a file has a vector of, int64 (m,), ascending, and the vectors float32 (m, d).

    `papers` are the identifiers of k papers; of several lines about one the first counts, and lines about others are passed over.
    Raises `BadSetting` naming the file and the line for what is no vector, and for vectors of several lengths or models.
    """
    known = {one: at for at, ids in enumerate(papers) for one in ids}
    has = np.zeros(len(papers), bool)
    held = np.zeros((0, 1), np.float32)
    kind: tuple[int, str | None] | None = None
    for at, raw in _lines(file):
        where = f"{file}, line {at}"
        line = _line(where, raw)
        paper = _paper(where, line, known)
        if paper is None or has[paper]:
            continue
        vector = _vector(where, line)
        if kind is None:
            kind, held = (len(vector), line.model), np.zeros((len(papers), len(vector)), np.float32)
        elif kind != (len(vector), line.model):
            told, before = _kind(len(vector), line.model), _kind(*kind)
            raise BadSetting(
                f"layout.vectors: {where} is {told}, the lines before are {before}; keep those of one model"
            )
        held[paper], has[paper] = vector, True
    return np.flatnonzero(has), held if has.all() else held[has[: len(held)]]


def spread_out(vectors: Floats, dimensions: int) -> Floats:
    """Unit vectors float32 (m, at most `dimensions`): the mean taken away, the principal axes kept; zeros for the mean itself.

    Angles between vectors that all point one way tell little; without what they share they do (Mu, Viswanath 2018).
    """
    largest = float(np.abs(vectors).max(initial=0))
    scaled: Floats = vectors / np.float32(largest or 1)
    scaled -= scaled.mean(axis=0, dtype=np.float64).astype(np.float32)
    scaled[np.abs(scaled).max(axis=1, initial=0) < 1e-6] = 0  # what rounding leaves would be scaled up to a direction
    if scaled.shape[1] <= dimensions:
        return unit_rows(scaled)
    blocks = range(0, len(scaled), _BLOCK)
    moments = np.zeros((scaled.shape[1],) * 2)
    for at in blocks:
        block = scaled[at : at + _BLOCK].astype(np.float64)
        moments += block.T @ block
    axes = np.linalg.eigh(moments)[1][:, ::-1][:, :dimensions]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    kept = (axes * signs).astype(np.float32)
    return np.concatenate([unit_rows(scaled[at : at + _BLOCK] @ kept) for at in blocks])


def translated(own: Floats, rows: NDArray[np.int64], vectors: Floats) -> Floats:
    """Vectors float32 (k, d) for all of k papers: `vectors` (m, d) those of `rows`, and for others what their own (k, e) say.

    The others' come from a ridge regression of `vectors` on the own ones of the same papers, so that both kinds lie in one space; a
    row of zeros in `own` stays one where no vector is known.
    """
    known = own[rows].astype(np.float64)
    inner = known.T @ known + _RIDGE * np.eye(own.shape[1])
    ways = np.linalg.solve(inner, known.T @ vectors.astype(np.float64)).astype(np.float32)
    result = np.concatenate([unit_rows(own[at : at + _BLOCK] @ ways) for at in range(0, len(own), _BLOCK)])
    result[rows] = vectors
    return result


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line that is not blank."""
    try:
        with file.open("rb") as handle:
            packed = handle.read(2) == _GZIP
            handle.seek(0)
            opened: IO[bytes] = gzip.open(handle) if packed else handle  # type: ignore[assignment]  # noqa: SIM115
            at = 0
            while line := opened.readline(LONGEST + 1):
                at += 1
                if len(line) > LONGEST:
                    raise BadSetting(f"layout.vectors: {file}, line {at} is longer than {LONGEST:,} bytes")
                if line.strip():
                    yield at, line
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadSetting(f"layout.vectors: {file} cannot be read: {reason}") from error


def _line(where: str, line: bytes) -> _Line:
    try:
        return _LINE.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadSetting(
            f'layout.vectors: {where}: {error}; {{"id": "doi:10.1000/1", "vector": [0.1, ...]}} is needed'
        ) from error


def _paper(where: str, line: _Line, known: Mapping[str, int]) -> int | None:
    if line.id is None and line.corpusid is None:
        raise BadSetting(f"layout.vectors: {where} says no paper: id or corpusid is needed")
    text = line.id if line.id is not None else f"CorpusId:{line.corpusid}"
    at = known.get(text)
    if at is None and (identifier := recognise(text)) is not None:
        at = known.get(str(identifier))
    return at


def _vector(where: str, line: _Line) -> Floats:
    raw = bytes(line.vector)
    try:
        numbers = _NUMBERS.decode(_TEXT.decode(raw) if raw.startswith(b'"') else raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"layout.vectors: {where}: the vector is no list of numbers: {error}") from error
    with np.errstate(over="ignore"):
        vector = np.array(numbers, np.float64).astype(np.float32)
    if not 0 < len(vector) <= DIMENSIONS or not np.isfinite(vector).all():
        raise BadSetting(f"layout.vectors: {where}: 1 to {DIMENSIONS:,} finite numbers are needed")
    return vector


def _kind(dimensions: int, model: str | None) -> str:
    return f"of {dimensions} numbers" + (f" by {model}" if model else "")


_LINE: Final = msgspec.json.Decoder(_Line)
_NUMBERS: Final = msgspec.json.Decoder(list[float])
_TEXT: Final = msgspec.json.Decoder(str)
