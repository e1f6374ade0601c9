"""A layout that was interrupted goes on where it stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import layout.arrangement
import layout.stages
from layout.checkpoints import FOLDER, Arrays, Checkpoints, key_of
from layout.stages import Clock, lay_out_corpus
from tests.layout.making import FAST, corpus, many


class Interrupted(Exception):
    """The end of a process."""


def never() -> Arrays:
    raise AssertionError("it was made before")


def test_a_stage_that_was_done_is_not_done_again(tmp_path: Path) -> None:
    kept = Checkpoints.of(tmp_path, "a")
    made = kept.arrays("x", lambda: (np.arange(3), np.eye(2, dtype=np.float32)))
    again = Checkpoints.of(tmp_path, "a").arrays("x", never)
    assert [one.dtype for one in again] == [one.dtype for one in made]
    assert all(np.array_equal(one, other) for one, other in zip(made, again, strict=True))


def test_a_sparse_matrix_comes_back_as_it_was(tmp_path: Path) -> None:
    matrix = sp.random(20, 30, 0.1, "csr", np.float32, rng=np.random.default_rng(0))
    kept = Checkpoints.of(tmp_path, "a")
    kept.matrix("m", lambda: matrix)
    again = kept.matrix("m", lambda: sp.csr_matrix((0, 0)))
    assert again.shape == matrix.shape
    assert again.dtype == np.float32
    assert (again != matrix).nnz == 0


def test_what_another_layout_left_is_removed(tmp_path: Path) -> None:
    Checkpoints.of(tmp_path, "a").arrays("x", lambda: (np.arange(3),))
    Checkpoints.of(tmp_path, "b")
    assert [path.name for path in (tmp_path / "builds" / FOLDER).iterdir()] == ["b"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no longer whole", b"\x93NUMPY"])
def test_a_damaged_file_is_as_if_there_were_none(tmp_path: Path, content: bytes) -> None:
    kept = Checkpoints.of(tmp_path, "a")
    assert kept.folder is not None
    kept.arrays("x", lambda: (np.arange(3),))
    (kept.folder / "x.npz").write_bytes(content)
    (made,) = kept.arrays("x", lambda: (np.arange(4),))
    assert len(made) == 4
    (again,) = kept.arrays("x", never)
    assert len(again) == 4


def test_a_changed_byte_is_noticed_wherever_it_is(tmp_path: Path) -> None:
    kept = Checkpoints.of(tmp_path, "a")
    assert kept.folder is not None
    kept.arrays("x", lambda: (np.arange(3), np.arange(5)))
    file = kept.folder / "x.npz"
    whole = file.read_bytes()
    for at in range(0, len(whole), 7):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 8]) + whole[at + 1 :])
        with pytest.raises(AssertionError):
            kept.arrays("x", never)
        kept.arrays("x", lambda: (np.arange(3), np.arange(5)))
        assert file.read_bytes() == whole


def test_nothing_is_kept_without_a_folder() -> None:
    kept = Checkpoints()
    (made,) = kept.arrays("x", lambda: (np.arange(3),))
    assert len(made) == 3
    kept.done()


def test_another_corpus_has_another_key() -> None:
    assert key_of({"corpus": "a"}, 3) == key_of({"corpus": "a"}, 3)
    assert len({key_of({"corpus": "a"}, 3), key_of({"corpus": "b"}, 3), key_of({"corpus": "a"}, 4)}) == 3


def test_an_interrupted_layout_ends_as_an_undisturbed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays, clock = corpus(many(60)), Clock(lambda _name, _done: None)
    calm = lay_out_corpus(arrays, FAST, clock)
    kept = Checkpoints.of(tmp_path, "a")

    def interrupted(*_: object) -> None:
        raise Interrupted

    with monkeypatch.context() as patched:
        patched.setattr(layout.arrangement, "positions", interrupted)
        with pytest.raises(Interrupted):
            lay_out_corpus(arrays, FAST, clock, kept=kept)
    for where, done in ((layout.stages, "weigh_terms"), (layout.stages, "vectors_of"), (layout.arrangement, "nearest")):
        monkeypatch.setattr(where, done, lambda *_: never())
    resumed = lay_out_corpus(arrays, FAST, clock, kept=kept)
    assert resumed.xy.tobytes() == calm.xy.tobytes()
    assert resumed.keys == calm.keys
    kept.done()
    assert not (tmp_path / "builds" / FOLDER).exists()


def test_papers_that_were_placed_among_landmarks_are_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays, clock, chosen = corpus(many(80)), Clock(lambda _name, _done: None), replace(FAST, landmarks=40)
    calm = lay_out_corpus(arrays, chosen, clock)
    kept = Checkpoints.of(tmp_path, "a")
    lay_out_corpus(arrays, chosen, clock, kept=kept)
    for done in ("nearest", "positions", "settle"):
        monkeypatch.setattr(layout.arrangement, done, lambda *_: never())
    resumed = lay_out_corpus(arrays, chosen, clock, kept=kept)
    assert resumed.xy.tobytes() == calm.xy.tobytes()
    assert resumed.keys == calm.keys
