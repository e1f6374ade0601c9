"""How good a build is, by figures that need nothing but the map and its input; they go into the manifest (docs/map-quality.md).

The citation figures here are of citations that the layout was given ("seen"): they say how well the map keeps them, not how well it
predicts. Held-out figures are what `bench/map_quality.py` measures. All work on samples, so that a million papers cost seconds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from corpus.build import Region
from layout.measures import (
    Figure,
    Floats,
    Ints,
    against_vectors,
    any_papers,
    area_accuracy,
    as_often_cited,
    auc,
    hits,
    nearest_on_map,
    of_the_area,
    on_map,
    shared,
)

Figures = dict[str, float | int | None]
_MOST: Final = 50_000
"""Citations looked at."""
_SAMPLE: Final = 5_000
"""Papers whose neighbours are looked at."""
_TEXTS: Final = (200, 1_000, 200_000_000)
"""Papers whose texts are compared with all others: least, most, and pairs of papers from which on it is fewer than the most."""
_NAMED: Final = 2_000
"""Papers whose text is held against the names of their regions."""
_GRID: Final = 64
_FEW: Final = 20
"""Papers below which neighbours tell nothing."""
_WORD: Final = re.compile(r"[^\W_][\w’'-]*")
_NUMBER: Final = re.compile(r" \(\d+\)$")


def measure(
    xy: Floats,
    citations: sp.csr_matrix,
    areas: Sequence[str | None],
    neighbours: NDArray[np.int32],
    seed: int,
    text: Floats | None = None,
) -> Figures:
    """Figures of a map of k papers at `xy`, float32 (k, 2); None where there is too little to measure.

    `citations` is csr (k, k), row cites column. `neighbours` are the nearest by similarity, int32 (k, 15), -1 for none; `text` are
    unit vectors, float32 (k, d), rows of zeros without text.
    """
    k = len(xy)
    labels = numbered(areas)
    figures: Figures = _citations(xy, citations, labels, seed) | {
        "area_accuracy_10": None,
        "neighbour_recall_15": None,
        "text_recall_15": None,
        "text_trustworthiness_15": None,
        "coverage_64": coverage(xy) if k >= 2 else None,
        "outliers": None,
    }
    if k < _FEW:
        return figures
    rows = np.sort(np.random.default_rng(seed).permutation(k)[:_SAMPLE])
    near = nearest_on_map(xy, rows, 15)
    figures["area_accuracy_10"] = _told(area_accuracy(rows, near[:, :10], labels))
    figures["neighbour_recall_15"] = _told(shared(near, neighbours[rows].astype(np.int64)))
    figures["outliers"] = outliers(xy, rows)
    if text is not None:
        recall, trust = by_text(xy, text, seed)
        figures["text_recall_15"], figures["text_trustworthiness_15"] = _told(recall), _told(trust)
    return figures


def numbered(areas: Sequence[str | None]) -> Ints:
    """A number for each area, in order of name; -1 for none. int64 (n,)."""
    number = {name: at for at, name in enumerate(sorted({area for area in areas if area}))}
    return np.array([number[area] if area else -1 for area in areas], np.int64)


def _told(figure: Figure | None) -> float | None:
    return None if figure is None else round(figure.value, 4)


def _citations(xy: Floats, citations: sp.csr_matrix, labels: Ints, seed: int) -> Figures:
    every = citations.tocoo()
    pairs = np.stack([every.row, every.col], 1).astype(np.int64)
    if len(xy) < 3 or not len(pairs):
        names = ("citation_auc_seen", "citation_auc_seen_degree", "citation_auc_seen_area", "citation_hits_10_seen")
        return dict.fromkeys(names)
    chosen = pairs[np.sort(np.random.default_rng(seed).permutation(len(pairs))[:_MOST])]
    distance, cited = on_map(xy), pairs[:, 1]
    few = chosen[:: max(1, len(chosen) // _SAMPLE)]
    return {
        "citation_auc_seen": _told(auc(distance, chosen, any_papers(chosen, len(xy), seed))),
        "citation_auc_seen_degree": _told(auc(distance, chosen, as_often_cited(chosen, cited, seed))),
        "citation_auc_seen_area": _told(auc(distance, chosen, of_the_area(chosen, cited, labels, seed))),
        "citation_hits_10_seen": _told(hits(nearest_on_map(xy, few[:, 0], 10), few[:, 1])) if len(xy) > 10 else None,
    }


def coverage(xy: Floats) -> float:
    """Share of the cells of a 64 x 64 grid over the square that hold a paper."""
    cells = np.minimum((xy * _GRID).astype(int), _GRID - 1)
    return round(len(np.unique(cells[:, 0] * _GRID + cells[:, 1])) / _GRID**2, 4)


def outliers(xy: Floats, rows: Ints) -> float:
    """Share of the papers `rows` whose tenth neighbour is more than ten times as far as it is for the middle one."""
    far = cKDTree(xy).query(xy[rows], k=[11])[0]
    return round(float(np.mean(far > 10 * np.median(far))), 4)


def by_text(xy: Floats, text: Floats, seed: int) -> tuple[Figure | None, Figure | None]:
    """Recall and trustworthiness of the 15 nearest on the map by text alone; papers without text (rows of zeros) are left out."""
    worded = np.flatnonzero(text.any(axis=1))
    if len(worded) <= 30:
        return None, None
    places, vectors = xy[worded], text[worded]
    rows = text_sample(len(worded), seed)
    return against_vectors(nearest_on_map(places, rows, 15), rows, vectors)


def text_sample(n: int, seed: int) -> Ints:
    """Rows of n papers whose texts are compared with all others: at most 1,000, fewer in a large corpus."""
    least, most, pairs = _TEXTS
    many = max(least, min(most, pairs // max(n, 1)))
    return np.sort(np.random.default_rng(seed).permutation(n)[:many])


def measure_names(
    regions: Sequence[Region],
    keys: Sequence[str | None],
    titles: Sequence[str | None],
    abstracts: Sequence[str | None],
    seed: int,
) -> Figures:
    """How telling the names of regions are; None where there is no region. `keys[i]` is the deepest region of paper i.

    region_names_unique: share of regions whose name no other one has, numbers put behind it left out. region_names_coverage: chance
    that a paper's text has a phrase of the name of a region that it is in; region_names_elsewhere: of one of another region of
    the same level. Papers without text are left out. region_names_like_parent: share of regions whose name has half of its words or
    more in common with that of the region around it.
    """
    figures: Figures = dict.fromkeys(
        f"region_names_{what}" for what in ("unique", "coverage", "elsewhere", "like_parent")
    )
    bare = Counter(_NUMBER.sub("", region.name).casefold() for region in regions)
    if not bare:
        return figures
    alone = sum(times for times in bare.values() if times == 1)
    figures["region_names_unique"] = round(alone / len(regions), 4)
    by_key = {region.key: region for region in regions}
    nested = [_alike(region.name, by_key[region.parent].name) for region in regions if region.parent]
    figures["region_names_like_parent"] = round(sum(nested) / len(nested), 4) if nested else None
    worded = [row for row, key in enumerate(keys) if key and (titles[row] or abstracts[row])]
    random = np.random.default_rng(seed)
    chosen = [worded[at] for at in random.permutation(len(worded))[:_NAMED]]
    others = [worded[at] for at in random.integers(0, len(worded), len(chosen))] if worded else []
    inside: list[bool] = []
    outside: list[bool] = []
    for row, other in zip(chosen, others, strict=True):
        text = _spaced(f"{titles[row] or ''} / {abstracts[row] or ''}")
        for own, rival in zip(_above(keys[row], by_key), _above(keys[other], by_key), strict=True):
            inside.append(_has(text, own.name))
            if own.key != rival.key:
                outside.append(_has(text, rival.name))
    figures["region_names_coverage"] = round(sum(inside) / len(inside), 4) if inside else None
    figures["region_names_elsewhere"] = round(sum(outside) / len(outside), 4) if outside else None
    return figures


def _alike(one: str, other: str) -> bool:
    """Whether half of the different words of two names or more are in both."""
    words, others = (set(_WORD.findall(_NUMBER.sub("", name).casefold())) for name in (one, other))
    return 2 * len(words & others) >= len(words | others)


def _above(key: str | None, by_key: Mapping[str, Region]) -> Iterator[Region]:
    """The regions that a paper is in, deepest first."""
    while key:
        yield by_key[key]
        key = by_key[key].parent


def _has(text: str, name: str) -> bool:
    return any(_spaced(phrase) in text for phrase in _NUMBER.sub("", name).split(" / "))


def _spaced(text: str) -> str:
    """The words in lower case with one blank around each; what stands between slashes cannot run together."""
    return " | ".join(f" {' '.join(_WORD.findall(part.lower()))} " for part in text.split(" / "))
