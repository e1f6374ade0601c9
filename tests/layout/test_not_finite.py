"""No number that is not finite leaves the layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpus.build import current
from corpus.errors import LayoutFailed
from layout.run import lay_out
from layout.stages import TooManyLost
from tests.layout.making import FAST, laid, many
from tests.layout.test_run import filled

BROKEN = replace(FAST, learning_rate=1e300)
"""Steps so long that every position overflows."""


def test_a_map_whose_positions_are_lost_is_no_map() -> None:
    with pytest.raises(TooManyLost, match="40 of 40 papers"):
        laid(many(40), BROKEN)


def test_the_old_map_stays_then_and_the_stage_is_told(tmp_path: Path) -> None:
    data = filled(tmp_path / "data", many(40))
    lay_out(data, "sqlite", FAST)
    before = current(data)
    with pytest.raises(LayoutFailed, match="without a position") as failed:
        lay_out(data, "sqlite", BROKEN)
    assert failed.value.stage == "placing papers"
    assert current(data) == before
    assert [path.name for path in (data / "builds").iterdir()] == [before.name if before else ""]
