"""What a table says of the maps: which beat ours, and how sure that is."""

from __future__ import annotations

import json

import pytest

from bench.map_quality import measured
from bench.tables import _mark, as_json, print_table
from bench.topic_tree import plant
from corpus.reasons import Policy
from layout.measures import Figure
from layout.parameters import Parameters

PARAMETERS = Parameters(policy=Policy.SIGNALS, epochs=10, threads=1)


def test_a_quick_table_has_every_map_but_the_slow_ones(capsys: pytest.CaptureFixture[str]) -> None:
    table = measured(plant(800), PARAMETERS, quick=True)
    drawn = [name for one in ("text", "links", "citations") for name in (f"{one}, unpolished", one)]
    assert list(table.maps) == ["random", *drawn, "ours, start", "ours, unpolished", "ours"]
    assert set(table.ceilings) == {"text vectors", "smoothed vectors", "planted tree"}
    chance = table.maps["random"]["auc"]
    assert chance is not None
    assert chance.value == pytest.approx(0.5, abs=0.05)
    print_table(table)
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("ours") for line in lines) == 3
    assert any(line.startswith("kept by ours") for line in lines)
    told = json.loads(json.dumps(as_json(table, PARAMETERS)))
    assert told["maps"]["ours"]["auc"]["count"] == table.hidden


def test_two_runs_tell_the_same() -> None:
    one, other = (measured(plant(500), PARAMETERS, quick=True) for _ in range(2))
    assert one.maps == other.maps
    assert one.ceilings == other.ceilings
    assert one.names == other.names


def test_what_beats_ours_is_marked_by_how_sure_it_is() -> None:
    ours = Figure(0.5, 0.01, 100)
    marks = [_mark(Figure(value, 0.01, 100), ours) for value in (0.4, 0.5, 0.51, 0.53)]
    assert marks == [" ", " ", "+", "*"]
    assert _mark(None, ours) == _mark(ours, None) == " "
    assert _mark(Figure(0.53, 0.02, 100), ours) == "+"
