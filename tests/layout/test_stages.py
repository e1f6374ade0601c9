from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import layout.gazetteer
from corpus.model import Paper
from corpus.reasons import Policy, Reason
from layout.arrays import Corpus
from layout.parameters import Parameters
from layout.stages import Laid
from tests.layout.making import FAST, corpus, laid, many, paper, seeded

TWINS = [paper(f"{i}", ["900"], title="The same words for everyone here") for i in range(1, 31)]
TWO_PARTS = many(40, text=False, topics=2)
GIANT_AND_CRUMBS = [
    *many(60, topics=1),
    *(paper(f"7{i}", [f"7{i ^ 1}"], title=f"crumb {i // 2} quite apart from all others") for i in range(10, 40)),
]
CASES = {
    "none": [],
    **{f"{n} papers": many(n) for n in (1, 2, 3, 4, 5, 14, 15, 16, 17)},
    "all the same": TWINS,
    "no text": many(40, text=False),
    "no links": many(40, links=False),
    "two components without text": TWO_PARTS,
    "a giant and crumbs": GIANT_AND_CRUMBS,
    "neither text nor links": many(20, text=False, links=False),
    "no list": [paper(f"{i}", None, title="a title of some length") for i in range(20)],
    "stop words": [paper(f"{i}", ["90"], title="of the and") for i in range(20)],
    "chinese": [paper(f"{i}", ["90"], title="基于深度学习的图像识别方法研究") for i in range(20)],
    "one citation": [paper("1", ["2"]), paper("2", ["90"])],
    "itself": [paper("1", ["1"])],
}


def check(arrays: Corpus, map_: Laid) -> None:
    """The law of every map."""
    assert len(map_.rows) + sum(map(bool, map_.reasons)) == arrays.n
    assert all(not map_.reasons[row] for row in map_.rows)
    assert np.all(np.isfinite(map_.xy))
    assert map_.xy.dtype == np.float32
    assert np.all((map_.xy >= 0) & (map_.xy <= 1))
    assert len(np.unique(map_.xy, axis=0)) == len(map_.rows)
    assert np.all((map_.confidence >= 0) & (map_.confidence <= 1))
    keys = {region.key for region in map_.regions}
    assert {key for key in map_.keys if key} <= keys
    assert {region.parent for region in map_.regions if region.parent} <= keys
    for level in range(3):
        of_level = [region for region in map_.regions if region.level == level]
        assert len({region.name for region in of_level}) == len(of_level)
        assert not of_level or sum(region.papers for region in of_level) == len(map_.rows)


@pytest.mark.parametrize("papers", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("policy", Policy)
def test_whatever_comes_in_is_placed_or_has_a_reason(papers: Sequence[Paper], policy: Policy) -> None:
    check(*laid(papers, Parameters(policy=policy, epochs=20, polish=5, threads=1)))


def test_papers_with_a_signal_are_all_placed() -> None:
    for name in ("17 papers", "all the same", "no text", "no links", "two components without text"):
        _, map_ = laid(CASES[name])
        assert len(map_.rows) == len(CASES[name]), name
    assert not len(laid(CASES["neither text nor links"])[1].rows)


def test_topics_stand_apart() -> None:
    papers = many(80)
    _, map_ = laid(papers, Parameters(epochs=200, threads=1))
    topic = map_.rows % 4
    centres = np.array([map_.xy[topic == one].mean(axis=0) for one in range(4)])
    nearest = np.linalg.norm(map_.xy[:, None] - centres[None], axis=2).argmin(axis=1)
    assert np.mean(nearest == topic) > 0.95


def test_components_without_text_stand_apart() -> None:
    _, map_ = laid(TWO_PARTS, Parameters(epochs=200, threads=1))
    even = map_.rows % 2 == 0
    within = np.linalg.norm(map_.xy[even] - map_.xy[even].mean(axis=0), axis=1).mean()
    assert np.linalg.norm(map_.xy[even].mean(axis=0) - map_.xy[~even].mean(axis=0)) > 1.5 * within


def test_the_map_depends_on_neither_the_order_of_arrival_nor_chance() -> None:
    papers = many(60)
    _, first = laid(papers)
    _, again = laid(papers[::-1])
    assert np.array_equal(first.xy, again.xy)
    assert first.regions == again.regions
    assert not np.array_equal(first.xy, laid(papers, seeded(7))[1].xy)


def test_text_that_is_wholly_unlike_still_gets_a_place_by_its_links() -> None:
    papers = [*many(40), paper("5555", ["0001", "0005", "0009"], title=None)]
    arrays, map_ = laid(papers, Parameters(epochs=200, threads=1))
    row = next(row for row in range(arrays.n) if arrays.ids[row][0].endswith("5555"))
    at = int(np.flatnonzero(map_.rows == row)[0])
    near = np.linalg.norm(map_.xy - map_.xy[at], axis=1).argsort()[1:6]
    assert np.mean(map_.rows[near] % 4 == 1) >= 0.8


def test_an_unplaced_paper_keeps_its_first_reason() -> None:
    arrays, map_ = laid([*many(20), paper("7777", None, title="stability of enzymes in solution")])
    assert {map_.reasons[row][0] for row in range(arrays.n) if map_.reasons[row]} == {Reason.NO_REFERENCE_LIST}


def test_quality_is_told_where_it_can_be_measured() -> None:
    _, map_ = laid(many(80))
    assert all(value is not None and 0 <= value <= 1 for value in map_.quality.values())
    assert (map_.quality["citation_auc_seen"] or 0) > 0.7
    assert set(laid([])[1].quality.values()) == {None}
    assert corpus([]).n == 0
    assert FAST.seed == 42


def test_regions_of_a_large_corpus_are_named_from_some_of_its_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout.gazetteer, "READ", 60)
    arrays, map_ = laid(many(120))
    check(arrays, map_)
    words = " ".join(one.name.lower() for one in map_.regions)
    assert all(topic in words for topic in ("matter", "protein", "inflation", "neural"))
