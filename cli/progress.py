"""Progress on stderr: bars with rate and ETA on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from corpus.sentences import many
from ingest.run import Progress as Ingested
from layout.run import Stage

T = TypeVar("T")

QUIET_SECONDS = 5.0
"""Between two lines where stderr is no terminal."""


@contextmanager
def ingest_progress(console: Console) -> Iterator[Callable[[Ingested], None]]:
    """Show bytes read, records, rate and ETA (from bytes: the records of a file are not known before its end)."""
    if not console.is_terminal:
        yield _lines(console, _ingested)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[note]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Reading", total=None, note="")

        def show(at: Ingested) -> None:
            bar.update(
                task,
                total=at.bytes_total,
                completed=at.bytes_read,
                note=f"{many(at.records, 'record')}, {at.rate:,.0f}/s",
            )

        yield show


@contextmanager
def layout_progress(console: Console) -> Iterator[Callable[[Stage], None]]:
    """Show the stage, and how far it is where that is known."""
    if not console.is_terminal:
        yield _stages(console)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Layout", total=None)

        def show(at: Stage) -> None:
            if at.done is None:  # a stage begins, and its clock
                bar.reset(task, description=f"Layout: {at.name}", total=None)
            else:
                bar.update(task, total=1.0, completed=at.done)

        yield show


def _stages(console: Console) -> Callable[[Stage], None]:
    """Name each stage that begins, and now and then how far it is."""

    def text(at: Stage) -> str:
        return f"layout: {at.name}, {at.done or 0:.0%}"

    further = _lines(console, text)

    def show(at: Stage) -> None:
        if at.done is None:
            console.print(f"  layout: {at.name}", markup=False)
        else:
            further(at)

    return show


def _lines(console: Console, text: Callable[[T], str]) -> Callable[[T], None]:
    last = time.monotonic()

    def show(at: T) -> None:
        nonlocal last
        if time.monotonic() - last >= QUIET_SECONDS:
            last = time.monotonic()
            console.print(f"  {text(at)}", markup=False)

    return show


def _ingested(at: Ingested) -> str:
    seconds = at.records / at.rate if at.rate else 0.0
    left = seconds * (at.bytes_total - at.bytes_read) / at.bytes_read if at.bytes_read else 0.0
    return (
        f"{many(at.records, 'record')}, {_share(at.bytes_read, at.bytes_total)}, {at.rate:,.0f}/s, {left:,.0f} s left"
    )


def _share(part: int, whole: int | None) -> str:
    return f"{part / whole:.0%}" if whole else f"{part / 1e6:.0f} MB"
