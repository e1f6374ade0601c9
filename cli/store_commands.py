"""Commands about stores: copy, export-import-files."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from cli.console import Config, Data, Json, err, say_json
from cli.console import Store as Where
from cli.session import Session
from corpus.errors import BadInput
from corpus.sentences import many
from corpus.store import Edition, MapRegion, Store, Verdict
from corpus.stores import STORES
from ingest.copy import Copying, copy_corpus

store_app = typer.Typer(no_args_is_help=True, help="Where the corpus is kept.")
From = Annotated[str, typer.Option("--from", metavar="STORE", help=f"One of {STORES}.")]
To = Annotated[str, typer.Option("--to", metavar="STORE", help="An empty one, or one that a copy was cut in.")]


@store_app.command("copy")
def copy_command(source: From, target: To, data: Data = None, config: Config = None, json: Json = False) -> None:
    """Copy the corpus from one store to another: afterwards both export the same, byte for byte."""
    if source == target:
        raise BadInput("--from and --to are the same store")
    reading, writing = Session.of(data, source, config), Session.of(data, target, config)
    with reading.reading() as old, writing.writing() as new:
        papers = copy_corpus(old, new, progress=_telling())
        build = _mirror(writing, new)
        size = new.size()
    err.print(f"{many(papers, 'paper')} and {many(size.citations, 'citation')} copied", markup=False)
    use = f'Use it with {writing.way.arguments()}, or store = "{target}" in the settings file'
    err.print(use, markup=False)
    if json:
        answer = {"schema": "store-copy/1", "papers": size.papers, "stubs": size.stubs, "citations": size.citations}
        say_json(answer | {"build": build})


@store_app.command("export-import-files")
def export_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    data: Data = None,
    store: Where = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Write the corpus as the CSV files that `neo4j-admin database import full` and `paperatlas neo4j import` take."""
    from corpus.neo4j_bulk import write_import_files

    session = Session.of(data, store, config)
    with session.reading() as corpus:
        counts = write_import_files(corpus, folder)
    err.print(
        f"{many(counts.papers, 'paper')} and {many(counts.citations, 'citation')} written to {folder}", markup=False
    )
    load = session.way.command(f"neo4j import {shlex.quote(str(folder.absolute()))}")
    err.print(f"Load them with {load}", markup=False)
    if json:
        say_json(counts)


def _mirror(session: Session, store: Store) -> str | None:
    """Bring the verdicts of the current map along."""
    atlas = session.builds.current()
    if atlas is None:
        return None
    entries = (atlas.row(n) for n in range(len(atlas)))
    verdicts = [Verdict(one.id, one.x, one.y, one.region, one.reason) for one in entries]
    parts = tuple(MapRegion(one.key, one.name, one.level, one.parent, one.papers) for one in atlas.regions.values())
    store.publish(Edition(atlas.manifest.hash, atlas.manifest.made_at, parts), verdicts)
    return atlas.manifest.hash


def _telling() -> Callable[[Copying], None]:
    last = time.monotonic()

    def tell(at: Copying) -> None:
        nonlocal last
        if time.monotonic() - last >= 1:
            last = time.monotonic()
            left = (at.total - at.papers) / at.rate
            err.print(
                f"  {at.papers:,} of {many(at.total, 'paper')}, {at.rate:,.0f}/s, {left:,.0f} s left", markup=False
            )

    return tell


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(store_app, name="store")
