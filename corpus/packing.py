"""A paper as a store keeps it whole: compressed JSON, the same bytes for the same paper in every store."""

from __future__ import annotations

import zlib
from typing import Final

import msgspec

from corpus.model import Paper

_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
_DECODER: Final = msgspec.json.Decoder(Paper)
_LEVEL: Final = 3
"""Of zlib: a third larger than the best, in a fifth of its time."""


def pack(paper: Paper) -> bytes:
    """The paper as a blob. Raises `UnicodeEncodeError` where its text is no text."""
    return zlib.compress(_ENCODER.encode(paper), _LEVEL)


def unpack(blob: bytes) -> Paper:
    """The paper out of its blob."""
    return _DECODER.decode(zlib.decompress(blob))


def holds(blob: bytes, paper: Paper) -> bool:
    """Whether the blob is of just this paper."""
    return zlib.decompress(blob) == _ENCODER.encode(paper)
