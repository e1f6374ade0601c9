"""Names of regions: the phrases that tell a region from its siblings (class-based TF-IDF), most telling first.

Score of a phrase in a region: share of its papers that have it * log of its lift against 0.7 parent + 0.3 corpus; phrases of two
or three words are favoured, and those that stand in titles too. A name says something that the names above it do not, and no name
stands twice at a level.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from layout.phrases import LINKS, Phrases
from layout.regions import members_of, parents_of

Ints = NDArray[np.int64]
_LENGTH: Final = np.array([0.4, 1.6, 1.6])
"""Factor of a phrase of one, two, three words; a hyphen makes two words."""
_REPEATED: Final = 0.5
"""Factor of a phrase that shares a word with the names above."""
_PARENT: Final = 0.7
_CHANCE: Final = 0.7
"""Taken from the weighted papers of a region that have a phrase: what one title says may be chance."""
_TRIED: Final = 80
_SECOND: Final = 0.3
"""Share of the first phrase's score that the second one must have."""
_ENDINGS: Final = "isation ization ations ation metrics metric ical ing ies ers er es s".split()
_PART: Final = re.compile(r"[^\W_]+")
AND: Final = " / "
"""Between the two phrases of a name."""


def name_regions(
    levels: Sequence[Ints],
    phrases: Phrases,
    texts: Sequence[str],
    fallbacks: Sequence[Sequence[str]],
    kept: Sequence[Sequence[str | None]] | None = None,
    read: Ints | None = None,
) -> list[list[str]]:
    """Name each region of each level.

    `texts` show how the words are written (`prose`); `fallbacks[level][region]` is the name where no phrase tells a region apart, and
    `kept[level][region]` the name that a region has already. `phrases` and `texts` are those of the papers `read`, int64 (m,), of n;
    None is of all.
    """
    length = _LENGTH[np.array([min(len(_PART.findall(phrase)), 3) - 1 for phrase in phrases.words], int)]
    length = length * phrases.titled()
    stems = [_stems(phrase, phrases.weak) for phrase in phrases.words]
    total = np.asarray(phrases.counts.sum(axis=0)).ravel().astype(np.float64)
    above: list[frozenset[str]] = [frozenset()]
    inside_above, sizes_above, names = sp.csr_matrix(total), np.array([len(texts)]), []
    for depth, whole in enumerate(levels):
        parents = parents_of(whole, levels[depth - 1] if depth else np.zeros(len(whole), np.int64))
        level = whole if read is None else whole[read]
        sizes = np.bincount(level, minlength=len(parents))
        inside, members = _counts(level, len(parents), phrases.counts), members_of(level, len(parents))
        had: Sequence[str | None] = kept[depth] if kept else [None] * len(sizes)
        taken = {name.lower() for name in had if name}
        row: list[str] = []
        used: list[frozenset[str]] = []
        for region, (parent, name) in enumerate(zip(parents.tolist(), had, strict=True)):
            said = [_stems(part, phrases.weak) for part in name.lower().split(AND)] if name else []
            if not name:
                around = (inside_above[parent], int(sizes_above[parent])), (total, len(level))
                score = length * _telling(inside[region], int(sizes[region]), *around)
                chosen = _choose(score, stems, above[parent], taken, phrases.words)
                name = _joined(
                    [phrases.written(phrases.words[at], [texts[paper] for paper in members[region]]) for at in chosen]
                )
                said = [stems[at] for at in chosen]
            row.append(name or fallbacks[depth][region])
            taken.add(row[-1].lower())
            used.append(above[parent].union(*said))
        names.append(_distinct(row))
        above, inside_above, sizes_above = used, inside, sizes
    return names


def _telling(
    own: sp.csr_matrix, size: int, parent: tuple[sp.csr_matrix, int], corpus: tuple[NDArray[np.float64], int]
) -> NDArray[np.float64]:
    """How much more often each phrase is in a region than around it, (phrases,); each as weighted papers that have it, and all papers."""
    has = own.indices
    usual = _PARENT * (parent[0].toarray().ravel()[has] + 1) / (parent[1] + 2)
    usual = usual + (1 - _PARENT) * (corpus[0][has] + 1) / (corpus[1] + 2)
    share = np.maximum(own.data - _CHANCE, 0) / max(size, 1)
    score = np.zeros(own.shape[1])
    score[has] = share * np.log(np.maximum(share / usual, 1))
    return score


def _counts(level: Ints, regions: int, counts: sp.csr_matrix) -> sp.csr_matrix:
    """Weighted papers of each region that have each phrase, float64 (regions, phrases)."""
    ones = np.ones(len(level), np.float64)
    member = sp.csr_matrix((ones, (level, np.arange(len(level)))), shape=(regions, len(level)))
    summed = (member @ counts).tocsr()
    summed.sort_indices()
    return summed


def _choose(
    score: NDArray[np.float64],
    stems: Sequence[frozenset[str]],
    above: frozenset[str],
    others: set[str],
    words: Sequence[str],
) -> list[int]:
    """The one or two most telling phrases that say different things, and not what `others` are called, in lower case."""
    tried = np.argsort(-score, kind="stable")[:_TRIED]
    worth = {int(at): float(score[at]) * (_REPEATED if stems[at] & above else 1) for at in tried}
    best = sorted((at for at in worth if worth[at] > 0 and not stems[at] <= above), key=lambda at: (-worth[at], at))
    alone = bool(best) and words[best[0]] not in others
    least = _SECOND * worth[best[0]] if alone else 0  # a name that stands already needs a second phrase, however weak
    chosen = best[:1]
    for at in best[1:]:
        joined = _joined([words[best[0]], words[at]]).lower()
        if worth[at] >= least and not stems[at] & stems[best[0]] and joined not in others:
            chosen.append(at)
            break
    return chosen


def _joined(phrases: Sequence[str]) -> str:
    name = AND.join(phrases)
    return name[:1].upper() + name[1:]


def _stems(phrase: str, weak: frozenset[str]) -> frozenset[str]:
    """Stems of the words that carry the meaning."""
    words = [word for word in _PART.findall(phrase) if word not in LINKS]
    strong = [word for word in words if word not in weak] or words
    return frozenset(_stem(word) for word in strong)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _distinct(names: Sequence[str]) -> list[str]:
    """Number what is still the same, so that no two regions of a level share a name."""
    taken = set(names)
    seen: set[str] = set()
    result = []
    for name in names:
        free, number = name, 2
        while free in seen or (free != name and free in taken):
            free, number = f"{name} ({number})", number + 1
        seen.add(free)
        result.append(free)
    return result
