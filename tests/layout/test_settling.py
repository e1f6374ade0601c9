"""Papers that are placed among landmarks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

import layout.settling
from corpus.build import PAPERS, current, read_regions
from corpus.reasons import Policy
from corpus.store import Run, Tally
from corpus.stores import open_store
from layout.parameters import Parameters
from layout.run import lay_out
from layout.settling import Settled, settle
from layout.unit_rows import unit_rows
from layout.workers import crew
from tests.layout.making import FAST, filled, laid, many, paper

Floats = NDArray[np.float32]

TOPICS, EACH = 20, 30
N = TOPICS * EACH
TOPIC = np.arange(N) % TOPICS
LANDMARKS = np.arange(N) % 3 > 0
NONE = sp.csr_matrix((N, N), dtype=np.float32)


def vectors() -> Floats:
    """Papers of topics of which each is much like the others of its own."""
    random = np.random.default_rng(5)
    return unit_rows(np.eye(TOPICS, 32)[TOPIC] + 0.1 * random.normal(size=(N, 32)))


def places() -> Floats:
    """Of the landmarks: each topic on a spot of a circle, its papers around it."""
    random = np.random.default_rng(6)
    angle = 2 * np.pi * TOPIC / TOPICS
    spots = 0.5 + 0.4 * np.stack([np.cos(angle), np.sin(angle)], 1)
    return (spots + 0.004 * random.normal(size=(N, 2))).astype(np.float32)


def cited(*pairs: tuple[int, int]) -> sp.csr_matrix:
    graph = sp.lil_matrix((N, N), dtype=np.float32)
    for one, other in pairs:
        graph[one, other] = graph[other, one] = 1
    return graph.tocsr()


def settled(given: Floats, citations: sp.csr_matrix = NONE, parameters: Parameters = FAST) -> Settled:
    return settle(given, LANDMARKS, citations, places()[LANDMARKS], 0.02, parameters)


def number(row: int) -> int:
    """Of a paper that is no landmark, among those."""
    return int(np.count_nonzero(~LANDMARKS[:row]))


def test_papers_go_where_the_landmarks_of_their_topic_are() -> None:
    found = settled(vectors())
    off = np.linalg.norm(found.xy - places()[~LANDMARKS], axis=1)
    assert np.mean(off < 0.03) > 0.98
    near = np.flatnonzero(LANDMARKS)[found.neighbours]
    assert np.mean(TOPIC[near] == TOPIC[~LANDMARKS][:, None]) > 0.98
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert (found.ties.shape, found.ties.dtype) == ((N - LANDMARKS.sum(), LANDMARKS.sum()), np.float32)
    assert found.ties.data.min() > 0
    assert found.ties.data.max() <= 1 + 1e-6


def test_a_citation_draws_a_paper_without_a_vector_and_nothing_draws_one_without_either() -> None:
    given = vectors()
    given[[0, 3]] = 0
    found = settled(given, cited((0, 7)))
    assert np.allclose(found.xy[number(0)], places()[7])
    assert np.isnan(found.xy[number(3)]).all()
    assert found.ties[number(3)].nnz == 0


def test_a_landmark_without_a_place_draws_nobody() -> None:
    given, xy = vectors(), places()[LANDMARKS]
    given[0] = 0
    xy[int(np.count_nonzero(LANDMARKS[:7]))] = np.nan
    found = settle(given, LANDMARKS, cited((0, 7), (0, 8)), xy, 0.02, FAST)
    assert np.allclose(found.xy[number(0)], places()[8])


def test_other_processes_and_threads_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout.settling, "_TOGETHER", 50)
    links = cited(*((row, (row * 7 + 1) % N) for row in range(0, N, 3)))
    asked = (vectors(), LANDMARKS, links, places()[LANDMARKS], 0.02)
    told: list[float] = []
    alone = settle(*asked, FAST, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]
    with crew(2) as others:
        spread = settle(*asked, FAST, others)
    for other in (spread, settle(*asked, replace(FAST, threads=2))):
        assert alone.xy.tobytes() == other.xy.tobytes()
        assert alone.neighbours.tobytes() == other.neighbours.tobytes()
        assert alone.ties.data.tobytes() == other.ties.data.tobytes()


def test_a_layout_by_landmarks_places_everybody_by_their_topic() -> None:
    papers, result = laid(many(200), replace(FAST, landmarks=100))
    assert len(result.rows) == papers.n == 200
    assert ((result.xy >= 0) & (result.xy <= 1)).all()
    assert len(np.unique(result.xy, axis=0)) == 200
    topic = np.arange(200) % 4
    distance = np.linalg.norm(result.xy[:, None] - result.xy[None], axis=2)
    nearest = np.argsort(distance, axis=1)[:, 1:6]
    assert np.mean(topic[nearest] == topic[:, None]) > 0.9
    assert all(result.keys)
    assert sum(one.papers for one in result.regions if one.level == 0) == 200


def test_papers_without_text_that_only_each_other_cite_are_placed_side_by_side() -> None:
    chain = [paper(f"{at}", [f"{at - 1}"] if at > 5_000 else []) for at in range(5_000, 5_006)]
    papers, result = laid([*many(200), *chain], replace(FAST, landmarks=60, policy=Policy.SIGNALS))
    rows = [row for row, ids in enumerate(papers.ids) if ids[0].startswith("openalex:W500")]
    assert len(rows) == 6
    assert set(rows) <= set(result.rows.tolist())
    xy = result.xy[np.searchsorted(result.rows, rows)]
    assert np.linalg.norm(xy - xy.mean(axis=0), axis=1).max() < 0.1


def test_long_chains_of_papers_without_text_are_placed_and_are_in_a_region() -> None:
    chains = [
        paper(f"{chain}{at:02d}", [f"{chain}{at - 1:02d}"] if at else [f"{chain - 60:04d}"])
        for chain in range(60, 64)
        for at in range(14)
    ]
    papers, result = laid([*many(300), *chains], replace(FAST, landmarks=120))
    assert len(result.rows) == papers.n == 356
    assert all(result.keys)
    assert sum(one.papers for one in result.regions if one.level == 0) == 356


@pytest.mark.parametrize("landmarks", [1, 2, 10, 16, 40])
def test_any_number_of_landmarks_will_do(landmarks: int) -> None:
    papers, result = laid(many(41), replace(FAST, landmarks=landmarks))
    assert len(result.rows) == papers.n


def test_new_names_and_new_papers_leave_a_map_by_landmarks_as_it_is(tmp_path: Path) -> None:
    data, chosen = filled(tmp_path / "data", many(120)), replace(FAST, landmarks=50)
    lay_out(data, "sqlite", chosen)
    before = pq.read_table(data / "current" / PAPERS).to_pydict()
    region = read_regions(data / "current")[0]
    (data / "region-names.toml").write_text(f'"{region.key}" = "Ours"\n')
    lay_out(data, "sqlite", chosen)
    assert pq.read_table(data / "current" / PAPERS).to_pydict() == before
    store = open_store("sqlite", data)
    store.put(
        [paper("5000", ["0000", "0004"], title=None)], Run("r2", "2026-12-02T10:00:00+00:00", None, (), Tally(1, 1))
    )
    store.settle(Run("r2", "2026-12-02T10:00:00+00:00", None, (), Tally(1, 1)), None)
    store.close()
    assert lay_out(data, "sqlite", replace(chosen, start="add")).placed == 121
    after = pq.read_table(data / "current" / PAPERS).to_pydict()
    places = {one: (x, y) for one, x, y in zip(after["id"], after["x"], after["y"], strict=True)}
    assert [places[one] for one in before["id"]] == list(zip(before["x"], before["y"], strict=True))


def test_landmarks_give_the_same_build_on_one_and_two_threads(tmp_path: Path) -> None:
    chosen = replace(FAST, landmarks=50)
    made = [
        lay_out(filled(tmp_path / str(threads), many(120)), "sqlite", replace(chosen, threads=threads))
        for threads in (1, 2)
    ]
    assert made[0].hash == made[1].hash
    assert made[0].placed == 120
    assert made[0].parameters["landmarks"] == 50
    assert current(tmp_path / "1") is not None
