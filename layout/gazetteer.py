"""The regions of a map with their names, keys and label points: drawn anew, or those that stand with new papers in them."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from corpus.build import Region
from layout.arrays import Corpus
from layout.continuity import known_by
from layout.names import AND, name_regions
from layout.phrases import phrases_of, prose
from layout.regions import label_points, members_of, nested_regions, parents_of

Ints = NDArray[np.int64]
READ: Final = 100_000
"""Papers whose texts regions are named from, at most: of a million, thirty of each of the smallest."""
LONGEST_NAME: Final = 60
"""Characters of a region's name that is a title."""


def drawn_regions(
    corpus: Corpus,
    rows: Ints,
    xy: NDArray[np.float32],
    graph: sp.csr_matrix,
    seed: int,
    before: Sequence[str | None],
    former: Sequence[Region],
) -> tuple[list[Region], list[str | None]]:
    """The regions of the papers `rows`, and the key of the deepest one of each.

    `before` and `former` are the keys of these papers on the map that stands, and its regions; those that last keep key and name.
    """
    levels = nested_regions(graph, seed)
    if not levels:
        return [], [None] * len(rows)
    named = known_by(levels, before, former)
    read = sampled(len(rows), seed)
    titles, abstracts = ([of[row] for row in rows[read]] for of in (corpus.titles, corpus.abstracts))
    phrases, fallbacks = phrases_of(titles, abstracts), [_fallbacks(corpus, rows, level) for level in levels]
    names = name_regions(levels, phrases, prose(titles, abstracts), fallbacks, [level.kept for level in named], read)
    holders, regions = phrases.holders(), list[Region]()
    for depth, level in enumerate(levels):
        points, sizes = label_points(xy, level, seed, _named(holders, read, level, names[depth])), np.bincount(level)
        above = parents_of(level, levels[depth - 1]) if depth else None
        keys, parts = named[depth].keys, range(len(sizes))
        regions += [
            Region(
                key=keys[index],
                name=names[depth][index],
                level=depth,
                parent=None if above is None else named[depth - 1].keys[int(above[index])],
                x=float(points[index, 0]),
                y=float(points[index, 1]),
                papers=int(sizes[index]),
            )
            for index in sorted(parts, key=lambda index: (len(keys[index]), keys[index]))
        ]
    return regions, [named[-1].keys[index] for index in levels[-1].tolist()]


def sampled(k: int, seed: int) -> Ints:
    """Which of k papers regions are named from, int64, ascending: all, or `READ` drawn by the seed."""
    if k <= READ:
        return np.arange(k)
    return np.sort(np.random.default_rng(seed).choice(k, READ, replace=False))


def grown_regions(
    graph: sp.csr_matrix, before: Sequence[str | None], former: Sequence[Region]
) -> tuple[list[Region], list[str | None]]:
    """The regions that stand, with the papers that were added: each goes where most of the weight of its ties is.

    `graph` is (k, k), `before` has the keys of the k papers, None for new ones. A region that nobody is in any more is left out.
    """
    keys = list(before)
    waiting = [row for row, key in enumerate(before) if key is None]
    while waiting:  # a new paper may be tied to new ones alone
        found = {row: key for row in waiting if (key := _most_tied(graph, row, keys)) is not None}
        if not found:
            break
        for row, key in found.items():
            keys[row] = key
        waiting = [row for row in waiting if row not in found]
    papers: Counter[str] = Counter()
    parents = {region.key: region.parent for region in former}
    for deepest, count in Counter(key for key in keys if key in parents).items():
        above: str | None = deepest
        while above is not None:
            papers[above] += count
            above = parents[above]
    return [msgspec.structs.replace(one, papers=papers[one.key]) for one in former if papers[one.key]], keys


def _most_tied(graph: sp.csr_matrix, row: int, keys: Sequence[str | None]) -> str | None:
    votes: dict[str, float] = {}
    for at in range(graph.indptr[row], graph.indptr[row + 1]):
        key = keys[graph.indices[at]]
        if key is not None:
            votes[key] = votes.get(key, 0.0) + float(graph.data[at])
    return min(votes, key=lambda key: (-votes[key], key)) if votes else None


def renamed(regions: Sequence[Region], names: Mapping[str, str]) -> list[Region]:
    """The regions with the names that an operator gave: by key, or by the name that a region has of itself."""
    result = []
    for region in regions:
        own = region.automatic or region.name
        given = names.get(region.key, names.get(own))
        result.append(
            msgspec.structs.replace(
                region, name=own if given is None else given, automatic=None if given is None else own
            )
        )
    return result


def _named(
    holders: Mapping[str, NDArray[np.int32]], read: Ints, level: Ints, names: Sequence[str]
) -> NDArray[np.bool_]:
    """Which papers (k,) are known to have a phrase of the name of their region; `holders` are numbers among the papers `read`."""
    named = np.zeros(len(level), bool)
    for region, name in enumerate(names):
        for phrase in name.lower().split(AND):
            if phrase in holders:
                papers = read[holders[phrase]]
                named[papers[level[papers] == region]] = True
    return named


def _fallbacks(corpus: Corpus, rows: Ints, level: Ints) -> list[str]:
    """What a region is called that no phrase tells apart: its most frequent area unless that is the map's, else its best paper."""
    usual = _most_frequent_area(corpus, rows)
    names = []
    for inside in members_of(level, int(level.max()) + 1):
        members = rows[inside]
        best = max(members, key=lambda row: (corpus.citations[row], -row))
        title = textwrap.shorten(corpus.titles[best] or corpus.ids[best][0], LONGEST_NAME, placeholder=" …")
        area = _most_frequent_area(corpus, members)
        names.append(area if area and area != usual else title)
    return names


def _most_frequent_area(corpus: Corpus, rows: Ints) -> str | None:
    counts = Counter(corpus.areas[row][0] for row in rows if corpus.areas[row])
    return min(counts, key=lambda name: (-counts[name], name)) if counts else None
