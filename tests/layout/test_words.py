"""From texts to words, many texts at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from layout.words import Reading, read
from tests.layout.plain_terms import plain_words

# Characters at which reading could go wrong: parts of words, breaks in and outside of ASCII, scripts with and without spaces.
CHARACTERS = st.sampled_from([*"aBé2_-.,'’ –\t\x1f\u2028\xa0ΣσςİßЖ가힣深度カโ𠀀", "the", "e\u0301", "\ud800"])
TEXTS = st.lists(st.one_of(st.lists(CHARACTERS, max_size=30).map("".join), st.text(max_size=40)), max_size=8)


def of_each(reading: Reading) -> list[list[str]]:
    places = iter(reading.places.tolist())
    return [[reading.words[next(places)] for _ in range(length)] for length in reading.lengths]


@given(TEXTS)
def test_many_texts_give_the_words_that_each_gives(texts: list[str]) -> None:
    reading = read(texts, ENGLISH_STOP_WORDS)
    assert of_each(reading) == [plain_words(text) for text in texts]
    assert len(set(reading.words)) == len(reading.words)


def test_the_last_letter_of_a_greek_word_depends_on_what_follows() -> None:
    texts = ["ΟΔΟΣ ΑΘΗΝΩΝ", "ΟΔΟΣ'ΑΘΗΝΩΝ"]
    assert of_each(read(texts, frozenset())) == [["οδος", "αθηνων"], ["οδοσ", "αθηνων"]]


def test_pairs_of_characters_come_after_the_words_of_their_text() -> None:
    texts = ["深度学 galaxies模型 halo", "", "galaxies"]
    assert of_each(read(texts, frozenset())) == [["galaxies", "halo", "深度", "度学", "模型"], [], ["galaxies"]]
