"""Corpora that only the bench reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from bench.cora import read_cora
from bench.corpora import Absent, arrays, from_records, open_corpus
from bench.paperscape import read_paperscape
from layout.arrays import UNKNOWN


def test_paperscape_lines_are_split_at_the_first_six_semicolons(tmp_path: Path) -> None:
    lines = [
        "# a comment",
        "hep-th/9201001;hep-th,math.QA;1;17;hep-th/9112001,;C.Itzykson;Modular groups; a survey",
        'hep-th/9112001;math.QA;0;0;;A.Author;Schr\\"odinger',
        "# 2 entries",
    ]
    with gzip.open(tmp_path / "pscp-1992.csv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    given = read_paperscape(tmp_path)
    corpus = given.corpus
    assert corpus.ids == [("arxiv:hep-th/9112001",), ("arxiv:hep-th/9201001",)]
    assert corpus.titles == ["Schrödinger", "Modular groups; a survey"]
    assert corpus.areas == [("math",), ("hep-th",)]
    assert (corpus.citing.tolist(), corpus.cited.tolist()) == ([1], [0])
    assert corpus.resolved.tolist() == [UNKNOWN, 1]
    assert corpus.years.tolist() == [1992, 1992]


def test_works_that_one_paper_alone_cites_are_left_out(tmp_path: Path) -> None:
    lines = [f"a/{at};hep-th;2;2;out/1,lone/{at};X;T" for at in range(2)]
    with gzip.open(tmp_path / "pscp-1991.csv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    corpus = read_paperscape(tmp_path).corpus
    assert (corpus.n, corpus.nodes) == (2, 3)
    assert corpus.cited.tolist() == [2, 2]
    assert corpus.inside.tolist() == [0, 0]


@pytest.mark.shared_data
def test_the_real_paperscape_years_are_read(shared_data: Path) -> None:
    given = read_paperscape(shared_data / "paperscape")
    assert given.corpus.n == 10_308
    assert np.count_nonzero(given.corpus.cited < given.corpus.n) > 8_000


def test_cora_has_areas_and_classes(tmp_path: Path) -> None:
    files = {
        "paper_terms": {"7": {"AAA": 0.5, "AAB": 0.1}, "12": {"AAB": 1.0}, "3": {}},
        "term_dictionary": {"AAA": "neural", "AAB": "network"},
        "paper_references": [[7, 12], [12, 99]],
        "classification_papers": {
            "AI": [3],
            "AI/Learning": [7],
            "AI/Learning/Theory": [7],
            "Databases/Query": [12, 99],
        },
    }
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content), "utf-8")
    given = read_cora(tmp_path)
    assert given.corpus.titles == ["", "neural network", "network"]
    assert given.corpus.areas == [("AI",), ("AI",), ("Databases",)]
    assert given.labels["class"].tolist() == [-1, 0, 1]
    assert (given.corpus.citing.tolist(), given.corpus.cited.tolist()) == ([1], [2])


@pytest.mark.parametrize("read", [read_cora, read_paperscape])
def test_a_corpus_that_is_not_here_is_told_by_its_folder(read: object, tmp_path: Path) -> None:
    assert callable(read)
    with pytest.raises(Absent, match=tmp_path.name):
        read(tmp_path)


def test_a_file_of_records_is_a_corpus(tmp_path: Path) -> None:
    works = [
        {
            "id": f"https://openalex.org/W{at}",
            "title": f"Title {at}",
            "publication_year": 2000,
            "referenced_works": ["https://openalex.org/W1"],
            "concepts": [
                {"display_name": "Physics", "level": 1, "score": "0.4"},
                {"display_name": "Optics", "level": 2, "score": "0.5"},
            ],
            "host_venue": {"display_name": "Light"} if at == 1 else None,
        }
        for at in (1, 2)
    ]
    path = tmp_path / "works.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(json.dumps(work) for work in works))
    given = open_corpus(str(path), {})
    assert given.corpus.n == 2
    assert set(given.labels) == {"area"}
    more = from_records("openalex-all", path)
    assert {name: of.tolist() for name, of in more.labels.items()} == {
        "area": [0, 0],
        "topic": [0, 0],
        "journal": [0, -1],
    }
    with pytest.raises(Absent):
        open_corpus(str(tmp_path / "nothing"), {})


def test_columns_become_a_corpus_without_self_citations() -> None:
    pairs = np.array([[0, 1], [0, 1], [1, 1], [1, 3], [0, 3]])
    corpus = arrays(["a", "b"], [None, "T"], [None, None], [(), ()], np.array([1, 2], np.int32), pairs)
    assert (corpus.citing.tolist(), corpus.cited.tolist()) == ([0, 0, 1], [1, 3, 3])
    assert corpus.nodes == 4
    assert (corpus.citations.tolist(), corpus.inside.tolist()) == ([0, 1], [1, 0])
