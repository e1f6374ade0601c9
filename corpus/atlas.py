"""An opened map build: everything that can be answered without the database."""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from corpus.build import FORMAT, PAPERS, TILES, Evidence, Manifest, Region, current, read_manifest, read_regions
from corpus.build import verify as verify_files
from corpus.columns import CELLS, finite, index, numbers, read_columns
from corpus.errors import BrokenBuild, BuildError
from corpus.tiles import TileArchive

_log = logging.getLogger(__name__)
_HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_KEPT: Final = 3
"""Older builds held open; browsers that loaded one before the last layout still ask for its tiles."""
_NO_AREA: Final = frozenset({"other", "unknown"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper as a build knows it. Everything is None where it is unknown; x and y are finite or None."""

    n: int
    id: str
    ids: tuple[str, ...]
    title: str | None
    year: int | None
    areas: tuple[str, ...]
    """At most one: the area that colours it."""
    citations: int
    x: float | None
    """Map units; None where unplaced."""
    y: float | None
    """Downwards."""
    minzoom: int | None
    region: str | None
    signals: str | None
    confidence: float | None
    marks: tuple[str, ...]
    reason: str | None
    """The binding reason; None where placed."""

    @property
    def on_map(self) -> bool:
        """Whether it has a position."""
        return self.x is not None


class Atlas:
    """One build, read once. Safe for many threads: nothing of it ever changes."""

    def __init__(self, path: Path, manifest: Manifest, columns: dict[str, Any], regions: Sequence[Region]) -> None:
        self.path = path
        self.manifest = manifest
        self.regions: Mapping[str, Region] = {region.key: region for region in regions}
        self.tiles = TileArchive.open(path / TILES)
        self._columns = columns
        self._keys, self._rows = index(columns["ids"])

    @classmethod
    def open(cls, path: Path, *, verify: bool = True) -> Atlas:
        """Open the build at `path`; with `verify`, compare each file's sha256 with the manifest first.

        Raises `NoBuild` where there is none and `BrokenBuild` where a file is missing, altered or not ours.
        """
        manifest = read_manifest(path)
        if manifest.format != FORMAT:
            raise BrokenBuild(
                f"the build {path} has format {manifest.format}, not {FORMAT}; run `paperatlas layout` again"
            )
        if verify:
            verify_files(path, manifest)
        try:
            regions = read_regions(path)
            return cls(path, manifest, read_columns(path, manifest), regions)
        except (OSError, pa.ArrowException, msgspec.DecodeError, ValueError) as error:
            raise BrokenBuild(f"the build {path} cannot be read ({error}); run `paperatlas layout` again") from error

    def __len__(self) -> int:
        return self.manifest.papers

    def find(self, identifier: str) -> int | None:
        """Return the row of the paper that has this canonical identifier."""
        low, high = 0, len(self._keys)
        while low < high:
            middle = (low + high) // 2
            if self._keys[middle].as_py() < identifier:
                low = middle + 1
            else:
                high = middle
        if low < len(self._keys) and self._keys[low].as_py() == identifier:
            return int(self._rows[low])
        return None

    def find_any(self, identifiers: Sequence[str]) -> int | None:
        """Return the row of the first of these identifiers that the build knows."""
        return next((row for row in map(self.find, identifiers) if row is not None), None)

    def row(self, n: int) -> Entry:
        """Return the paper with number `n`; raises `IndexError` outside 0..papers-1."""
        if not 0 <= n < len(self):
            raise IndexError(n)
        cell = {name: self._columns[name][n].as_py() for name in CELLS}
        x, y = finite(cell.pop("x")), finite(cell.pop("y"))
        placed = x is not None and y is not None
        area = self.manifest.areas[cell.pop("area")] if self.manifest.areas else "unknown"
        return Entry(
            n=n,
            ids=tuple(cell.pop("ids")),
            marks=tuple(cell.pop("marks")),
            areas=() if area in _NO_AREA else (area,),
            x=x if placed else None,
            y=y if placed else None,
            confidence=finite(cell.pop("confidence")),
            **cell,
        )

    def evidence(self, n: int) -> Evidence:
        """Decode the evidence of row `n`; raises `BrokenBuild` if it is not ours."""
        try:
            return msgspec.json.decode(self._columns["evidence"][n].as_py(), type=Evidence)
        except msgspec.DecodeError as error:
            raise BrokenBuild(f"the evidence of paper {n} in {self.path / PAPERS} cannot be read: {error}") from error

    def region_path(self, key: str | None) -> tuple[Region, ...]:
        """Return a region and those around it, the coarsest first; empty for None or an unknown key."""
        path: list[Region] = []
        while key is not None and key in self.regions and len(path) <= len(self.regions):
            path.append(self.regions[key])
            key = self.regions[key].parent
        return tuple(reversed(path))

    def placed(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return x and y of the placed papers, float32 (k,) each, map units."""
        return tuple(numbers(self._columns[name]) for name in ("x", "y"))  # type: ignore[return-value]

    def titled(self, words: Sequence[str], limit: int) -> list[Entry]:
        """Return papers whose title holds every word, most cited first: a scan, for when the database is away."""
        rows: NDArray[np.int64] = np.arange(len(self), dtype=np.int64)
        for word in words:
            hits = pc.match_substring(self._columns["title"].take(pa.array(rows)), word, ignore_case=True)
            rows = rows[hits.fill_null(False).to_numpy(zero_copy_only=False).astype(bool)]
        best = rows[np.argsort(-self._citations[rows], kind="stable")][: max(limit, 0)]
        return [self.row(int(n)) for n in best] if words else []

    def verdicts(self) -> Iterator[tuple[str, str | None]]:
        """Yield address and binding reason of each paper, row by row."""
        for start in range(0, len(self), 10_000):
            ids, reasons = (self._columns[name].slice(start, 10_000).to_pylist() for name in ("id", "reason"))
            yield from zip(ids, reasons, strict=True)

    @cached_property
    def _citations(self) -> NDArray[np.int32]:
        numbers: NDArray[np.int32] = self._columns["citations"].to_numpy()
        return numbers


class Builds:
    """The builds of a data directory: the current one, followed as it moves, and the older ones by their hash.

    Opening (and verifying) happens once a build. A broken build is reported in `problem` and in the log, and the
    last good one stays.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        self.problem: str | None = None
        """What is wrong with the build that `current` names; None where all is well or nothing was laid out."""
        self._lock = threading.Lock()
        self._seen: object = None
        self._current: Atlas | None = None
        self._older: OrderedDict[str, Atlas | None] = OrderedDict()

    def current(self) -> Atlas | None:
        """Return the current build; None before the first layout. A look at the link is all it costs."""
        mark = self._mark()
        if mark == self._seen:
            return self._current
        # One caller opens the new build; the others are answered from the old one meanwhile.
        if not self._lock.acquire(blocking=self._current is None):
            return self._current
        try:
            if mark != self._seen:
                self._follow(mark)
        finally:
            self._lock.release()
        return self._current

    def opened(self, digest: str) -> Atlas | None:
        """Return the build with this hash if it is open already; never waits for the disk but for the link."""
        atlas = self.current() if self._mark() == self._seen else self._current
        if atlas is not None and atlas.manifest.hash == digest:
            return atlas
        return self._older.get(digest)

    def get(self, digest: str) -> Atlas | None:
        """Return the build with this hash, an old one too; None for anything that is no sound build here."""
        if not _HASH.fullmatch(digest):
            return None
        atlas = self.current()
        if atlas is not None and atlas.manifest.hash == digest:
            return atlas
        with self._lock:
            if digest not in self._older:
                self._remember(digest)
            return self._older.get(digest)

    def _mark(self) -> object:
        """What `current` is now: it changes with every publication, even of the same build."""
        link = self.data / "current"
        try:
            facts = link.lstat()
            return (link.readlink(), facts.st_mtime_ns, facts.st_ino)
        except OSError:
            return None

    def _follow(self, mark: object) -> None:
        place = current(self.data)
        try:
            if place is None and mark is not None:
                raise BrokenBuild(f"{self.data / 'current'} leads nowhere; run `paperatlas layout` again")
            if place is not None:
                atlas = Atlas.open(place)
                if self._current is not None:
                    self._keep(self._current.manifest.hash, self._current)
                self._current = atlas
            self.problem = None
        except BuildError as error:
            self.problem = str(error)
            _log.error("the current map cannot be read, the one before it stays: %s", error)
        self._seen = mark

    def _remember(self, digest: str) -> None:
        path = self.data / "builds" / digest
        if path.is_symlink() or not path.is_dir():
            return
        atlas: Atlas | None = None
        try:
            atlas = Atlas.open(path)
            if atlas.manifest.hash != digest:
                raise BrokenBuild(f"the build {path} calls itself {atlas.manifest.hash}")
        except BuildError as error:
            atlas = None
            _log.error("an older map cannot be read: %s", error)
        self._keep(digest, atlas)

    def _keep(self, digest: str, atlas: Atlas | None) -> None:
        self._older[digest] = atlas
        while len(self._older) > _KEPT:
            self._older.popitem(last=False)
