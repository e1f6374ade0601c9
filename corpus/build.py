"""The format of a map build: a directory named by its content, immutable once published.

builds/<hash>/manifest.json   formats, seed, parameters, versions, counts, data date, sha256 per file, quality
builds/<hash>/papers.parquet  one row a paper in order of address: `SCHEMA`
builds/<hash>/regions.json    list of `Region`
builds/<hash>/tiles.pmtiles   Mapbox Vector Tiles
current -> builds/<hash>      replaced by one atomic rename
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
import pyarrow as pa

from corpus.errors import BooksDoNotBalance, BrokenBuild, BuildError, NoBuild

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
PAPERS: Final = "papers.parquet"
REGIONS: Final = "regions.json"
TILES: Final = "tiles.pmtiles"
FILES: Final = (PAPERS, REGIONS, TILES)

SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),  # address; rows are in its order
        pa.field("n", pa.int32(), nullable=False),  # dense, 0..papers-1, the feature id in tiles
        pa.field("ids", pa.list_(pa.string()), nullable=False),  # every identifier
        pa.field("title", pa.string()),
        pa.field("year", pa.int16()),
        pa.field("area", pa.int16(), nullable=False),  # index into manifest.areas
        pa.field("citations", pa.int32(), nullable=False),  # citing papers of the corpus
        pa.field("x", pa.float32()),  # map units, null where unplaced
        pa.field("y", pa.float32()),  # downwards
        pa.field("minzoom", pa.int8()),  # first zoom at which the tiles hold it; null where unplaced
        pa.field("region", pa.string()),  # key of its deepest region
        pa.field("signals", pa.string()),  # text+citations | text+references | text | citations | references
        pa.field("confidence", pa.float32()),  # [0, 1]: mean similarity to the five nearest; null where unplaced
        pa.field("marks", pa.list_(pa.string()), nullable=False),  # corpus.reasons.Mark
        pa.field("reason", pa.string()),  # the binding reason; null where placed
        pa.field("evidence", pa.string(), nullable=False),  # JSON: `Evidence`
    ]
)


class Region(msgspec.Struct, frozen=True):
    """A named part of the map."""

    key: str
    """Unique in a build, such as `1-07`; the first figure is the level."""
    name: str
    level: int
    """0 is the coarsest."""
    parent: str | None
    x: float
    y: float
    """Label point, map units."""
    papers: int
    automatic: str | None = None
    """The name that it has of itself, where an operator gave it another."""


class Hint(msgspec.Struct, frozen=True):
    """Where an unplaced paper's neighbours are. Evidence, not a position."""

    region: str
    """Region key."""
    name: str
    source: str = msgspec.field(name="from")
    """`citers` or `references`."""
    count: int = 0
    """Neighbours in that region."""
    total: int = 0
    """Neighbours on the map."""


class Evidence(msgspec.Struct, frozen=True, omit_defaults=False):
    """The counts behind a verdict. None is unknown, never 0."""

    references_declared: int | None
    references_parsed: int | None
    references_resolved: int | None
    references_in_corpus: int | None
    references_on_map: int | None
    references_shared: int | None
    """Cited works that are not on the map and that another candidate for the map cites too."""
    citers_in_corpus: int
    citers_on_map: int
    abstract_characters: int | None
    """None where no abstract was ever obtained."""
    text: str
    """`usable`, or why not: `none`, `too_short`, `other_language`, `boilerplate`."""
    known_terms: int
    """Distinct terms of title and abstract that the corpus's vocabulary knows."""
    language: str | None
    status: str
    reasons: tuple[str, ...]
    """Binding reason first, then contributing ones; empty where placed."""
    passed: tuple[str, ...]
    """Tests that it passes: `reference_list`, `links`, `shared_references`, `text`."""
    hint: Hint | None = None
    thresholds: Mapping[str, float] = {}
    """Limits that the tests used, by name."""


class FileFacts(msgspec.Struct, frozen=True):
    """What a file of the build must look like."""

    sha256: str
    bytes: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a build says of itself."""

    format: int = FORMAT
    hash: str = ""
    made_at: str = ""
    """ISO 8601, UTC; not part of the hash."""
    seconds: Mapping[str, float] = {}
    """Wall time by stage; not part of the hash."""
    data_date: str | None
    policy: str
    policy_version: str
    seed: int
    parameters: Mapping[str, str | int | float | bool | None]
    libraries: Mapping[str, str]
    papers: int
    placed: int
    unplaced: Mapping[str, int]
    """By binding reason."""
    areas: tuple[str, ...]
    """Area names by index, most papers first; the last one is `other` or `unknown`."""
    minzoom: int
    maxzoom: int
    quality: Mapping[str, float | int | None]
    files: Mapping[str, FileFacts]


def _digest(manifest: Manifest) -> str:
    bare = msgspec.structs.replace(manifest, hash="", made_at="", seconds={})
    return hashlib.sha256(msgspec.json.encode(bare, order="sorted")).hexdigest()


def _facts(path: Path) -> FileFacts:
    with path.open("rb") as file:
        return FileFacts(hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(slots=True)
class Workshop:
    """A directory in which a build is made; `publish` moves it to its place and makes it current.

    Readers see the old build or the new one, never a mix: the manifest is written last, the directory
    is renamed when all is fsynced, and `current` is replaced by a rename.
    """

    data: Path
    """The data directory."""
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        self.path = self.data / "builds" / f".making-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self.path.mkdir(parents=True)

    def publish(self, manifest: Manifest) -> str:
        """Finish the build and make it current; return its hash. `manifest.files` and `.hash` are filled here."""
        if manifest.papers != manifest.placed + sum(manifest.unplaced.values()):
            raise BooksDoNotBalance(
                f"{manifest.papers} papers, but {manifest.placed} placed and {sum(manifest.unplaced.values())} unplaced"
            )
        manifest = msgspec.structs.replace(manifest, files={name: _facts(self.path / name) for name in FILES})
        digest = _digest(manifest)
        manifest = msgspec.structs.replace(manifest, hash=digest)
        (self.path / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest, order="sorted")))
        for name in (*FILES, MANIFEST):
            _fsync(self.path / name)
        _fsync(self.path)
        place = self.data / "builds" / digest
        if _is_sound(place):  # the same map again: keep the one that readers may hold open
            shutil.rmtree(self.path)
        else:
            self._replace(place)
        _fsync(place.parent)
        make_current(self.data, digest)
        return digest

    def _replace(self, place: Path) -> None:
        """Move the finished build to its place; a damaged one that stands there goes."""
        broken = self.path.with_name(self.path.name + "-broken")
        if place.exists():
            place.rename(broken)
        self.path.rename(place)
        shutil.rmtree(broken, ignore_errors=True)

    def discard(self) -> None:
        """Remove the unfinished build."""
        shutil.rmtree(self.path, ignore_errors=True)


def make_current(data: Path, digest: str) -> None:
    """Point `current` at a build by one atomic rename."""
    link = data / f".current-{os.getpid()}"
    link.unlink(missing_ok=True)
    link.symlink_to(Path("builds") / digest)
    link.replace(data / "current")
    _fsync(data)


def sweep(data: Path) -> int:
    """Remove workshops that a killed layout left behind; return how many."""
    left = [path for path in (data / "builds").glob(".making-*") if not _alive(path)]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return len(left)


def _alive(workshop: Path) -> bool:
    try:
        os.kill(int(workshop.name.split("-")[1]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def read_regions(build: Path) -> list[Region]:
    """The regions of a build. Raises `OSError` or `msgspec.DecodeError`."""
    return msgspec.json.decode((build / REGIONS).read_bytes(), type=list[Region])


def read_manifest(path: Path) -> Manifest:
    """Read and check the manifest of the build at `path`; raise `NoBuild` or `BrokenBuild`."""
    try:
        raw = (path / MANIFEST).read_bytes()
    except FileNotFoundError as error:
        raise NoBuild("no map has been laid out yet; run `paperatlas layout`") from error
    try:
        manifest = msgspec.json.decode(raw, type=Manifest)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise BrokenBuild(f"{path / MANIFEST} cannot be read ({error}); run `paperatlas layout` again") from error
    if manifest.hash != _digest(manifest):
        raise BrokenBuild(f"{path / MANIFEST} was altered after it was published; run `paperatlas layout` again")
    return manifest


def verify(path: Path, manifest: Manifest) -> None:
    """Compare each file's sha256 with the manifest; raise `BrokenBuild` naming the file."""
    for name, facts in manifest.files.items():
        if not (path / name).is_file():
            raise BrokenBuild(f"{path / name} is missing; run `paperatlas layout` again")
        if _facts(path / name) != facts:
            raise BrokenBuild(f"{path / name} was altered after it was published; run `paperatlas layout` again")


def _is_sound(place: Path) -> bool:
    try:
        verify(place, read_manifest(place))
    except BuildError:
        return False
    return True


def current(data: Path) -> Path | None:
    """The directory of the current build, its symbolic link resolved; None before the first layout."""
    link = data / "current"
    return link.resolve() if link.is_symlink() and link.exists() else None


def to_json(value: msgspec.Struct) -> str:
    """Compact JSON text of a struct, for the `evidence` column."""
    return msgspec.json.encode(value).decode()
