"""Texts to words that say something, and words to numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Ints = NDArray[np.int32]

_WORD: Final = re.compile(r"[^\W\d_][\w-]*[^\W_]")
_SPACELESS: Final = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003134f]+")
"""Scripts without spaces between words (Thai, Lao, Khmer, Chinese, Japanese): their pairs of characters are the words."""
_PAIR: Final = " "
"""Marks a pair of characters, until all words of a text are together."""
_BREAKS: Final = bytes(
    at if at > 127 else ord(chr(at).lower() if re.match(r"[\w-]", chr(at)) else " ") for at in range(256)
)
"""What becomes of a byte of UTF-8: lower case where it is ASCII and may stand in a word, a space where no word goes over it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of n texts, one after the other."""

    words: list[str]
    """w different ones."""
    places: Ints
    """int32 (m,) which of `words` stands at each place; in a text, pairs of scripts without spaces come last."""
    lengths: Ints
    """int32 (n,) places of each text; m in all."""


def read(texts: Sequence[str], ignored: Collection[str]) -> Reading:
    """Words of three letters or more in lower case that are not `ignored`, and pairs of characters of scripts without spaces.

    Texts are split at ASCII breaks by Arrow; each different run between them is looked at once. 2,000 to 10,000 texts share enough.
    """
    runs, lengths, different = _runs(texts)
    left_out = frozenset(ignored)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    held = [_words(run.decode("utf-8", "surrogatepass").lower(), left_out) for run in different]
    counts = np.fromiter(map(len, held), np.int64, len(held))
    places = np.fromiter(map(numbers.__getitem__, chain.from_iterable(held)), np.int32, int(counts.sum()))
    times = counts[runs]
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(times)])
    at = np.repeat((np.cumsum(counts) - counts)[runs] - ends[:-1], times) + np.arange(ends[-1])
    found, many = places[at], np.diff(ends[np.concatenate([[0], np.cumsum(lengths)])])
    pairs = np.array([word.startswith(_PAIR) for word in numbers], bool)
    if pairs.any():
        found = found[np.lexsort((pairs[found], np.repeat(np.arange(len(texts)), many)))]
    return Reading([word.lstrip(_PAIR) for word in numbers], found, many.astype(np.int32))


def _runs(texts: Sequence[str]) -> tuple[Ints, Ints, list[bytes]]:
    """The number of each run, int32 (r,), how many are in each text, int32 (n,), and the different ones."""
    # The capital sigma is the one letter whose lower case depends on what is around it, beyond a break too.
    lowered = (text.lower() if "Σ" in text else text for text in texts)
    broken = [text.encode("utf-8", "surrogatepass").translate(_BREAKS) for text in lowered]
    split = pc.ascii_split_whitespace(pa.array(broken, pa.binary()).view(pa.string()))
    runs = split.flatten().dictionary_encode()
    lengths = np.diff(split.offsets.to_numpy()).astype(np.int32)
    return runs.indices.to_numpy(), lengths, runs.dictionary.view(pa.binary()).to_pylist()


def _words(run: str, ignored: frozenset[str]) -> list[str]:
    """The words of a run and, marked, its pairs of characters of scripts without spaces."""
    if run.isascii():
        if run.isalpha():  # most of them
            return [run] if len(run) > 2 and run not in ignored else []
        return [word for word in _WORD.findall(run) if len(word) > 2 and word not in ignored]
    found = _WORD.findall(_SPACELESS.sub(" ", run))
    pairs = [_PAIR + chars[at : at + 2] for chars in _SPACELESS.findall(run) for at in range(len(chars) - 1)]
    return [word for word in found if _says_something(word) and word not in ignored] + pairs


def _says_something(word: str) -> bool:
    """A Korean word of two syllables does; elsewhere it takes three letters."""
    return len(word) > 2 or "\uac00" <= word[0] <= "\ud7a3"
