"""Regions of a map and how telling their names are, made as the layout makes them."""

from __future__ import annotations

import scipy.sparse as sp

from corpus.build import Region
from layout.arrays import Corpus
from layout.measures import Ints
from layout.names import name_regions
from layout.phrases import phrases_of, prose
from layout.quality import measure_names
from layout.regions import keys_of, nested_regions, parents_of, region_key


def names_of(corpus: Corpus, rows: Ints, graph: sp.csr_matrix, seed: int) -> dict[str, float | int | None]:
    """Regions at each level of detail, and the figures of their names. The regions follow the graph, not the places."""
    levels = nested_regions(graph, seed)
    titles, abstracts = [corpus.titles[row] for row in rows], [corpus.abstracts[row] for row in rows]
    regions = named_regions(levels, titles, abstracts)
    figures = measure_names(regions, keys_of(levels, len(rows)), titles, abstracts, seed)
    sizes = {f"level {depth}": int(level.max()) + 1 for depth, level in enumerate(levels)}
    return {**sizes, **{name.removeprefix("region_names_"): value for name, value in figures.items()}}


def named_regions(levels: list[Ints], titles: list[str | None], abstracts: list[str | None]) -> list[Region]:
    """The regions with their names; where nothing tells one apart it is called by its key, and they have no place."""
    keys = [[region_key(depth, at) for at in range(int(level.max()) + 1)] for depth, level in enumerate(levels)]
    names = name_regions(levels, phrases_of(titles, abstracts), prose(titles, abstracts), keys)
    regions = []
    for depth, level in enumerate(levels):
        above = parents_of(level, levels[depth - 1]).tolist() if depth else None
        for at, (key, name) in enumerate(zip(keys[depth], names[depth], strict=True)):
            parent = region_key(depth - 1, above[at]) if above else None
            regions.append(Region(key=key, name=name, level=depth, parent=parent, x=0, y=0, papers=0))
    return regions
