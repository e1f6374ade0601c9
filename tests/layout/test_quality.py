"""The figures that say how good a map is."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from corpus.build import Region
from layout.quality import measure, measure_names


def line(n: int) -> NDArray[np.float32]:
    """Papers on a line across the map."""
    return np.stack([np.linspace(0.01, 0.99, n), np.full(n, 0.5)], 1).astype(np.float32)


def pairs(n: int, ties: list[tuple[int, int]]) -> sp.csr_matrix:
    here, there = np.array(ties).T
    half = sp.csr_matrix((np.ones(len(ties), np.float32), (here, there)), shape=(n, n))
    return half.maximum(half.T).tocsr()


def nearby(n: int, k: int = 15) -> NDArray[np.int32]:
    """The true neighbours on the line, nearest first."""
    rows = np.arange(n)
    far = np.abs(rows[:, None] - rows[None]).astype(float)
    np.fill_diagonal(far, np.inf)
    return np.argsort(far, axis=1, kind="stable")[:, :k].astype(np.int32)


def test_a_map_that_keeps_everything_scores_full_marks() -> None:
    n = 200
    areas = ["left"] * 100 + ["right"] * 100
    figures = measure(line(n), pairs(n, [(i, i + 1) for i in range(n - 1)]), areas, nearby(n), 0)
    assert figures["citation_auc_seen"] == pytest.approx(1, abs=0.02)
    assert figures["area_accuracy_10"] == pytest.approx(1, abs=0.05)
    assert figures["neighbour_recall_15"] == pytest.approx(1, abs=0.05)


def test_a_map_that_keeps_nothing_scores_like_chance() -> None:
    n = 400
    random = np.random.default_rng(0)
    shuffled = line(n)[random.permutation(n)]
    areas = ["left"] * (n // 2) + ["right"] * (n // 2)
    figures = measure(shuffled, pairs(n, [(i, i + 1) for i in range(n - 1)]), areas, nearby(n), 0)
    assert figures["citation_auc_seen"] == pytest.approx(0.5, abs=0.05)
    assert figures["area_accuracy_10"] == pytest.approx(0.5, abs=0.15)
    assert (figures["neighbour_recall_15"] or 0) < 0.1


def test_what_cannot_be_measured_is_none_and_not_zero() -> None:
    nothing = measure(np.zeros((0, 2), np.float32), sp.csr_matrix((0, 0)), [], np.zeros((0, 0), np.int32), 0)
    assert set(nothing.values()) == {None}
    n = 30
    bare = measure(line(n), sp.csr_matrix((n, n), dtype=np.float32), [None] * n, nearby(n), 0)
    assert bare["citation_auc_seen"] is None
    assert bare["area_accuracy_10"] is None


def test_papers_without_an_area_are_not_judged_by_it() -> None:
    n = 60
    areas: list[str | None] = ["left"] * 25 + [None] * 10 + ["right"] * 25
    figures = measure(line(n), pairs(n, [(0, 1)]), areas, nearby(n), 0)
    assert (figures["area_accuracy_10"] or 0) > 0.85


def test_coverage_counts_cells() -> None:
    one_spot = np.full((50, 2), 0.5, np.float32)
    assert measure(one_spot, sp.csr_matrix((50, 50)), [None] * 50, nearby(50), 0)["coverage_64"] == pytest.approx(
        1 / 4096, abs=1e-4
    )


def test_neighbours_by_text_are_counted_apart_and_papers_without_text_not_at_all() -> None:
    n = 200
    turn = np.linspace(0, np.pi / 2, n)
    text = np.stack([np.cos(turn), np.sin(turn)], 1).astype(np.float32)
    none = sp.csr_matrix((n, n), dtype=np.float32)
    full = measure(line(n), none, [None] * n, nearby(n), 0, text)["text_recall_15"]
    assert full == pytest.approx(1, abs=0.05)
    text[150:] = 0
    assert measure(line(n), none, [None] * n, nearby(n), 0, text)["text_recall_15"] == pytest.approx(full, abs=0.05)
    assert measure(line(n), none, [None] * n, nearby(n), 0, np.zeros((n, 2), np.float32))["text_recall_15"] is None


def test_a_paper_far_from_all_others_is_an_outlier() -> None:
    crowd = np.random.default_rng(0).normal(0.3, 0.01, (199, 2))
    xy = np.vstack([crowd, [[0.95, 0.95]]]).astype(np.float32)
    assert measure(xy, sp.csr_matrix((200, 200)), [None] * 200, nearby(200), 0)["outliers"] == pytest.approx(1 / 200)


def test_figures_of_chance_and_of_hubs_are_told_apart() -> None:
    n = 300
    xy = np.random.default_rng(1).random((n, 2), dtype=np.float32)
    hub = np.argmin(np.linalg.norm(xy - 0.5, axis=1))
    figures = measure(
        xy,
        sp.csr_matrix((np.ones(n - 1, np.float32), (np.delete(np.arange(n), hub), [hub] * (n - 1)))),
        [None] * n,
        nearby(n),
        0,
    )
    assert (figures["citation_auc_seen"] or 0) > 0.55, "a paper in the middle is nearer than chance to all"
    assert figures["citation_auc_seen_degree"] is None, "and no other is cited"


def test_names_that_tell_are_unique_and_stand_in_their_own_papers() -> None:
    regions = [
        Region(key=f"0-0{at}", name=name, level=0, parent=None, x=0.5, y=0.5, papers=10)
        for at, name in enumerate(["Dark matter / haloes", "Enzymes"])
    ]
    keys: list[str | None] = ["0-00"] * 10 + ["0-01"] * 10
    titles: list[str | None] = (
        ["The dark matter of galaxies"] * 9 + ["A survey"] + ["Folding enzymes (review)"] * 9 + [None]
    )
    abstracts: list[str | None] = [None] * 20
    figures = measure_names(regions, keys, titles, abstracts, 0)
    assert figures == {
        "region_names_unique": 1,
        "region_names_coverage": pytest.approx(18 / 19, abs=1e-3),
        "region_names_elsewhere": 0,
        "region_names_like_parent": None,
    }


def test_numbered_names_are_not_unique_and_words_inside_words_do_not_count() -> None:
    regions = [
        Region(key=f"0-0{at}", name=name, level=0, parent=None, x=0.5, y=0.5, papers=10)
        for at, name in enumerate(["Star", "Star (2)"])
    ]
    figures = measure_names(regions, ["0-00", "0-01"], ["Starch", "Stars"], [None, None], 0)
    told = dict.fromkeys(("region_names_unique", "region_names_coverage", "region_names_elsewhere"), 0)
    assert figures == {**told, "region_names_like_parent": None}


def test_names_that_say_little_more_than_the_one_above_are_counted() -> None:
    named = {
        "0-00": "Dark matter",
        "1-00": "Cold dark matter",
        "1-01": "Dark energy / surveys",
        "1-02": "Galaxies",
        "1-03": "Dark matter (2)",
    }
    regions = [
        Region(key=key, name=name, level=int(key[0]), parent="0-00" if key[0] == "1" else None, x=0.5, y=0.5, papers=1)
        for key, name in named.items()
    ]
    assert measure_names(regions, [], [], [], 0)["region_names_like_parent"] == 0.5


def test_a_map_without_regions_has_no_figures_of_names() -> None:
    assert set(measure_names([], [None], ["A title"], [None], 0).values()) == {None}
