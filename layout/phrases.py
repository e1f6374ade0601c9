"""The phrases that papers are about: one to three words of titles and abstracts, without boilerplate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from layout.phrase_counts import FULL, LINK, NO, RARE, TITLE_WEIGHT, WEAK, phrases_in, read

_MAX_PHRASES: Final = 80_000
_COMMON: Final = 0.1
"""Share of the papers from which on a word is too common to name anything by itself."""
_COMMON_OF_FEW: Final = 2.5
"""In a small corpus: this many times the root of its papers. A handful of regions shares it, and what tells them apart is in many."""
_SURFACES: Final = 60
"""Texts that are looked at for how a phrase is written."""
_WORD: Final = re.compile(r"[^\W\d_](?:[\w’'-]*[^\W_])?")
LINKS: Final = frozenset("of and in for".split())
"""Words that may stand inside a phrase."""
BOILERPLATE: Final = frozenset(
    "abstract background introduction objective objectives aim aims purpose conclusion conclusions discussion "
    "copyright rights reserved elsevier springer wiley sage psycinfo apa doi http https www com org published license "
    "creative commons funding disclosure author authors pubmed embase medline cochrane systematic systematically "
    "based use used uses using new novel different various several many show shows showed shown find finds finding "
    "findings found suggest suggests provide provides present presents presented propose proposed compare compared "
    "comparing high higher highly low lower large larger small significant significantly p-value confidence interval "
    "intervals respectively important answer questions randomly random-effects randomized randomised controlled "
    "double-blind placebo placebo-controlled healthy controls selected increase increased decrease decreased "
    "investigate investigated examine examined including included include conducted performed obtained reported well "
    "also however may can could one two three first second third time times year years year-old month months week "
    "weeks day days total group groups among within associated evaluate evaluated assess assessed analyzed analysed "
    "towards toward via long-term short-term follow-up baseline mean median due like good better best de la le les "
    "des et el en der die und das von per al vol issue part notes note editorial letter comment comments response "
    "reply erratum correction chapter item items available recent current possible overall main major general "
    "specific greater less lesser examines conduct estimate estimated identify identified determine determined "
    "describe described indicate consider considered given made make need needed remain related according aged years- "
    "old brief short avec sans pour une dans".split()
)
"""Words of abstracts as such, of trials and of publishers: no phrase begins or ends with one."""
WEAK_WORDS: Final = frozenset(
    "study studies paper papers article articles review reviews research researcher researchers data dataset database "
    "analysis analyses method methods methodology result results approach approaches model models system systems "
    "theory literature overview survey publication publications journal journals effect effects role case cases "
    "comparison level levels measure measures measurement number numbers rate rates factor factors change changes "
    "treatment therapy patient patients outcome outcomes disease clinical association evaluation assessment report "
    "reports record trial trials test tests use application applications problem problems evidence process "
    "development performance quality risk symptoms meta-analysis book books work works field fields type types "
    "scientific science people individuals participants subjects evaluative purposes purpose implications correlates "
    "international century state structure".split()
)
"""Words that name nothing alone, but may be part of a name."""

_PRIOR: Final = 5.0
"""Papers with the usual share of titles that are added to those of each phrase: of a rare one little is known."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Which paper has which phrase."""

    words: list[str]
    """Lower case."""
    counts: sp.csr_matrix
    """float32 (n, phrases): 2 in the title, else 1 in the abstract."""
    weak: frozenset[str]
    """Words that name nothing alone in this corpus."""

    def titled(self) -> NDArray[np.float64]:
        """How likely each phrase is what papers are about, (phrases,) in (0, 1]: by the share of its papers that have it in the title.

        What stands in abstracts alone is how papers are written. Of 213 medical papers with `web of science` none has it in the title,
        of 132 with `risk of bias` none, of 375 with `magnetic resonance imaging` a ninth, of 343 with `hair cortisol` half; of 47
        scientometric papers with `web of science` 27. 1 from the share of the whole corpus on.
        """
        papers = np.bincount(self.counts.indices, minlength=len(self.words)).astype(np.float64)
        in_title = np.bincount(self.counts.indices[self.counts.data == TITLE_WEIGHT], minlength=len(self.words))
        if not in_title.any():
            return np.ones(len(self.words))
        usual = in_title.sum() / papers.sum()
        likely: NDArray[np.float64] = np.minimum(1, (in_title + _PRIOR * usual) / (papers + _PRIOR) / usual)
        return likely

    def holders(self) -> dict[str, NDArray[np.int32]]:
        """The papers that have each phrase, int32."""
        table = self.counts.tocsc()
        return dict(zip(self.words, np.split(table.indices, table.indptr[1:-1]), strict=True)) if self.words else {}

    def written(self, phrase: str, texts: Sequence[str]) -> str:
        """The phrase as most of these texts write it: `Google Scholar`, `DBT`; in lower case where none has it."""
        pattern = re.compile(rf"\b{re.escape(phrase)}\b", re.IGNORECASE)
        found: Counter[str] = Counter()
        for text in [text for text in texts if text][:_SURFACES]:
            found.update(_inside(match[0], text[: match.start()]) for match in pattern.finditer(text))
        return min(found, key=lambda form: (-found[form], form != phrase, form)) if found else phrase


def _inside(form: str, before: str) -> str:
    """The form as it would be inside a sentence: the capital that begins one is not part of a word."""
    begins = before.rstrip(" \"'“‘(")[-1:] in ("", ".", "?", "!", ":")
    return form[:1].lower() + form[1:] if begins and form.split()[0][1:].islower() else form


def prose(titles: Sequence[str | None], abstracts: Sequence[str | None]) -> list[str]:
    """What shows how a paper writes its words: the abstract, else a title that Does Not Capitalise Each Word; "" for neither."""
    return [
        abstract or (title if title and not _headline(title) else "")
        for title, abstract in zip(titles, abstracts, strict=True)
    ]


def _headline(title: str) -> bool:
    words = [word for word in _WORD.findall(title)[1:] if len(word) > 3]
    capitals = sum(1 for word in words if word[0].isupper())
    return 2 * capitals > len(words)


def phrases_of(titles: Sequence[str | None], abstracts: Sequence[str | None]) -> Phrases:
    """Phrases that occur in more than one paper (in any, where there are few papers), in alphabetical order.

    Takes a few hundred bytes a paper and its text once more as numbers.
    """
    n = len(titles)
    least = 1 if n < 12 else 2 if n < 2_000 else 4
    reading = read(titles, abstracts)
    common = reading.papers_with()
    usual = max(_COMMON * n, _COMMON_OF_FEW * n**0.5, least)
    weak = WEAK_WORDS | {reading.words[at] for at in np.flatnonzero(common > usual).tolist()}
    frequent = (common >= least).tolist()
    kinds = [_kind(word, often, weak) for word, often in zip(reading.words, frequent, strict=True)]
    found = list(phrases_in(reading, np.array(kinds, np.int8), least))
    words = [phrase for part in found for phrase in part.phrases]
    counts = sp.hstack([part.counts for part in found], format="csc")
    papers = np.diff(counts.indptr).tolist()
    often = sorted(range(len(words)), key=lambda at: (-papers[at], words[at]))[:_MAX_PHRASES]
    kept = sorted(often, key=words.__getitem__)
    return Phrases([words[at] for at in kept], counts[:, kept].tocsr(), frozenset(weak))


def _kind(word: str, frequent: bool, weak: frozenset[str]) -> int:
    if word in LINKS:
        return LINK
    forms = {word, word.removesuffix("s"), word.removesuffix("'s"), word.removesuffix("’s"), word.removesuffix("ly")}
    forms |= {word.removesuffix("ing"), word.removesuffix("ing") + "e", word.removesuffix("ed"), word.removesuffix("d")}
    if len(word) < 3 or forms & ENGLISH_STOP_WORDS or forms & BOILERPLATE:
        return NO
    if not frequent:
        return RARE
    return WEAK if word in weak else FULL
