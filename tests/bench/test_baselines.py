"""Every map that is compared holds all papers, and comes out the same again."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bench.baselines import OURS, Sources, drawings, drawn
from bench.hiding import hide
from bench.texts import weighed
from bench.topic_tree import plant
from layout.parameters import Parameters
from layout.smoothing import links_of
from layout.text_vectors import reduce

PARAMETERS = Parameters(epochs=20, threads=1)
N = 400


@pytest.fixture(scope="module")
def sources() -> Sources:
    given = plant(N)
    rows = np.arange(N)
    text = reduce(weighed(given), 16, 0)
    return Sources(text, links_of(hide(given.corpus, rows).left, rows, 300), PARAMETERS)


@pytest.mark.parametrize("name", [name for name in drawings(Sources.__new__(Sources)) if "umap" not in name])
def test_a_map_has_a_place_for_every_paper_and_comes_out_the_same_again(sources: Sources, name: str) -> None:
    drawing = drawings(sources)[name]
    xy, seconds = drawn(drawing, PARAMETERS, N)
    assert xy.shape == (N, 2)
    assert ((xy >= 0) & (xy <= 1)).all()
    assert seconds >= 0
    assert np.array_equal(xy, drawn(drawing, PARAMETERS, N)[0])


def test_each_source_is_what_its_name_says(sources: Sources) -> None:
    assert sources.text.graph.nnz > 0
    assert (sources.citations.graph != 0).sum() < (sources.links.graph != 0).sum()
    assert np.array_equal(sources.citations.vectors, sources.links.vectors)
    assert np.allclose(np.linalg.norm(sources.both.vectors, axis=1), 1, atol=1e-5)


def test_ours_is_what_the_layout_makes(sources: Sources) -> None:
    from layout.embedding import embed

    ours, _ = drawn(drawings(sources)[OURS], PARAMETERS, N)
    assert np.array_equal(ours, embed(sources.both.graph, sources.both.vectors, PARAMETERS))
    other = dataclasses.replace(PARAMETERS, seed=7)
    assert not np.array_equal(ours, drawn(drawings(sources)[OURS], other, N)[0])
