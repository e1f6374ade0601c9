"""TeX in titles and abstracts to plain text: accents, symbols, formatting commands, math kept as text.

Never raises, keeps what it does not know, and works inside out in at most `PASSES` linear passes, so that deep nesting costs
no stack. `%` is a percent sign here, not a comment: titles are one line (pylatexenc 2.11 cuts `50% of` to `50`).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

PASSES: Final = 8
"""Levels of nested braces that are opened; deeper ones stay as they are written."""

_ACCENTS: Final = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}


def _table(names: str, symbols: str) -> dict[str, str]:
    return dict(zip(names.split(), symbols, strict=True))


_SYMBOLS: Final = {
    **_table("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau", "αβγδεζηθικλμνξπρστ"),
    **_table("upsilon phi chi psi omega varepsilon varphi vartheta varrho varsigma", "υφχψωεφϑϱς"),
    **_table("Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega", "ΓΔΘΛΞΠΣΥΦΨΩ"),
    **_table("ss ae AE oe OE aa AA o O l L i j dh DH th TH", "ßæÆœŒåÅøØłŁıȷðÐþÞ"),
    **_table("times cdot pm mp leq geq le ge neq ne approx sim simeq equiv propto infty partial nabla", "×·±∓≤≥≤≥≠≠≈∼≃≡∝∞∂∇"),
    **_table("ll gg lesssim gtrsim leqslant geqslant cong perp parallel mid otimes oplus odot ast wedge vee", "≪≫≲≳⩽⩾≅⊥∥∣⊗⊕⊙∗∧∨"),
    **_table("subseteq supset supseteq setminus emptyset neg prime mapsto longrightarrow Leftrightarrow", "⊆⊃⊇∖∅¬′↦⟶⇔"),
    **_table("uparrow downarrow coprod oint triangle rtimes ltimes Re Im imath jmath aleph", "↑↓∐∮△⋊⋉ℜℑıȷℵ"),
    **_table("pounds euro textmu texttimes textdegree textregistered texttrademark textless textgreater", "£€µ×°®™<>"),
    **_table("in notin subset cup cap forall exists to rightarrow leftarrow leftrightarrow Rightarrow", "∈∉⊂∪∩∀∃→→←↔⇒"),
    **_table("sum prod int sqrt ell hbar circ bullet star dagger ldots dots cdots langle rangle", "∑∏∫√ℓℏ°•⋆†………⟨⟩"),
    **{name: name for name in "sin cos tan cot sinh cosh tanh log ln exp lim max min sup inf det dim ker deg arg gcd mod".split()},
    **{name: name for name in "TeX LaTeX BibTeX".split()},
    "textbackslashtextless": "<",  # as PubMed's abstracts reach OpenAlex
    "textbackslashtextgreater": ">",
    "quad": " ",
    "qquad": " ",
    "thinspace": " ",
    "textbackslash": "\\",
    "textendash": "–",
    "textemdash": "—",
    "copyright": "©",
    "degree": "°",
    "percent": "%",
}  # fmt: skip
_FORMATS: Final = (
    "text|textbf|textit|textrm|textsc|textsf|texttt|textsl|textup|textnormal|textsuperscript|textsubscript|emph|em|bf|it|rm|sc|sf|tt|"
    "mathbf|mathit|mathrm|mathsf|mathtt|mathcal|mathbb|mathfrak|mathscr|boldsymbol|bm|operatorname|mbox|hbox|underline|overline|bar|hat|"
    "tilde|vec|dot|ddot|widehat|widetilde|left|right|displaystyle|ensuremath|protect|mathop|mathord|limits|big|Big|bigg|Bigg|"
    "bold|cal|sl|frak|Bbb|bbox|ce"
)  # fmt: skip

_ACCENT: Final = re.compile(
    r"""\\(?:(["'`^~=.])\s{0,2}|([uvHcdbkr])(?:\s{1,2}|(?=[{\\])))(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))"""
)
_BRACED: Final = re.compile(rf"\\(?:{_FORMATS})\s{{0,2}}\{{([^{{}}]*)\}}")
_FRACTION: Final = re.compile(r"\\[dt]?frac\s{0,2}\{([^{}]*)\}\s{0,2}\{([^{}]*)\}")
_COMMAND: Final = re.compile(r"\\([A-Za-z]{1,24})(?![A-Za-z])(\s?)(?:\{\})?")
_ESCAPED: Final = re.compile(r"\\([%&_$#{}])")
_NO_SPACE: Final = re.compile(r"\\[!/]")
_SPACE: Final = re.compile(r"\\[,;: ]|\\\\(?![A-Za-z])|(?<=[a-z]{3})\\\\(?=[A-Z])")
"""Spaces, and the line breaks that stand where a word ends."""
_MATH: Final = re.compile(
    r"(?<!\\)\$\$([^$]{1,2000})(?<!\\)\$\$|"
    r"(?<!\\)\$(?!\d[\d.,]*\s\s?[^\W\d_]{2})(?:(?=[^\s$])([^$]{1,2000})(?<=[^\s\\])|\s?(?=[^$]{0,99}[\\^_=])([^$]{1,2000})(?<!\\))\$(?!\d)"
)
"""Math between dollars, but not the words between two prices."""
_INLINE: Final = re.compile(r"\\[()\[\]]")
_GROUP: Final = re.compile(r"([_^])\{([^{}]{1,200})\}")
_LINK: Final = re.compile(r"\\href\s?\{[^{}]{0,2000}\}\s?\{([^{}]*)\}|\\url\s?\{([^{}]*)\}")
_WORD: Final = re.compile(r"\{(?!\d+(?:, ?\d+)+\})([\w\s.,:;'’/+-]{1,200})\}")
_PLAIN: Final = frozenset(_FORMATS.split("|"))
_LETTERS: Final = frozenset("ss ae AE oe OE aa AA o O l L i j dh DH th TH".split())
"""Commands that are letters: a blank after one ends its name and is no blank."""


def tex_to_text(text: str) -> str:
    """Turn the TeX of one line into text; a text without TeX comes back as it is."""
    if "\\" not in text and "$" not in text and "{" not in text:
        return text
    text = _MATH.sub(_math, _INLINE.sub("", text))
    for _ in range(PASSES):
        before = text
        text = _ACCENT.sub(_accented, text)
        text = _LINK.sub(lambda match: match[1] or match[2] or "", text)
        text = _FRACTION.sub(r"\1/\2", text)
        text = _BRACED.sub(r"\1", text)
        text = _GROUP.sub(r"\1\2", text)
        text = _COMMAND.sub(_command, text)
        text = _WORD.sub(r"\1", text)
        if text == before:
            break
    return _ESCAPED.sub(r"\1", _SPACE.sub(" ", _NO_SPACE.sub("", text)))


def _math(match: re.Match[str]) -> str:
    return (match[1] or match[2] or match[3]).replace("~", " ")


def _accented(match: re.Match[str]) -> str:
    letter = match[3] or match[4]
    return unicodedata.normalize("NFC", letter + _ACCENTS[match[1] or match[2]])


def _command(match: re.Match[str]) -> str:
    name = match[1]
    if name in _SYMBOLS:
        return _SYMBOLS[name] + ("" if name in _LETTERS else match[2])
    return "" if name in _PLAIN else match[0]
