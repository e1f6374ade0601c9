"""Commands about the map: layout, serve, and the two that do everything in one go, map and demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import stages
from cli.answers import status_answer
from cli.console import Config, Data, Json, Store, err, say_json
from cli.corpus_commands import DataDate, Files, Format
from cli.demo import demo_corpus
from cli.session import Session
from corpus.errors import BadInput
from corpus.model import PartialDate
from corpus.reasons import Policy

Seed = Annotated[int | None, typer.Option("--seed", help="Same input, seed and versions give the same map.")]
PolicyOption = Annotated[Policy | None, typer.Option("--policy", help="Who may be placed.")]
Engine = Annotated[str | None, typer.Option("--engine", help="kernel (default) or umap.")]
Threads = Annotated[int | None, typer.Option("--threads", help="Threads of the layout; the map does not depend on it.")]
Add = Annotated[bool, typer.Option("--add", help="Place the new papers alone; nobody else moves.")]
Scratch = Annotated[bool, typer.Option("--scratch", help="Begin anew, not from where papers are on the map now.")]
Host = Annotated[str | None, typer.Option("--host", help="Address to listen on.")]
Port = Annotated[int | None, typer.Option("--port", help="Port to listen on; 0 takes a free one.")]
Public = Annotated[bool | None, typer.Option("--public", help="Allow an address that other machines reach.")]
NoServe = Annotated[bool, typer.Option("--no-serve", help="Stop when the map is made.")]


def layout(
    add: Add = False,
    scratch: Scratch = False,
    seed: Seed = None,
    policy: PolicyOption = None,
    engine: Engine = None,
    threads: Threads = None,
    data: Data = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Place every paper that can be placed, say why for every other, and publish the map.

    Papers that are on the map already begin where they are. Nothing is done where nothing has changed.
    """
    if add and scratch:
        raise BadInput("--add moves nobody, --scratch begins anew: give one of them")
    session = Session.of(
        data, store, config, layout__seed=seed, layout__policy=policy, layout__engine=engine, layout__threads=threads
    )
    with session.reading():  # an absent corpus is told here, before a process is started for it
        pass
    manifest = stages.layout(session, start="add" if add else "scratch" if scratch else "refit")
    if json:
        say_json({"schema": "layout/1", "build": manifest})


def serve(
    host: Host = None,
    port: Port = None,
    public: Public = None,
    data: Data = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Serve the map and the paper pages."""
    session = Session.of(data, store, config, server__host=host, server__port=port, server__public=public)
    stages.serve(session, announce_json=json)


def map_files(
    files: Files,
    format: Format = None,
    data_date: DataDate = None,
    policy: PolicyOption = None,
    host: Host = None,
    port: Port = None,
    no_serve: NoServe = False,
    data: Data = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """From files to a map in the browser: ingest, layout and serve in one go."""
    session = Session.of(data, store, config, server__host=host, server__port=port, layout__policy=policy)
    _make_and_serve(session, files, format, data_date, no_serve=no_serve, json=json)


def demo(
    host: Host = None,
    port: Port = None,
    no_serve: NoServe = False,
    data: Data = None,
    store: Store = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Make and serve the map of 613 scientometrics papers (OpenAlex, CC0), in a data directory of its own."""
    session = asked = Session.of(data, store, config, server__host=host, server__port=port)
    if data is None:
        session = Session.of(str(session.data / "demo"), store, config, server__host=host, server__port=port)
    err.print("Demo corpus: 613 scientometrics papers from OpenAlex (CC0)")
    with asked.way.completing():
        file = demo_corpus(session.data)
    _make_and_serve(session, [file], None, None, no_serve=no_serve, json=json)


def _make_and_serve(
    session: Session,
    files: list[Path],
    format: str | None,
    data_date: str | None,
    *,
    no_serve: bool,
    json: bool,
) -> None:
    if not no_serve:
        stages.need_port(session)
    stages.database(session)
    with session.writing() as corpus:
        stages.ingest(session, corpus, files, format, PartialDate.parse(data_date) if data_date else None)
    stages.layout(session)
    with session.reading() as corpus:
        answer = status_answer(corpus, session.builds.current(), session.connect())
    if json:
        say_json(answer)
    if not no_serve:
        stages.serve(session)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(layout)
    app.command()(serve)
    app.command("map")(map_files)
    app.command()(demo)
