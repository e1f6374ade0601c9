"""What is asked of every map and of the vectors before it: the held-out figures of docs/map-quality.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.spaces import Plane, Space
from layout.measures import (
    Distance,
    Figure,
    Floats,
    Ints,
    against_vectors,
    any_papers,
    area_accuracy,
    as_often_cited,
    auc,
    mean_of,
    of_the_area,
)
from layout.quality import text_sample

_AUC_PAIRS: Final = 20_000
_HITS_PAIRS: Final = 5_000
_PAPERS: Final = 5_000
_GRID: Final = 64
SEED: Final = 0

Figures = dict[str, Figure | None]


@dataclass(frozen=True, slots=True)
class Exam:
    """The questions of one corpus, the same for every map; samples are drawn once."""

    papers: int
    seen: Ints
    hidden: Ints
    labels: Mapping[str, Ints]
    """Of the papers on the map; citations are compared within areas of the first one."""
    text: Floats
    """float32 (n, d) unit vectors, zeros without text."""

    def ask(self, space: Space) -> Figures:
        """All figures of a map or of vectors."""
        return self.citations(space.distance) | self._hits(space) | self._areas(space) | self._text(space)

    def citations(self, distance: Distance) -> Figures:
        """The three AUC, which distances alone are enough for."""
        pairs, cited = _some(self.hidden, _AUC_PAIRS), self.seen[:, 1]
        areas = next(iter(self.labels.values()))
        return {
            "auc": auc(distance, pairs, any_papers(pairs, self.papers, SEED)),
            "auc-deg": auc(distance, pairs, as_often_cited(pairs, cited, SEED)),
            "auc-area": auc(distance, pairs, of_the_area(pairs, cited, areas, SEED)),
        }

    def _hits(self, space: Space) -> Figures:
        nearer = space.nearer(_some(self.hidden, _HITS_PAIRS))
        limits = {"hits@10": 10, "hits@100": 100, "hits@1%": 0.01 * self.papers}
        return {name: mean_of(nearer < limit) for name, limit in limits.items()}

    def _areas(self, space: Space) -> Figures:
        rows = _some(np.arange(self.papers), _PAPERS)
        near = space.nearest(rows, 10)
        return {name: area_accuracy(rows, near, labels) for name, labels in self.labels.items()}

    def _text(self, space: Space) -> Figures:
        worded = np.flatnonzero(self.text.any(axis=1))
        if len(worded) <= 30:
            return {"text@15": None, "trust": None}
        rows = text_sample(len(worded), SEED)
        recall, trust = against_vectors(space.among(worded).nearest(rows, 15), rows, self.text[worded])
        return {"text@15": recall, "trust": trust}


def of_map(exam: Exam, xy: Floats) -> Figures:
    """All figures of a map, float32 (n, 2), its coverage included."""
    return exam.ask(Plane(xy)) | {"cover": Figure(_cover(xy), 0.0, len(xy))}


def _cover(xy: Floats) -> float:
    """Share of the cells of a 64 x 64 grid that hold a paper; the grid spans all but the outermost half percent along each axis."""
    low, high = np.quantile(xy, [0.005, 0.995], axis=0)
    cells = np.clip((xy - low) / np.maximum(high - low, 1e-12) * _GRID, 0, _GRID - 1).astype(int)
    return len(np.unique(cells[:, 0] * _GRID + cells[:, 1])) / _GRID**2


def tree_distance(topics: Ints) -> Distance:
    """Levels up to the first topic that two papers share: the oracle of a planted corpus, from int64 (n, levels), coarsest first."""
    return lambda a, b: (topics[a] != topics[b]).sum(axis=-1).astype(np.float64)


def _some(rows: Ints, most: int) -> Ints:
    """A seeded sample in order."""
    return rows[np.sort(np.random.default_rng(SEED).permutation(len(rows))[:most])]
