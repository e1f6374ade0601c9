"""arXiv papers of 1991 to 1993 as Paperscape gives them: titles, categories and the references that it could resolve.

Lines `id;categories;found refs;total refs;refs;authors;title`, `#` before comments, `;` in titles. ODbL 1.0, George and Knegjens.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from bench.corpora import Absent, Given, arrays, with_stubs
from corpus.tex import tex_to_text
from layout.quality import numbered


def read_paperscape(folder: Path) -> Given:
    """All the years of a folder. The label is the archive of the first category, as `hep-th`; authors choose it."""
    files = sorted(folder.glob("pscp-*.csv.gz"))
    if not files:
        raise Absent(f"{folder} has no pscp-<year>.csv.gz")
    rows: dict[str, tuple[str, list[str], str, int]] = {}
    for file in files:
        year = int(file.name[5:9])
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("#") and line.strip():
                    name, categories, _, _, references, _, title = line.rstrip("\n").split(";", 6)
                    rows[name] = (categories, [one for one in references.split(",") if one], title, year)
    ids = sorted(rows)
    first = [rows[one][0].split(",")[0] for one in ids]
    return Given(
        "paperscape",
        arrays(
            [f"arxiv:{one}" for one in ids],
            [tex_to_text(rows[one][2]) for one in ids],
            [None] * len(ids),
            [(category.split(".")[0],) for category in first],
            np.array([rows[one][3] for one in ids], np.int32),
            with_stubs(ids, [rows[one][1] for one in ids]),
        ),
        {"area": numbered([category.split(".")[0] for category in first])},
        note="titles alone; the area is the archive that the authors chose",
    )
