"""Commands about the corpus: ingest, export, status, why."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli import stages
from cli.answers import print_answer, print_status, status_answer
from cli.console import Config, Data, Exit, Json, Store, err, fail, say_json
from cli.session import Session
from corpus.errors import AtlasError
from corpus.model import PartialDate
from corpus.sentences import many
from corpus.why import explain
from ingest.export import export_papers
from layout.export import export_map, export_verdicts


class Export(StrEnum):
    """What can be written to a file."""

    PAPERS = "papers"
    MAP = "map"
    VERDICTS = "verdicts"


Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="Files of papers; their format is told from the content.")
]
Format = Annotated[str | None, typer.Option("--format", help="Read the files as this format, whatever they look like.")]
DataDate = Annotated[
    str | None, typer.Option("--data-date", metavar="DATE", help="The date that the data go to: YYYY-MM-DD.")
]


def ingest(
    files: Files,
    format: Format = None,
    data_date: DataDate = None,
    data: Data = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Read papers into the corpus. Every record is counted; what is rejected is kept with its line and the reason."""
    session = Session.of(data, store, config)
    with session.writing() as corpus:
        report = stages.ingest(session, corpus, files, format, PartialDate.parse(data_date) if data_date else None)
    if json:
        say_json(report)
    if report.rejected or report.incomplete:
        raise typer.Exit(Exit.REJECTS)


def export(
    what: Annotated[Export, typer.Argument(help="papers (neutral format), map or verdicts")],
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="papers, verdicts: .jsonl or .jsonl.gz; map: .csv, .jsonl or .parquet"),
    ],
    data: Data = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Write the corpus, the map or the verdicts to a file, one row a paper in order of address."""
    session = Session.of(data, store, config)
    if what is Export.PAPERS:
        with session.reading() as corpus:
            rows = export_papers(corpus, file)
    else:
        with session.way.completing():
            rows = (export_map if what is Export.MAP else export_verdicts)(session.data, file)
        with suppress(AtlasError), session.reading() as corpus:  # the map is there without it
            stages.tell_of_other_map(session, corpus, session.builds.current())
    if json:
        say_json({"schema": "export/1", "what": what.value, "file": str(file), "rows": rows})
    else:
        err.print(f"{many(rows, 'paper')} written to {file}", markup=False)


def status(data: Data = None, store: Store = None, config: Config = None, json: Json = False) -> None:
    """Say what the corpus holds, what is on the map, and why the rest is not."""
    session = Session.of(data, store, config)
    with session.reading() as corpus:
        answer = status_answer(corpus, session.builds.current(), session.connect())
    say_json(answer) if json else print_status(answer, session.way)


def why(
    query: Annotated[str, typer.Argument(metavar="STRING", help="An identifier in any form, a title, anything.")],
    data: Data = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Say why a paper is not on the map, or where it is; out of the map alone where the database is away (exit code 5)."""
    session = Session.of(data, store, config)
    with session.serving() as (corpus, trouble):
        atlas = session.builds.current()
        answer = explain(query, None if trouble else corpus, atlas)
        stages.tell_of_other_map(session, corpus, atlas)
    say_json(answer) if json else print_answer(answer, session.way)
    if answer.store != "ok":
        fail(trouble or "the database does not answer")
        raise typer.Exit(Exit.DATABASE)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (ingest, export, status, why):
        app.command()(command)
