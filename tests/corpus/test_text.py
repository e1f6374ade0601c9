"""Titles and abstracts of every make come out as text: nothing raises, nothing is lost, twice is as good as once."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.text import MAX_ABSTRACT, MAX_TITLE, clean_abstract, clean_title

TITLES = {
    "H<sub>2</sub>O": "H2O",
    "<i>E. coli</i> in <b>mice</b>": "E. coli in mice",
    "<jats:p>One.</jats:p><jats:p>Two.</jats:p>": "One. Two.",
    "<p class=\"a\" id='b'>One</p><br/>two": "One two",
    "<mml:math><mml:mi>x</mml:mi><mml:mo>=</mml:mo><mml:mn>1</mml:mn></mml:math>": "x=1",
    "a<!-- not\nseen -->b <![CDATA[kept]]>": "a b kept",
    "p<0.05 and x>3": "p<0.05 and x>3",
    "a<b and c>d": "a<b and c>d",
    "x < y > z <- w": "x < y > z <- w",
    "<111> faces": "<111> faces",
    "List<String> at <http://example.org>": "List<String> at <http://example.org>",
    "<script>alert(1)</script>": "<script>alert(1)</script>",
    "AT&amp;T": "AT&T",
    "R&amp;amp;D": "R&D",
    "a &lt;b&gt;bold&lt;/b&gt; word": "a bold word",
    "&amp;lt;i&amp;gt;x&amp;lt;/i&amp;gt;": "x",
    "Q&A, AT&T, x&y;": "Q&A, AT&T, x&y;",
    "caf&eacute; &#233; &#xE9;": "café é é",
    "&#0; &#xD800; &#99999999999;": "\ufffd \ufffd \ufffd",
    "&#" + "9" * 5000 + ";": "\ufffd",
    "a&nbsp;b\u00a0c\u2003d\te\r\nf": "a b c d e f",
    "a\x00b\x0bc\x1fd\x7fe\x85f": "a b c d e f",
    "left\u202eright\u2066x\u2069": "leftrightx",
    "zero\u200bwidth\ufeff so\u00adft": "zerowidth soft",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # a joiner that spelling needs
    "lone \ud800 surrogate": "lone \ufffd surrogate",
    "e\u0301te\u0301": "été",
    "\U0001f600 \u05d0\u05d1 \u0639\u0631\u0628\u064a": "\U0001f600 \u05d0\u05d1 \u0639\u0631\u0628\u064a",
    "=SUM(A1) +1 -1 @x": "=SUM(A1) +1 -1 @x",
    "  spaced   out ": "spaced out",
}


@pytest.mark.parametrize("raw", TITLES)
def test_titles(raw: str) -> None:
    assert clean_title(raw) == TITLES[raw]


@pytest.mark.parametrize("raw", [None, "", " ", "\x00\u200b", "<p></p>", "<i> </i>", "$$", r"\emph{}"])
def test_a_title_of_nothing_is_no_title(raw: str | None) -> None:
    assert clean_title(raw) in (None, "$$")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (None, None),
        ("", ""),
        (" \n ", ""),
        ("<jats:title>Abstract</jats:title><jats:p>We show.</jats:p>", "We show."),
        ("Abstract: We show.", "We show."),
        ("ABSTRACT. We show.", "We show."),
        ("Abstract Background We show.", "Background We show."),
        ("Abstract — We show.", "We show."),
        ("Abstract Abstract We show.", "We show."),
        ("Abstract", "Abstract"),
        ("Abstract syntax trees are", "Abstract syntax trees are"),
        ("Abstract Syntax Trees are", "Abstract Syntax Trees are"),
        ("Abstract Interpretation is", "Abstract Interpretation is"),
        ("Abstracting is hard.", "Abstracting is hard."),
        ("An abstract: short.", "An abstract: short."),
    ],
)
def test_abstracts(raw: str | None, text: str | None) -> None:
    assert clean_abstract(raw) == text


ANY = st.text(st.characters(codec=None), max_size=200)
MARKUP = st.lists(
    st.sampled_from(
        [
            " ",
            "\n",
            *"& &amp; &lt; &gt; &#38; &#60; < > </ /> <b> </b> <!-- --> <jats:p> \\ { } $ $$ ^ _ \\' \\bf \\frac \\text{".split(
                " "
            ),
            *"\\alpha \\textless \\textbackslash \\$ \\{ ~ % ; # x y 1 Abstract : \u200b \u202e \ud800 \x00 \u0301 é".split(
                " "
            ),
        ]
    ),
    max_size=40,
).map("".join)


@given(ANY | MARKUP)
@settings(max_examples=500, deadline=None)
def test_twice_is_as_good_as_once_and_nothing_unwanted_is_left(raw: str) -> None:
    for clean in (clean_title, clean_abstract):
        text = clean(raw)
        assert text is None or clean(text) == text
        assert not re.search(
            r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]|\s\s", text or ""
        )
        assert (text or "").strip() == (text or "")


PLAIN = st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="&<>\\${}")


@given(st.text(PLAIN, max_size=200))
@settings(max_examples=300, deadline=None)
def test_without_markup_nothing_changes_but_blanks(raw: str) -> None:
    assert clean_title(raw) == (" ".join(unicodedata.normalize("NFC", raw).split()) or None)


@given(
    st.lists(
        st.sampled_from(
            ["QXZ", "JKW", "&", "<", ">", "</", "\\", "{", "}", "$", "^", "_", "%", "~", '"', "'", ";", "=", " ", "9"]
        ),
        max_size=60,
    )
)
@settings(max_examples=500, deadline=None)
def test_words_that_no_tag_and_no_macro_has_are_kept_in_order(pieces: list[str]) -> None:
    """Unknown tags, macros and entities are text; an accent may join a letter and is taken off again here."""
    text = unicodedata.normalize("NFD", clean_title("".join(pieces)) or "")
    letters = "".join(piece for piece in pieces if piece.isalpha())
    assert "".join(letter for letter in text if letter in "QXZJKW") == letters


def test_a_megabyte_is_cut_to_what_is_kept() -> None:
    assert len(clean_title("word " * 200_000) or "") <= MAX_TITLE
    assert len(clean_abstract("word " * 200_000) or "") <= MAX_ABSTRACT


@pytest.mark.parametrize(
    "piece",
    [
        "<", "<a ", "<a b=", "<a b='", '<a b="x" ', "<!--", "<!-- -", "--", "]]>", "&", "&amp;", "&#", "&#1", "&lt;", "&amp;lt;",
        "<b>", "<b<b>>", "</", "Abstract ", " ", "\u202e", "\u0301", "\x00", "\ud800", "$", "$a", "$ a_", "\\", "{", "}", "{a}",
        "_{", "^{a}", "\\frac{", "\\frac{a}{", "\\textbf{", "\\'{", "\\alpha{}", "}^{a}", "{a}</b>", "\\href{a}{", "\\\\", "{1,1",
    ],
)  # fmt: skip
@pytest.mark.timeout(20)
def test_no_text_takes_long(piece: str) -> None:
    """200,000 characters take well under a second; anything worse than linear would take minutes."""
    begun = time.process_time()
    clean_abstract(piece * (1_000_000 // len(piece)))
    assert time.process_time() - begun < 10
