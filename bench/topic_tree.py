"""Papers out of a planted tree of topics: what a map should show is known, at any size, from a seed.

8 areas of 6 fields of 6 subjects of 4 leaves, 1,152 leaves of very unequal size. Papers come in order of year and cite earlier ones:
60 % within their leaf, the rest further and further up the tree, half of them recent papers and half old ones that many cite. Texts mix
the words of the topics on the way to the leaf with common ones; a fifth of the words goes on as a fixed phrase does. And as corpora are:
10 % of the papers have the text of another topic, 3 % no abstract, 8 % no references, .6 % neither text nor links.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bench.corpora import Given, arrays
from layout.measures import Ints

BRANCHES: Final = (8, 6, 6, 4)
LEVELS: Final = ("area", "field", "subject", "leaf")
LEAVES: Final = int(np.prod(BRANCHES))
_REFERENCES: Final = (12.0, 0.8, 120)
"""Mean, spread (of the logarithm) and most of a paper's references."""
_CITED: Final = (0.60, 0.78, 0.86, 0.92)
"""Chance that a citation stays within the leaf, the subject, the field, the area; the rest goes anywhere."""
_RECENT: Final = 0.55
"""Share of citations that go to recent papers; the others go to the classics of their topic."""
_WRONG_TEXT: Final = 0.10
_SIBLING: Final = 0.6
"""Share of the wrong texts that are at least of the same subject."""
_NO_ABSTRACT, _NO_REFERENCES, _NOTHING = 0.03, 0.08, 0.006
_COMMON_WORDS: Final = 12_000
_FUNCTION_WORDS: Final = (
    "the of and in to a for with is that on by as from are we this an which be at it or was were has have not their than between these "
    "our can its but also into been more such both through they over about after most some only other no if when where while"
).split()
"""The most common of the common words: without them no phrase would end anywhere."""
_TOPIC_WORDS: Final = 40
_TITLE: Final = 8
_ABSTRACT: Final = 82
_BACKGROUND: Final = (0.25, 0.35, 0.5)
"""Share of common words in a paper's text: one of these."""
_SPECIFIC: Final = (0.12, 0.30, 0.55)
"""Of the other words: chance that one is of the area; of the area or field; of the area, field or subject."""
_PHRASE: Final = 0.2
_CLAUSE: Final = 13
"""Words between full stops."""
_CHUNK: Final = 50_000
"""Papers whose words are held at once."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of some papers in a row."""

    paper: Ints
    word: Ints
    place: Ints
    """Of each word in its paper, from 0; the first eight are the title."""


def plant(n: int, seed: int = 0, *, counts: bool = False) -> Given:
    """Make n papers; with `counts`, term counts in place of texts, which take less memory."""
    random = np.random.default_rng(seed)
    sizes = random.pareto(1.3, LEAVES) + 0.3
    leaf = random.choice(LEAVES, n, p=sizes / sizes.sum())
    years = np.sort(1990 + (35 * random.beta(2.2, 1.0, n)).astype(np.int32))
    nothing = random.random(n) < _NOTHING
    pairs = _citations(path_of(leaf), random)
    pairs = pairs[~nothing[pairs].any(axis=1)]
    told = _told_leaf(leaf, random)
    length = np.maximum(_TITLE + 4, random.poisson(_TITLE + _ABSTRACT, n))
    bare = random.random(n) < _NO_ABSTRACT
    length[bare] = random.integers(4, _TITLE + 1, int(bare.sum()))
    length[nothing] = 0
    chunks = (_draw(range(at, min(at + _CHUNK, n)), length, told, random) for at in range(0, n, _CHUNK))
    titles: list[str | None] = [None] * n
    abstracts: list[str | None] = [None] * n
    terms = None
    if counts:
        terms = sp.vstack([_counted(chunk, at * _CHUNK, n) for at, chunk in enumerate(chunks)], format="csr")
    else:
        _write(chunks, titles, abstracts)
    topics = path_of(leaf)
    areas = [(f"Area {area}",) for area in topics[:, 0].tolist()]
    corpus = arrays([f"planted:{row:08d}" for row in range(n)], titles, abstracts, areas, years, pairs)
    labels = {"area": topics[:, 0], "leaf": topics[:, 3]}
    return Given(f"synthetic {n:,}", corpus, labels, topics, terms, note="areas are saturated: leaf and citations tell")


def path_of(leaf: Ints) -> Ints:
    """The topics above each leaf and itself, int64 (n, 4), numbered within their level."""
    below = [int(np.prod(BRANCHES[level + 1 :])) for level in range(len(BRANCHES))]
    return np.stack([leaf // leaves for leaves in below], 1)


def _told_leaf(leaf: Ints, random: np.random.Generator) -> Ints:
    """The leaf that each text is of: the paper's own, but for those with the text of another topic."""
    siblings = BRANCHES[-1]
    near = leaf // siblings * siblings + (leaf % siblings + random.integers(1, siblings, len(leaf))) % siblings
    far = random.integers(0, LEAVES, len(leaf))
    other = np.where(random.random(len(leaf)) < _SIBLING, near, far)
    return np.where(random.random(len(leaf)) < _WRONG_TEXT, other, leaf)


def _citations(topics: Ints, random: np.random.Generator) -> Ints:
    """Pairs (citing, cited), cited < citing, int64 (m, 2)."""
    n = len(topics)
    mean, spread, most = _REFERENCES
    times = np.minimum(random.lognormal(np.log(mean) - spread**2 / 2, spread, n).astype(np.int64), most)
    times[random.random(n) < _NO_REFERENCES] = 0
    citing = np.repeat(np.arange(n), times)
    drawn, old, where = random.random((3, len(citing)))
    groups = np.column_stack([topics[:, ::-1], np.zeros(n, np.int64)])  # leaf, subject, field, area, anywhere
    cited = np.full(len(citing), -1, np.int64)
    for level, (low, high) in enumerate(zip((0.0, *_CITED), (*_CITED, 1.0), strict=True)):
        chosen = np.flatnonzero((drawn >= low) & (drawn < high))
        order = np.argsort(groups[:, level], kind="stable")
        begins = np.searchsorted(groups[order, level], groups[citing[chosen], level])
        rank = np.empty(n, np.int64)
        rank[order] = np.arange(n)
        earlier = rank[citing[chosen]] - begins
        share = np.where(old[chosen] < _RECENT, np.sqrt(where[chosen]), where[chosen] ** 3)
        at = begins + np.minimum((earlier * share).astype(np.int64), earlier - 1)
        cited[chosen] = np.where(earlier > 0, order[np.maximum(at, 0)], -1)
    return np.stack([citing, cited], 1)[cited >= 0]


def _draw(papers: range, length: Ints, told: Ints, random: np.random.Generator) -> _Words:
    """The words of some papers."""
    times = length[papers.start : papers.stop]
    paper = np.repeat(np.arange(papers.start, papers.stop), times)
    place = np.arange(len(paper)) - np.repeat(np.cumsum(times) - times, times)
    background = random.choice(_BACKGROUND, len(times))[paper - papers.start]
    common = random.random(len(paper)) < background
    level = np.searchsorted(_SPECIFIC, random.random(len(paper)), side="right")
    topic = _topic_numbers(told)[paper, level]
    chances = _zipf(_TOPIC_WORDS, 0.8), _zipf(_COMMON_WORDS, 1.05)
    word = _COMMON_WORDS + topic * _TOPIC_WORDS + np.searchsorted(chances[0], random.random(len(paper)))
    word[common] = np.searchsorted(chances[1], random.random(int(common.sum())))
    goes_on = np.flatnonzero((random.random(len(paper)) < _PHRASE) & (place > 0) & (place != _TITLE))
    word[goes_on] = _next_word(word[goes_on - 1])
    return _Words(paper, word, place)


def _topic_numbers(leaf: Ints) -> Ints:
    """One number for each topic of any level: those of the coarser levels come first."""
    before = np.cumsum([0, *(int(np.prod(BRANCHES[: level + 1])) for level in range(len(BRANCHES) - 1))])
    numbers: Ints = path_of(leaf) + before
    return numbers


def _zipf(many: int, exponent: float) -> NDArray[np.float64]:
    """Chances by rank, added up."""
    weights = np.arange(1, many + 1) ** -exponent
    total: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    total[-1] = 1.0
    return total


def _next_word(word: Ints) -> Ints:
    """The word that makes a phrase with this one: another of the same topic."""
    topical = word - _COMMON_WORDS
    within = (topical % _TOPIC_WORDS * 7 + 3) % _TOPIC_WORDS
    following: Ints = np.where(topical >= 0, word - topical % _TOPIC_WORDS + within, (word * 31 + 17) % _COMMON_WORDS)
    return following


def _counted(words: _Words, first: int, n: int) -> sp.csr_matrix:
    papers, terms = min(_CHUNK, n - first), _COMMON_WORDS + _TOPIC_WORDS * sum(np.cumprod(BRANCHES).tolist())
    twice = 1 + (words.place < _TITLE)  # as the pipeline counts titles
    return sp.csr_matrix((twice.astype(np.float32), (words.paper - first, words.word)), shape=(papers, terms))


def _write(chunks: Iterator[_Words], titles: list[str | None], abstracts: list[str | None]) -> None:
    terms = _COMMON_WORDS + _TOPIC_WORDS * sum(np.cumprod(BRANCHES).tolist())
    spelt = np.array(_FUNCTION_WORDS + [_spell(word) for word in range(len(_FUNCTION_WORDS), terms)], object)
    ended = np.array([f"{word}." for word in spelt], object)
    for words in chunks:
        text = np.where(words.place % _CLAUSE == _CLAUSE - 1, ended[words.word], spelt[words.word])
        begins = np.flatnonzero(words.place == 0)
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(text)], strict=True):
            paper = int(words.paper[begin])
            titles[paper] = " ".join(text[begin : min(end, begin + _TITLE)])
            abstracts[paper] = " ".join(text[begin + _TITLE : end]) or None


def _spell(word: int) -> str:
    """Three syllables that no other word has."""
    consonants, vowels = "bcdfghklmnprstvz", "aeiou"
    syllables = [consonants[i] + vowels[j] for i in range(16) for j in range(5)]
    return "".join(syllables[word * 36_313 // 80**power % 80] for power in range(3))
