"""Regions of a map and how telling their names are, made as the layout makes them."""

from __future__ import annotations

from collections import Counter

import scipy.sparse as sp

from layout.arrays import Corpus
from layout.gazetteer import drawn_regions
from layout.measures import Floats, Ints
from layout.quality import measure_names


def names_of(corpus: Corpus, rows: Ints, xy: Floats, graph: sp.csr_matrix, seed: int) -> dict[str, float | int | None]:
    """Regions at each level of detail, and the figures of their names; the papers `rows` are at `xy`, float32 (k, 2)."""
    regions, keys = drawn_regions(corpus, rows, xy, graph, seed, [None] * len(rows), [])
    titles, abstracts = [corpus.titles[row] for row in rows], [corpus.abstracts[row] for row in rows]
    sizes = {f"level {level}": count for level, count in sorted(Counter(region.level for region in regions).items())}
    figures = measure_names(regions, keys, titles, abstracts, seed)
    return {**sizes, **{name.removeprefix("region_names_"): value for name, value in figures.items()}}
