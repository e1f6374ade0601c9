"""The next map: who moves, and whether the new papers stand where they belong."""

from __future__ import annotations

import numpy as np
import pytest

from bench.editions import Outcome, next_editions
from bench.topic_tree import plant
from layout.parameters import Parameters


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    return next_editions(plant(1_000), np.arange(1_000), Parameters(epochs=30, threads=1))


def test_the_newest_twentieth_comes_in_to_every_map(outcomes: dict[str, Outcome]) -> None:
    assert {outcome.papers for outcome in outcomes.values()} == {50}
    assert all(outcome.hidden > 0 for outcome in outcomes.values())


def test_adding_moves_nobody_and_beginning_anew_does(outcomes: dict[str, Outcome]) -> None:
    assert outcomes["layout --add"].moved["mean"] == 0
    assert (outcomes["layout --scratch"].moved["mean"] or 0) > 0


def test_new_papers_stand_near_what_they_cite(outcomes: dict[str, Outcome]) -> None:
    for outcome in outcomes.values():
        figure = outcome.figures["auc"]
        assert figure is not None
        assert figure.value > 0.7
    overlap = outcomes["layout --scratch"].figures["overlap"]
    assert overlap is not None
    assert overlap.value == 1
