"""The tables of `bench/map_quality.py`, for people and for machines."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any, Final

from bench.baselines import OURS
from bench.corpora import Given
from bench.editions import Outcome
from bench.measures import Figures
from corpus.reasons import Policy
from layout.measures import Figure
from layout.parameters import Parameters

_NAME: Final = 22
_PLAIN: Final = frozenset({"cover"})
"""Figures of which more is not better in itself."""


@dataclass(frozen=True, slots=True)
class Table:
    """The figures of one corpus."""

    given: Given
    policy: Policy
    papers: int
    hidden: int
    maps: dict[str, Figures]
    seconds: dict[str, float]
    ceilings: dict[str, Figures]
    names: dict[str, float | int | None]
    editions: dict[str, Outcome]


def print_table(table: Table) -> None:
    """Write the figures for people."""
    columns = list(table.maps[OURS])
    widths = [max(len(column) + 1, 7) for column in columns]
    print(
        f"{table.given.name}, policy `{table.policy}`: {table.papers:,} papers on the map, {table.hidden:,} citations hidden"
    )
    if table.given.note:
        print(f"labels: {table.given.note}")
    _row("", "".join(f"{column:>{width}} " for column, width in zip(columns, widths, strict=True)) + " CPU s")
    ours = table.maps[OURS]
    for name, figures in table.maps.items():
        _row(name, f"{_cells(figures, ours, columns, widths)}{table.seconds[name]:>6.1f}")
    _row("+- standard error", _errors(ours, columns, widths))
    print("-" * (_NAME + sum(widths) + len(widths) + 6))
    for name, figures in table.ceilings.items():
        _row(name, _cells(figures, {}, columns, widths))
    _row("kept by ours", _kept(table, columns, widths))
    if table.names:
        print("regions of ours: " + ", ".join(f"{key} {value}" for key, value in table.names.items()))
    if table.editions:
        _print_editions(table.editions, list(table.given.labels))


def _row(name: str, cells: str) -> None:
    print(f"{name:<{_NAME}}{cells}".rstrip())


def _print_editions(editions: Mapping[str, Outcome], labels: Sequence[str]) -> None:
    """How the old papers moved, in shares of the map's diameter, and how the new ones stand."""
    one = next(iter(editions.values()))
    print(f"the newest {one.papers:,} papers come in, {one.hidden:,} of their citations hidden")
    moved, asked = ("mean", "p95", "far", "neighbours_kept"), ("auc", "overlap", *labels)
    names = [*(f"moved {name}".replace("moved neighbours_kept", "kept@15") for name in moved), "placed"]
    _row("", "".join(f"{name:>12}" for name in [*names, *(f"new {name}" for name in asked)]))
    for policy, outcome in editions.items():
        values = [*(outcome.moved[name] for name in moved), outcome.placed / max(outcome.papers, 1)]
        values += [figure.value if (figure := outcome.figures[name]) else None for name in asked]
        _row(policy, "".join(f"{'-' if value is None else f'{value:.3f}':>12}" for value in values))


def _cells(figures: Mapping[str, Figure | None], ours: Figures, columns: list[str], widths: list[int]) -> str:
    cells = []
    for column, width in zip(columns, widths, strict=True):
        figure = figures.get(column)
        mark = " " if column in _PLAIN else _mark(figure, ours.get(column))
        cells.append(f"{'-' if figure is None else f'{figure.value:.3f}':>{width}}{mark}")
    return "".join(cells)


def _mark(figure: Figure | None, ours: Figure | None) -> str:
    """Whether it is above ours: `*` by more than two standard errors, `+` by less."""
    if figure is None or ours is None or figure.value <= ours.value:
        return " "
    return "*" if figure.value - ours.value > 2 * max(figure.error, ours.error) else "+"


def _errors(ours: Figures, columns: list[str], widths: list[int]) -> str:
    cells = []
    for column, width in zip(columns, widths, strict=True):
        figure = ours[column]
        cells.append(f"{'' if figure is None or column in _PLAIN else f'{figure.error:.3f}':>{width}} ")
    return "".join(cells)


def _kept(table: Table, columns: list[str], widths: list[int]) -> str:
    """Share of the smoothed vectors' figure that ours keeps: of the areas, where it is meant."""
    vectors, ours = table.ceilings["smoothed vectors"], table.maps[OURS]
    cells = []
    for column, width in zip(columns, widths, strict=True):
        mine, theirs = ours[column], vectors.get(column)
        told = column in table.given.labels and mine is not None and theirs is not None and theirs.value > 0
        cells.append(f"{f'{mine.value / theirs.value:.3f}' if told and mine and theirs else '':>{width}} ")
    return "".join(cells)


def as_json(table: Table, parameters: Parameters) -> dict[str, Any]:
    """The same for machines: each figure with its standard error and what it was counted over."""

    def plain(rows: Mapping[str, Figures]) -> dict[str, Any]:
        return {name: {key: asdict(one) if one else None for key, one in row.items()} for name, row in rows.items()}

    libraries = ("faiss-cpu", "igraph", "numba", "numpy", "openTSNE", "scikit-learn", "scipy", "umap-learn")
    return {
        "schema": "map-quality/1",
        "corpus": table.given.name,
        "policy": str(table.policy),
        "papers": table.papers,
        "hidden": table.hidden,
        "maps": plain(table.maps),
        "seconds": table.seconds,
        "ceilings": plain(table.ceilings),
        "names": table.names,
        "editions": {name: asdict(outcome) for name, outcome in table.editions.items()},
        "parameters": asdict(parameters),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "libraries": {name: metadata.version(name) for name in libraries},
    }
