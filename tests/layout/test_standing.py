"""A map that stands while its corpus grows: papers are added, refitted, drawn anew."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest

from corpus.build import PAPERS, REGIONS, Manifest, Region, current
from corpus.errors import LayoutFailed
from corpus.model import Paper, PartialDate
from corpus.reasons import Policy
from corpus.store import Run, Tally
from corpus.stores import open_store
from layout.parameters import Parameters
from layout.run import lay_out
from tests.layout.making import FAST, filled, many, paper

ADD, REFIT, SCRATCH = (replace(FAST, start=start) for start in ("add", "refit", "scratch"))
NEW = [
    paper(f"5{i}", ["0000", f"000{4 * i}"], title="Growth of galaxies: one more part", areas=["Area 0"])
    for i in range(1, 3)
]


def put(data: Path, papers: list[Paper], date: str | None = None) -> None:
    """Add papers to the store of a data directory."""
    store = open_store("sqlite", data)
    run = Run(
        "r2", "2026-12-02T10:00:00+00:00", "2026-12-02T10:01:00+00:00", ("b.jsonl",), Tally(len(papers), len(papers))
    )
    store.put(papers, run)
    store.settle(run, PartialDate.parse(date) if date else None)
    store.close()


def rows(data: Path) -> dict[str, dict[str, Any]]:
    place = current(data)
    assert place is not None
    return {row["id"]: row for row in pq.read_table(place / PAPERS).to_pylist()}


def regions(data: Path) -> dict[str, Region]:
    place = current(data)
    assert place is not None
    return {one.key: one for one in msgspec.json.decode((place / REGIONS).read_bytes(), type=list[Region])}


def draw(data: Path, parameters: Parameters) -> Manifest:
    return lay_out(data, "sqlite", parameters)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a map of 120 papers."""
    place = filled(tmp_path_factory.mktemp("standing") / "data", many(120))
    draw(place, REFIT)
    return place


@pytest.fixture
def data(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made, tmp_path / "data", symlinks=True))


def test_added_papers_get_a_place_among_their_own_and_nobody_else_moves(data: Path) -> None:
    before, names = rows(data), regions(data)
    put(data, NEW)
    manifest = draw(data, ADD)
    after = rows(data)
    assert manifest.placed == 122
    assert all(
        (after[key]["x"], after[key]["y"], after[key]["region"]) == (row["x"], row["y"], row["region"])
        for key, row in before.items()
    )
    own = np.array([(row["x"], row["y"]) for row in before.values() if row["area"] == 0])
    others = np.array([(row["x"], row["y"]) for row in before.values() if row["area"] != 0])
    for one in NEW:
        at = np.array([after[one.address]["x"], after[one.address]["y"]])
        assert np.linalg.norm(own - at, axis=1).min() < np.linalg.norm(others - at, axis=1).min()
        assert after[one.address]["region"] in names
    assert {key: one.name for key, one in regions(data).items()} == {key: one.name for key, one in names.items()}
    assert manifest.quality["moved_papers"] == 120
    assert manifest.quality["moved_mean"] == 0
    assert manifest.quality["moved_neighbours_kept"] == 1
    assert (manifest.parameters["start"], manifest.parameters["previous"] is None) == ("add", False)


def test_a_paper_that_may_not_be_placed_any_more_leaves_the_map_that_stands(data: Path) -> None:
    gone = many(120)[5]
    put(data, [replace(gone, references=None, unresolved=(), references_declared=None)])
    manifest = draw(data, ADD)
    assert manifest.unplaced == {"no_reference_list": 1}
    assert rows(data)[gone.address]["x"] is None


def test_the_same_again_is_the_same_build(data: Path) -> None:
    before = current(data)
    for parameters in (REFIT, ADD, SCRATCH):
        draw(data, parameters)
        assert current(data) == before


def test_papers_that_were_added_are_fitted_in_by_the_next_layout(data: Path) -> None:
    put(data, NEW)
    added = draw(data, ADD)
    assert draw(data, ADD).hash == added.hash
    fitted = draw(data, REFIT)
    assert (fitted.placed, fitted.parameters["start"]) == (added.placed, "refit")
    assert draw(data, REFIT).hash == fitted.hash


def test_a_paper_that_could_not_be_added_is_placed_by_the_next_layout(data: Path) -> None:
    lonely = [paper("7001", ["7002"], title=None), paper("7002", [], title=None)]
    signals = {"policy": Policy.SIGNALS}
    draw(data, replace(REFIT, **signals))
    put(data, lonely)
    assert draw(data, replace(ADD, **signals)).unplaced == {"no_position_returned": 2}
    assert draw(data, replace(REFIT, **signals)).unplaced == {}


def test_another_date_of_the_data_moves_nobody(data: Path) -> None:
    before = rows(data)
    put(data, [], "2026-11-30")
    manifest = draw(data, REFIT)
    assert manifest.data_date == "2026-11-30"
    assert rows(data) == before
    assert draw(data, REFIT).hash == manifest.hash


def test_a_map_from_scratch_is_turned_onto_the_one_that_stands(data: Path) -> None:
    before = rows(data)
    put(data, NEW)
    manifest = draw(data, replace(SCRATCH, seed=7))
    after = rows(data)
    kept = np.array([[(row["x"], row["y"]), (after[key]["x"], after[key]["y"])] for key, row in before.items()])
    mirrored = kept[:, 1] * [-1, 1] + [1, 0]
    assert np.linalg.norm(kept[:, 0] - kept[:, 1], axis=1).mean() < np.linalg.norm(kept[:, 0] - mirrored, axis=1).mean()
    assert manifest.parameters["start"] == "scratch"
    assert manifest.quality["moved_papers"] == 120


def test_the_next_edition_moves_papers_a_little_and_places_the_new_ones(data: Path) -> None:
    put(data, NEW)
    manifest = draw(data, REFIT)
    assert (manifest.placed, manifest.parameters["start"]) == (122, "refit")
    assert 0 < float(manifest.quality["moved_mean"] or 0) < 0.15
    assert {key: one.name for key, one in regions(data).items()}


def test_regions_that_last_keep_their_key_and_their_name(data: Path) -> None:
    before = regions(data)
    put(data, NEW)
    draw(data, replace(SCRATCH, seed=7))
    after = regions(data)
    lasted = [key for key in before if key in after]
    assert len(lasted) >= len(before) / 2
    assert all(after[key].name == before[key].name for key in lasted)


def test_nothing_is_added_to_no_map(tmp_path: Path) -> None:
    place = filled(tmp_path / "data", many(20))
    with pytest.raises(LayoutFailed, match="no map yet that papers could be added to; run `paperatlas layout`"):
        draw(place, ADD)


def test_a_damaged_map_is_drawn_anew(data: Path) -> None:
    place = current(data)
    assert place is not None
    (place / PAPERS).write_bytes(b"no longer")
    assert draw(data, REFIT).parameters["start"] == "scratch"
    assert len(rows(data)) == 120


def test_an_operator_names_regions_and_nobody_moves(data: Path) -> None:
    before, own = rows(data), regions(data)
    first, second = list(own.values())[:2]
    (data / "region-names.toml").write_text(f'"{first.key}" = "Skies"\n"{second.name}" = "Molecules"\n', "utf-8")
    draw(data, REFIT)
    named = regions(data)
    assert (named[first.key].name, named[first.key].automatic) == ("Skies", first.name)
    assert (named[second.key].name, named[second.key].automatic) == ("Molecules", second.name)
    assert {key: row["x"] for key, row in rows(data).items()} == {key: row["x"] for key, row in before.items()}
    (data / "region-names.toml").unlink()
    draw(data, REFIT)
    assert regions(data) == own


@pytest.mark.parametrize(
    ("text", "told"),
    [("0-00 = ", "is not TOML"), ('"0-00" = 3', '"0-00" needs a name'), ('"0-00" = "a\\nb"', "in one line")],
)
def test_a_bad_file_of_names_is_told_and_the_map_stays(data: Path, text: str, told: str) -> None:
    before = current(data)
    (data / "region-names.toml").write_text(text, "utf-8")
    with pytest.raises(LayoutFailed, match=f"region-names.toml.*{told}"):
        draw(data, REFIT)
    assert current(data) == before
