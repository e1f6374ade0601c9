"""TeX as it stands in titles and abstracts becomes text; what is not known stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.tex import tex_to_text
from corpus.text import clean_title

TITLES = {
    r"Schr\"odinger, Schr\"{o}dinger, Schr{\"o}dinger": "Schrödinger, Schrödinger, Schrödinger",
    r"Erd\H{o}s and R\'enyi": "Erdős and Rényi",
    r"Poincar\'e, Poincar\'{e}, na\"{\i}ve, \c{c}a, \v{S}, \v S": "Poincaré, Poincaré, naïve, ça, Š, Š",
    r"\AA ngstr\"om, \o re, {\L}\'od\'z, Stra\ss e": "Ångström, øre, Łódź, Straße",
    r"50% of \& $x<y$": "50% of & x<y",
    r"10\% of \$5 and C\#": "10% of $5 and C#",
    "costs $5 and $6": "costs $5 and $6",
    "from $5 to $10 or $x$": "from $5 to $10 or x",
    "between $5 million and $6 million": "between $5 million and $6 million",
    "$3$ or $10^{-3}$": "3 or 10^-3",
    r"$\alpha$-decay of $^{12}$C": "α-decay of ^12C",
    r"$\mathcal{N}=4$ super Yang-Mills": "N=4 super Yang-Mills",
    r"$N_{f}=2+1$ and \( x \)": "N_f=2+1 and x",
    r"$\Lambda_{\rm QCD}$ at $\sqrt{s}=7$ TeV": "Λ_QCD at √s=7 TeV",
    r"$\frac{1}{2}$ and \frac{a}{b}": "1/2 and a/b",
    r"$B^{0} \to K^{*}\mu^+\mu^-$": "B^0 → K^*μ^+μ^-",
    r"$\sim 3~M_\odot$": "∼ 3 M_⊙",
    r"Large $\pt $ scattering": r"Large \pt scattering",
    r"$$ \log n $$": "log n",
    r"{\bf Bold} and {\it slanted} and \textit{a \textbf{b}}": "Bold and slanted and a b",
    r"{The} {GNU} {Manual}": "The GNU Manual",
    r"{0,1}-matrices over $\{0,1\}$": "{0,1}-matrices over {0,1}",
    r"\LaTeX\ and \TeX{}": "LaTeX and TeX",
    r"External\\Electromagnetic Fields": "External Electromagnetic Fields",
    r"P(x)\,dx\ now\/": "P(x) dx now",
    r"\href{javascript:alert(1)}{this} and \url{example.org}": "this and example.org",
    r"score \textbackslashtextless 5 and \textgreater 3": "score < 5 and > 3",
    r"N\textsuperscript{2} \ce{H2O}": "N2 H2O",
    r"\mymacro{x} \Jpsi": r"\mymacrox \Jpsi",
    r"C:\Users and a\b": r"C:\Users and a\b",
    "\\": "\\",
    "{": "{",
    "}{": "}{",
    "$": "$",
}


@pytest.mark.parametrize("raw", TITLES)
def test_titles(raw: str) -> None:
    assert clean_title(raw) == TITLES[raw]


@pytest.mark.parametrize("depth", [1, 8, 60, 2_000, 9_000])
def test_depth_costs_no_stack_and_no_letter(depth: int) -> None:
    for opening in ("{", r"\textbf{", r"\sqrt{", "_{", r"\'{"):
        assert "x" in (clean_title(opening * depth + "x" + "}" * depth) or "") or len(opening) * depth > 20_000
    assert clean_title("{" * 60 + "x" + "}" * 60) == "x"


@given(st.text(alphabet="\\{}$^_'\"`~=.,%&# abcdouvHi019", max_size=80))
@settings(max_examples=1000, deadline=None)
def test_no_tex_raises_and_none_makes_text_longer_than_its_names(raw: str) -> None:
    assert len(tex_to_text(raw)) <= len(raw) + 2


@given(st.text(st.characters(codec="utf-8", exclude_characters="\\${"), max_size=100))
def test_text_without_tex_comes_back(raw: str) -> None:
    assert tex_to_text(raw) == raw
