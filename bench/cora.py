"""CoRA, computer science papers of the 1990s, in the JSON form of github.com/APEX-WSU/CoRA: terms, citations and classes.

`paper_terms.json` {paper: {term: weight}}, `term_dictionary.json` {term: word}, `paper_references.json` [[citing, cited]],
`classification_papers.json` {"area" or "area/class" or "area/class/class": [papers]}.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from bench.corpora import Absent, Given, arrays
from layout.arrays import UNKNOWN
from layout.quality import numbered


def read_cora(folder: Path) -> Given:
    """The papers with their terms as titles; labels are areas and the classes below."""
    if not (folder / "paper_terms.json").is_file():
        raise Absent(f"{folder} has no paper_terms.json: the files of github.com/APEX-WSU/CoRA go there")
    terms, words, references, classes = (
        json.loads((folder / f"{name}.json").read_text("utf-8"))
        for name in ("paper_terms", "term_dictionary", "paper_references", "classification_papers")
    )
    ids = sorted(terms, key=int)
    at = {int(one): row for row, one in enumerate(ids)}
    areas: list[str | None] = [None] * len(ids)
    below: list[str | None] = [None] * len(ids)
    for name, papers in sorted(classes.items()):
        area, _, rest = name.partition("/")
        for row in (at[paper] for paper in papers if paper in at):
            areas[row] = areas[row] or area
            below[row] = f"{area}/{rest}" if rest else below[row]
    pairs = [(at[citing], at[cited]) for citing, cited in references if citing in at and cited in at]
    return Given(
        "cora",
        arrays(
            [f"cora:{one}" for one in ids],
            [" ".join(str(words[term]) for term in terms[one]) for one in ids],
            [None] * len(ids),
            [(area,) if area else () for area in areas],
            np.full(len(ids), UNKNOWN, np.int32),
            np.array(pairs, np.int64).reshape(-1, 2),
        ),
        {"area": numbered(areas), "class": numbered(below)},
        note="words of titles alone, in no order; areas were given by hand",
    )
