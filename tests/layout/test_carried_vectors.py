"""Vectors that a source carries, out of a file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from corpus.build import current, read_manifest
from corpus.errors import BadSetting, LayoutFailed
from layout.carried_vectors import LONGEST, carried, file_of, fingerprint, look_at, read_vectors, spread_out
from layout.run import lay_out
from tests.layout.making import FAST, address, filled, many

PAPERS = [("doi:10.1000/a", "s2:17"), ("arxiv:2101.00001",), ("test:3",), ()]


def written(file: Path, lines: Iterable[object], *, packed: bool = False) -> Path:
    data = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines).encode()
    file.write_bytes(gzip.compress(data) if packed else data)
    return file


def cloud(n: int, d: int, seed: int = 1) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, 1, (n, d)).astype(np.float32)


def test_a_value_names_a_file_or_it_does_not() -> None:
    assert file_of("lsa") is None
    assert file_of("layout.wordllama:vectors") is None
    assert file_of("file:a/b.jsonl") == Path("a/b.jsonl")
    assert file_of("file:~/b.jsonl") == Path.home() / "b.jsonl"


@pytest.mark.parametrize("packed", [False, True])
def test_papers_are_found_by_any_identifier_in_any_form(tmp_path: Path, packed: bool) -> None:
    lines = [
        {"corpusid": 17, "model": "specter_v2", "vector": "[1.0, 2, 3e-1]"},
        "",
        {"id": "https://arxiv.org/abs/2101.00001v2", "model": "specter_v2", "vector": [4, 5, 6]},
        {"id": "doi:10.1000/a", "model": "specter_v2", "vector": [7, 8, 9]},  # a second line about the first paper
        {"id": "doi:10.1000/nobody", "model": "other", "vector": [1]},  # of no paper of ours: not even looked at
        {"id": "no identifier at all", "vector": "x"},
    ]
    rows, vectors = read_vectors(written(tmp_path / "v", lines, packed=packed), PAPERS)
    assert rows.tolist() == [0, 1]
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[1, 2, 0.3], [4, 5, 6]])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 2: Input data was truncated"),
        ('{"id": "test:3"}', "line 2: .*missing required field `vector`"),
        ('{"vector": [1]}', "line 2 says no paper: id or corpusid is needed"),
        ('{"id": "test:3", "vector": []}', "line 2: 1 to 16,384 finite numbers"),
        ('{"id": "test:3", "vector": [1, null]}', "line 2: the vector is no list of numbers"),
        ('{"id": "test:3", "vector": "[1, "}', "line 2: the vector is no list of numbers"),
        ('{"id": "test:3", "vector": {"a": 1}}', "line 2: the vector is no list of numbers"),
        ('{"id": "test:3", "vector": [1e300, 1]}', "line 2: 1 to 16,384 finite numbers"),
        ('{"id": "test:3", "vector": [1, 2]}', "line 2 is of 2 numbers, the lines before are of 3 numbers"),
        (
            '{"id": "test:3", "vector": [1, 2, 3], "model": "B"}',
            "of 3 numbers by B, the lines before are of 3 numbers;",
        ),
        ('{"id": 3, "vector": [1, 2, 3]}', "line 2: Expected `str"),
        ('{"id": "test:3", "vector": [' + "1, " * (LONGEST // 3) + "1]}", "line 2 is longer than 1,048,576 bytes"),
    ],
)
def test_a_line_that_is_no_vector_is_told_with_file_and_line(tmp_path: Path, line: str, told: str) -> None:
    file = written(tmp_path / "v.jsonl", [{"id": "s2:17", "vector": [1, 2, 3]}, line])
    with pytest.raises(BadSetting, match=rf"layout.vectors: {file}, {told}|layout.vectors: {file}, line 2 is {told}"):
        read_vectors(file, PAPERS)


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    for file, told in (
        (tmp_path / "absent", "No such file"),
        (tmp_path, "Is a directory"),
        (written(tmp_path / "empty", []), "is empty"),
    ):
        with pytest.raises(BadSetting, match=told):
            look_at(file)
    with pytest.raises(BadSetting, match="No such file"):
        fingerprint(f"file:{tmp_path / 'absent'}")
    whole = written(tmp_path / "v.gz", [{"id": "test:3", "vector": [0.1] * 5000}], packed=True).read_bytes()
    (tmp_path / "v.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadSetting, match="cannot be read: Compressed file ended"):
        look_at(tmp_path / "v.gz")


def test_what_all_vectors_share_says_nothing() -> None:
    vectors = cloud(50, 20)
    shifted = vectors + 0
    shifted[:, 3] += 400
    assert np.allclose(spread_out(shifted, 128), spread_out(vectors, 128), atol=1e-3)
    assert not spread_out(np.full((5, 3), 7, np.float32), 128).any()
    assert not spread_out(np.zeros((5, 3), np.float32), 2).any()


def test_long_vectors_keep_their_angles_in_fewer_dimensions() -> None:
    flat = cloud(300, 10) @ cloud(10, 200, 2)
    short = spread_out(flat, 16)
    assert short.shape == (300, 16)
    assert np.allclose(short @ short.T, spread_out(flat, 200) @ spread_out(flat, 200).T, atol=1e-4)


def test_a_paper_that_the_file_leaves_out_stands_where_its_own_text_says(tmp_path: Path) -> None:
    own = cloud(200, 8)
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    own[7] = 0  # no usable text
    theirs = own @ cloud(8, 12, 2) + 5
    papers = [(f"test:{n}",) for n in range(200)]
    lines = [{"id": f"test:{n}", "vector": theirs[n].tolist()} for n in range(200) if n % 4 != 1]
    vectors = carried(written(tmp_path / "v", lines), papers, own, 128)
    assert np.isfinite(vectors).all()
    assert not vectors[7].any()
    whole = spread_out(np.delete(theirs, 7, axis=0), 128)
    assert (np.delete(vectors, 7, axis=0) * whole).sum(axis=1).min() > 0.95


def test_a_file_about_other_papers_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "v", [{"id": "test:99", "vector": [1, 2]}])
    with pytest.raises(BadSetting, match="has a vector of no paper on the map"):
        carried(file, PAPERS, np.ones((4, 2), np.float32), 128)
    nothing = np.zeros((4, 2), np.float32)
    assert carried(file, PAPERS, nothing, 128) is nothing


def test_a_map_is_drawn_from_the_file_and_another_one_when_its_content_changes(tmp_path: Path) -> None:
    data = filled(tmp_path / "data", many(40))
    lines = [{"id": address(f"{n:04d}"), "vector": cloud(1, 6, n)[0].tolist()} for n in range(40)]
    file = written(tmp_path / "v.jsonl", lines)
    asked = replace(FAST, vectors=f"file:{file}")
    by_texts = lay_out(data, "sqlite", FAST)
    first = lay_out(data, "sqlite", asked)
    assert first.placed == by_texts.placed
    assert first.hash != by_texts.hash
    moved = file.rename(tmp_path / "elsewhere.jsonl")
    assert lay_out(data, "sqlite", replace(asked, vectors=f"file:{moved}")).hash == first.hash
    written(moved, [*lines[:-1], {"id": lines[-1]["id"], "vector": [9, 9, 9, 9, 9, 9]}])
    assert lay_out(data, "sqlite", replace(asked, vectors=f"file:{moved}")).hash != first.hash
    assert str(tmp_path) not in json.dumps(dict(first.parameters)), "a manifest is public"
    moved.unlink()
    standing = current(data)
    assert standing is not None
    with pytest.raises(LayoutFailed, match=r"layout.vectors: .*elsewhere.jsonl cannot be read: No such file"):
        lay_out(data, "sqlite", replace(asked, vectors=f"file:{moved}"))
    assert current(data) == standing
    assert read_manifest(standing).hash == standing.name
