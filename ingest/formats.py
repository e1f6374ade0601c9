"""The formats there are, and how a file's is told from its content. A new one is one new module, and its name in `READERS`."""

from __future__ import annotations

from typing import Final

from corpus.errors import UnknownFormat
from ingest import openalex, openalex_csv, papers
from ingest.json_items import items
from ingest.json_value import Item
from ingest.opening import Opened, open_file
from ingest.records import SAMPLE_BYTES, Reader, Sample

READERS: Final[tuple[Reader, ...]] = (papers, openalex, openalex_csv)
"""In the order in which they are asked."""
_OBJECTS: Final = 20
"""JSON values looked at before a file is given up: bad ones may stand first."""

_PACKED: Final = (
    (0, b"PK\x03\x04", "a ZIP archive or a spreadsheet"),
    (0, b"\xfd7zXZ\0", "packed by xz"),
    (0, b"BZh", "packed by bzip2"),
    (0, b"\x28\xb5\x2f\xfd", "packed by Zstandard"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (257, b"ustar", "a tar archive"),
)
"""How files that hold others begin: offset, bytes, name. Of these only gzip is read as it is."""


def reader_of(opened: Opened, format: str | None = None) -> Reader:
    """The reader for a file, or the one named. Raises `UnknownFormat` that says what was seen and what there is."""
    known = ", ".join(f"{reader.NAME} ({reader.TITLE})" for reader in READERS)
    if format is not None:
        for reader in READERS:
            if format == reader.NAME:
                return reader
        raise UnknownFormat(f"there is no format '{format}'; known are: {known}")
    sample = _sample(opened)
    for reader in READERS:
        if reader.recognises(sample):
            return reader
    raise UnknownFormat(
        f"{opened.path} is in no known format: {_seen(sample)}; known are: {known}; name one with --format"
    )


def _sample(opened: Opened) -> Sample:
    with open_file(opened.path) as again:
        head = again.stream.read(SAMPLE_BYTES)
    if not head.lstrip().startswith((b"{", b"[")):
        return Sample(head)
    objects: list[dict[str, object]] = []
    with open_file(opened.path) as again:
        for _, item in zip(range(_OBJECTS), items(again), strict=False):
            if isinstance(item, Item) and isinstance(item.value, dict):
                objects.append(item.value)
    return Sample(head, tuple(objects))


def _seen(sample: Sample) -> str:
    if sample.objects:
        return f"JSON with the fields {_shown(', '.join(sorted(sample.objects[0])[:8]))}"
    for offset, mark, name in _PACKED:
        if sample.head[offset:].startswith(mark):
            return f"it is {name}: unpack it first (gzip may stay)"
    return f"it begins with '{_shown(sample.head[:60].decode('utf-8', 'replace'))}'"


def _shown(text: str) -> str:
    """What of a file's own text may go to a terminal."""
    return "".join(character for character in text[:200] if character.isprintable())
