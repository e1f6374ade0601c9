"""The answers of `status` and `why`, as objects for machines and as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from rich.table import Table
from rich.text import Text

from cli.console import out
from corpus.atlas import Atlas
from corpus.coverage import cover, total
from corpus.store import Store
from corpus.why import Answer


class StoreFacts(msgspec.Struct, frozen=True):
    """Which store it is."""

    kind: str
    version: str
    edition: str | None
    """`community` or `enterprise`; None where there is but one."""
    connect: str | None
    """How other programs get at it; None where they cannot."""


class Records(msgspec.Struct, frozen=True):
    """`read = accepted + rejected + duplicates + merged`, over all runs."""

    read: int
    accepted: int
    rejected: int
    duplicates: int
    merged: int


class BuildFacts(msgspec.Struct, frozen=True):
    """The current map."""

    hash: str
    made_at: str
    data_date: str | None
    papers: int
    placed: int
    policy: str
    seed: int
    quality: Mapping[str, float | int | None]


class StatusAnswer(msgspec.Struct, frozen=True):
    """`status --json`."""

    schema: str
    data_date: str | None
    store: StoreFacts
    records: Records
    papers: int
    stubs: int
    citations: int
    placed: int
    unplaced: Mapping[str, int]
    build: BuildFacts | None


def status_answer(store: Store, atlas: Atlas | None, connect: str | None = None) -> StatusAnswer:
    """Count the corpus against the current build. Raises `BooksDoNotBalance`."""
    size, tally, coverage = store.size(), total(store.runs()), cover(store, atlas)
    date = store.data_date()
    manifest = atlas.manifest if atlas else None
    return StatusAnswer(
        schema="status/1",
        data_date=str(date) if date else None,
        store=StoreFacts(store.kind, store.server_version(), store.edition(), connect),
        records=Records(
            tally.read, tally.accepted, sum(tally.rejected.values()), tally.duplicates, sum(tally.merged.values())
        ),
        papers=coverage.papers,
        stubs=size.stubs,
        citations=size.citations,
        placed=coverage.placed,
        unplaced=coverage.unplaced,
        build=None
        if manifest is None
        else BuildFacts(
            manifest.hash,
            manifest.made_at,
            manifest.data_date,
            manifest.papers,
            manifest.placed,
            manifest.policy,
            manifest.seed,
            manifest.quality,
        ),
    )


def print_status(answer: StatusAnswer) -> None:
    """Write the status for people."""
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    records = answer.records
    table.add_row("Data to", answer.data_date or "unknown")
    table.add_row(
        "Store", " ".join(part for part in (answer.store.kind, answer.store.version, answer.store.edition) if part)
    )
    if answer.store.connect:
        table.add_row("Connect", Text(answer.store.connect))
    table.add_row(
        "Records",
        f"{records.read:,} read = {records.accepted:,} accepted + {records.rejected:,} rejected"
        f" + {records.duplicates:,} duplicates + {records.merged:,} merged",
    )
    table.add_row(
        "Corpus",
        f"{answer.papers:,} papers, {answer.stubs:,} cited works without a record, {answer.citations:,} citations",
    )
    table.add_row("On the map", f"{answer.placed:,}")
    for reason, count in answer.unplaced.items():
        table.add_row("Not on the map", f"{count:,} {reason}")
    build = answer.build
    table.add_row("Build", f"{build.hash[:12]} of {build.made_at}" if build else "none yet: run `paperatlas layout`")
    out.print(table)


_ENOUGH: Final = ("Enough would be", "Enough for this test would be")
"""For the binding reason, and for those beside it."""


def print_answer(answer: Answer) -> None:
    """Write the answer of `why` for people. Titles are plain text: no markup of theirs is obeyed."""
    title = answer.paper.title or answer.paper.id if answer.paper else answer.query
    out.print(Text(title, style="bold"))
    if answer.on_map:
        where = " > ".join(region.name for region in answer.regions)
        out.print(Text(f"On the map{f' in {where}' if where else ''}, at x = {answer.x:.4f}, y = {answer.y:.4f}."))
    elif not answer.reasons:  # it is not known whether there is such a paper: nothing is claimed of it
        out.print(Text("It cannot be looked up now", style="bold"))
    for note in answer.notes:
        out.print(Text(f"  Note: {note}"))
    for place, reason in enumerate(answer.reasons):
        out.print(
            Text(
                f"{'Not on the map' if place == 0 and not answer.on_map else 'Also'}: {reason.title} ({reason.code})",
                style="bold",
            )
        )
        _paragraphs(reason.text, f"{_ENOUGH[place > 0]}: {reason.enough}" if reason.enough else None)
        for heading, steps in (("You can", reason.reader), ("The operator can", reason.operator)):
            for step in steps:
                out.print(Text(f"  {heading}: {step}"))
    for test in answer.passed:
        out.print(Text(f"  Passed: {test.text}"))
    for candidate in answer.candidates:
        out.print(Text(f"  Perhaps: {candidate.title or 'untitled'} ({candidate.id})"))


def _paragraphs(*texts: str | None) -> None:
    for text in texts:
        if text:
            out.print(Text(f"  {text}"))
