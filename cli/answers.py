"""The answers of `status` and `why`, as objects for machines and as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from rich.text import Text

from cli.console import out, print_columns
from cli.hints import Way
from cli.session import Connect
from corpus.atlas import Atlas
from corpus.coverage import cover, total
from corpus.sentences import many
from corpus.store import Store
from corpus.why import Answer


class StoreFacts(msgspec.Struct, frozen=True):
    """Which store it is."""

    kind: str
    version: str
    edition: str | None
    """`community` or `enterprise`; None where there is but one."""
    connect: Connect | None
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
    from_this_corpus: bool
    """Whether it is the map whose verdicts the store holds: both stores of a data directory share one map."""


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


def status_answer(store: Store, atlas: Atlas | None, connect: Connect | None = None) -> StatusAnswer:
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
            store.published() == manifest.hash,
        ),
    )


OTHER_MAP: Final = (
    "the current map is not of this corpus, or its verdicts have not come into this store; run `paperatlas layout`"
)


def print_status(answer: StatusAnswer, way: Way) -> None:
    """Write the status for people; `way` is how commands that it names get at this corpus."""
    records, kept, build = answer.records, answer.store, answer.build
    read = (
        f"{records.read:,} read = {records.accepted:,} accepted + {records.rejected:,} rejected"
        f" + {many(records.duplicates, 'duplicate')} + {records.merged:,} merged"
    )
    held = f"{many(answer.papers, 'paper')}, {many(answer.stubs, 'cited work')} without a record"
    rows = [
        ("Data to", answer.data_date or "unknown"),
        ("Store", " ".join(part for part in (kept.kind, kept.version, kept.edition) if part)),
        *([("Connect", _connect_text(kept.connect))] if kept.connect else []),
        ("Records", read),
        ("Corpus", f"{held}, {many(answer.citations, 'citation')}"),
        ("On the map", f"{answer.placed:,}"),
        *(("Not on the map", f"{count:,} {reason}") for reason, count in answer.unplaced.items()),
        (
            "Build",
            f"{build.hash[:12]} of {build.made_at}, policy {build.policy}, seed {build.seed}"
            if build
            else f"none yet: run {way.command('layout')}",
        ),
    ]
    if build and not build.from_this_corpus:
        rows.append(("Note", way.complete(OTHER_MAP)))
    print_columns(rows)


def _connect_text(connect: Connect) -> str:
    password = f", password in {connect.password_file}" if connect.password_file else ""
    return f"{connect.url}, user {connect.user}{password}, database {connect.database}; docs/cypher.md has questions to ask"


_ENOUGH: Final = ("Enough would be", "Enough for this test would be")
"""For the binding reason, and for those beside it."""


def print_answer(answer: Answer, way: Way) -> None:
    """Write the answer of `why` for people, `way` as above. Titles are plain text: no markup of theirs is obeyed."""
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
                out.print(Text(f"  {heading}: {way.complete(step)}"))
    for test in answer.passed:
        out.print(Text(f"  Passed: {test.text}"))
    for candidate in answer.candidates:
        out.print(Text(f"  Perhaps: {candidate.title or 'untitled'} ({candidate.id})"))


def _paragraphs(*texts: str | None) -> None:
    for text in texts:
        if text:
            out.print(Text(f"  {text}"))


def movement_line(quality: Mapping[str, float | int | None]) -> str | None:
    """How far a layout moved the papers that were on the map before; None where there was no map, or nothing to tell."""
    shares = [quality.get(f"moved_{name}") for name in ("mean", "p95", "far", "neighbours_kept")]
    mean, p95, far, kept = shares
    if mean is None or p95 is None or far is None or kept is None:
        return None
    if not p95 and not far:
        return f"{many(int(quality['moved_papers'] or 0), 'paper')} stayed where they were"
    return (
        f"Moved from the map before, in widths of the map: {mean:.1%} in the mean, 95 of 100 within {p95:.1%}; "
        f"{far:.1%} moved more than 5 %, {kept:.0%} of the 15 nearest are the same"
    )
