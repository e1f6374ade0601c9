"""Names of regions: the phrases that tell a region from its siblings (class-based TF-IDF), most telling first.

Score of a phrase in a region: share of its papers that have it * log of its lift against 0.7 parent + 0.3 corpus, phrases of two
or three words favoured. No boilerplate of abstracts, no word of the parent's name, no name twice at a level.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from layout.regions import parents_of

Ints = NDArray[np.int64]
_PHRASE: Final = (-0.25, 0.6, 0.7)
"""Added to the score of phrases of one, two, three words, as a share of it; a hyphen makes two words."""
_TITLE_WEIGHT: Final = 2.0
_PARENT: Final = 0.7
_LONGEST: Final = 3
_TRIED: Final = 60
_MAX_PHRASES: Final = 80_000
_WORD: Final = re.compile(r"[^\W\d_](?:[\w’'-]*[^\W_])?")
BOILERPLATE: Final = frozenset(
    "abstract background introduction objective objectives aim aims method methods methodology result results conclusion conclusions "
    "discussion study studies paper papers article articles author authors copyright rights reserved elsevier springer wiley sage "
    "psycinfo apa record database doi http https www com org published publication license creative commons funding disclosure "
    "systematic review reviews literature meta-analysis overview survey research researcher researchers data dataset analysis analyses "
    "analyzed approach approaches based use used uses using new novel different various several many number numbers show shows showed "
    "shown find finds finding findings found suggest suggests provide provides present presents presented propose proposed "
    "compare compared comparison comparing high higher low lower large larger small significant significantly p-value respectively "
    "important highly answer questions randomly selected "
    "increase increased decrease decreased effect effects role case cases time times year years total group groups among within "
    "associated association evaluate evaluation evaluated assess assessed assessment investigate investigated examine examined "
    "including included include conducted performed obtained reported report reports well also however may can could one two three "
    "first second third de la le les des et el en der die und das von per via et al vol issue journal journals part part-i note notes "
    "introduction editorial letter comment comments response reply erratum correction chapter book books".split()
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """Which paper has which phrase."""

    words: list[str]
    counts: sp.csr_matrix
    """float32 (n, phrases): 2 in the title, else 1 in the abstract."""


def phrases_of(titles: Sequence[str | None], abstracts: Sequence[str | None]) -> Phrases:
    """Phrases of one to three words that occur in more than one paper, none of them boilerplate through and through."""
    n = len(titles)
    counter = CountVectorizer(
        analyzer=_phrases,
        binary=True,
        min_df=1 if n < 12 else 2 if n < 2_000 else 4,
        max_features=_MAX_PHRASES,
        dtype=np.float32,
    )
    try:
        counter.fit([f"{title or ''} . {abstract or ''}" for title, abstract in zip(titles, abstracts, strict=True)])
    except ValueError:  # no document has a phrase
        return Phrases([], sp.csr_matrix((n, 0), dtype=np.float32))
    in_title = counter.transform([title or "" for title in titles]) * _TITLE_WEIGHT
    counts = in_title.maximum(counter.transform([abstract or "" for abstract in abstracts]))
    return Phrases(list(counter.get_feature_names_out()), counts.tocsr())


def _phrases(text: str) -> list[str]:
    found: list[str] = []
    for clause in re.split(r"[.,;:!?()\[\]\"“”/]|\s[-–—]\s", text.lower()):
        words = _WORD.findall(clause)
        for start in range(len(words)):
            for length in range(1, _LONGEST + 1):
                phrase = words[start : start + length]
                if len(phrase) == length and _is_name(phrase):
                    found.append(" ".join(phrase))
    return found


def _is_name(words: Sequence[str]) -> bool:
    """Whether words make a name: no stop word or boilerplate at either end, nor in the middle but for a short link."""
    ends = (words[0], words[-1])
    if any(len(word) < 3 or word in ENGLISH_STOP_WORDS or word in BOILERPLATE for word in ends):
        return False
    return all(word in {"of", "and", "in", "for"} or word not in ENGLISH_STOP_WORDS for word in words[1:-1])


def name_regions(levels: Sequence[Ints], phrases: Phrases, fallbacks: Sequence[Sequence[str]]) -> list[list[str]]:
    """Name each region of each level. `fallbacks[level][region]` is what it is called where no phrase tells it apart."""
    total = np.asarray(phrases.counts.sum(axis=0)).ravel()
    names: list[list[str]] = []
    for depth, level in enumerate(levels):
        regions = int(level.max()) + 1
        member = sp.csr_matrix(
            (np.ones(len(level), np.float32), (level, np.arange(len(level)))), shape=(regions, len(level))
        )
        inside = (member @ phrases.counts).toarray() if phrases.words else np.zeros((regions, 0))
        sizes = np.bincount(level, minlength=regions)
        parents = parents_of(level, levels[depth - 1]) if depth else np.zeros(regions, np.int64)
        above = np.array([inside[parents == parent].sum(axis=0) for parent in range(int(parents.max()) + 1)])
        taken: set[str] = set()
        row: list[str] = []
        for region in range(regions):
            spread = sizes[parents == parents[region]].sum()
            usual = _PARENT * (above[parents[region]] + 1) / (spread + 2) + (1 - _PARENT) * (total + 1) / (
                len(level) + 2
            )
            score = _scores(inside[region] / sizes[region], usual, phrases.words)
            used = {stem for name in (names[depth - 1][parents[region]],) for stem in _stems(name)} if depth else set()
            row.append(_pick(score, phrases.words, used, taken) or fallbacks[depth][region])
            taken.add(row[-1])
        names.append(_distinct(row))
    return names


def _scores(share: NDArray[np.float64], usual: NDArray[np.float64], words: Sequence[str]) -> NDArray[np.float64]:
    length = np.array([min(word.count(" ") + word.count("-"), _LONGEST - 1) for word in words], int)
    lift = np.log(np.maximum(share, 1e-9) / usual)
    score: NDArray[np.float64] = share * np.maximum(lift, 0) * (1 + np.take(_PHRASE, length))
    return score


def _pick(score: NDArray[np.float64], words: Sequence[str], used: set[str], taken: set[str]) -> str | None:
    """The one or two most telling phrases that say different things, as `First / second`."""
    chosen: list[str] = []
    for place in np.argsort(-score, kind="stable")[:_TRIED]:
        stems = _stems(words[place])
        if score[place] <= 0 or stems & used or any(stems & _stems(one) for one in chosen):
            continue
        chosen.append(words[place])
        name = " / ".join(chosen)
        name = name[:1].upper() + name[1:]
        if len(chosen) == 2 and name not in taken:
            return name
    name = " / ".join(chosen)
    return name[:1].upper() + name[1:] if chosen and name not in taken else None


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(text.lower()) if word not in {"of", "and", "in", "for"}}


def _stem(word: str) -> str:
    for ending in (
        "isation",
        "ization",
        "ations",
        "ation",
        "metrics",
        "metric",
        "ical",
        "ing",
        "ies",
        "ers",
        "er",
        "es",
        "s",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _distinct(names: Sequence[str]) -> list[str]:
    """Number what is still the same, so that no two regions of a level share a name."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result
