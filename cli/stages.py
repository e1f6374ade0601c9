"""The three stages as commands run them: with progress on stderr and a closing line each."""

from __future__ import annotations

import ipaddress
import logging
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from rich.text import Text

from cli.answers import OTHER_MAP, movement_line
from cli.console import err, say_json
from cli.hints import Way
from cli.progress import ingest_progress, layout_progress
from cli.session import Session
from corpus.atlas import Atlas, Builds
from corpus.build import Manifest, current, read_regions
from corpus.errors import AtlasError, BadSetting, StoreError
from corpus.model import PartialDate
from corpus.sentences import many
from corpus.store import Store
from corpus.stores import LOCAL
from ingest.run import Report
from ingest.run import ingest as run_ingest
from layout.given_names import FILE, read_names
from layout.parameters import Parameters, Start
from layout.run import lay_out

_LARGE: Final = 200_000_000
"""Bytes of files from which on a first load into Neo4j is better done in bulk."""
_ODDITIES: Final = 8
"""Kinds of what was odd that are told; fields that are not known may be many."""


def ingest(
    session: Session, store: Store, files: list[Path], format: str | None, data_date: PartialDate | None
) -> Report:
    """Read the files into the store and say what became of their records."""
    size = sum(file.stat().st_size for file in files if file.is_file())
    if size > _LARGE and store.kind == "neo4j" and not store.size().papers:
        err.print("A first load as large as this is several times faster in bulk (docs/neo4j.md); going on in batches")
    with ingest_progress(err) as progress:
        report = run_ingest(files, store, session.data, format=format, data_date=data_date, progress=progress)
    for file in report.files:
        problem = Text(f" incomplete: {file.problem}" if file.problem else "", "bold red")
        err.print(Text(f"  {file.path}: {file.format}").append_text(problem))
        for oddity, count in file.warnings.items():
            err.print(Text(f"    {count:,} {oddity.replace('_', ' ')}"))
    tally = report.tally
    err.print(
        f"Read {many(tally.read, 'record')}: {tally.accepted:,} accepted, {sum(tally.rejected.values()):,} rejected, "
        f"{many(tally.duplicates, 'duplicate')}, {sum(tally.merged.values()):,} merged"
    )
    if tally.flags:
        err.print(Text(f"  odd: {_oddities(tally.flags)}"))
    if report.rejects_file:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(tally.rejected.items()))
        err.print(Text(f"  rejected: {reasons}; each with its line in {report.rejects_file}"))
    return report


def _oddities(flags: Mapping[str, int]) -> str:
    """What was odd about records that were taken all the same, the most frequent first."""
    often = sorted(flags.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{count:,} {flag}" for flag, count in often[:_ODDITIES])
    return told + (f" and {len(often) - _ODDITIES:,} other kinds (--json has all)" if len(often) > _ODDITIES else "")


def database(session: Session) -> None:
    """Start the Neo4j server of the data directory, where that is the store and it does not run yet."""
    if session.settings.store != LOCAL:
        return
    from cli.neo4j_commands import start_server

    started = start_server(session)
    if not started.already:
        err.print(f"Neo4j goes on after this command: stop it with {session.way.command('neo4j stop')}", markup=False)


def layout(session: Session, *, start: Start = "refit") -> Manifest:
    """Lay out the corpus in a process of its own and say what came of it; `start` is what becomes of the map that stands."""
    chosen = session.settings.layout
    parameters = Parameters(
        policy=chosen.policy,
        seed=chosen.seed,
        start=start,
        engine=chosen.engine,
        vectors=chosen.vectors,
        threads=chosen.threads,
        cluster=chosen.cluster,
        landmarks=chosen.landmarks,
    )
    before = current(session.data)
    begun = time.monotonic()
    with session.way.completing(), layout_progress(err) as progress:
        manifest = lay_out(
            session.data,
            session.settings.store,
            parameters,
            access=session.access,
            memory=None if chosen.memory is None else int(chosen.memory),
            progress=progress,
        )
    if before is not None and before.name == manifest.hash:
        err.print(f"Nothing has changed: the map stays as it is (build {manifest.hash[:12]})")
        return manifest
    err.print(
        f"Placed {manifest.placed:,} of {many(manifest.papers, 'paper')} in {time.monotonic() - begun:.1f} s"
        f" (build {manifest.hash[:12]})"
    )
    for reason, count in sorted(manifest.unplaced.items(), key=lambda item: -item[1]):
        err.print(f"  {count:,} not on the map: {reason}")
    if (told := movement_line(manifest.quality)) is not None:
        err.print(f"  {told}")
    _tell_of_unused_names(session.data)
    return manifest


def _tell_of_unused_names(data: Path) -> None:
    """Say which names of `region-names.toml` no region has."""
    build = current(data)
    known = {name for one in read_regions(build) for name in (one.key, one.automatic or one.name)} if build else set()
    for wanted in read_names(data):
        if wanted not in known:
            err.print(
                Text(f'  {FILE}: no region has the key or the name "{wanted}"; regions.json in {build} has them all')
            )


def tell_of_other_map(session: Session, store: Store, atlas: Atlas | None) -> None:
    """Say on stderr that the current map was not drawn from this corpus, where that is so and the store can tell."""
    with suppress(StoreError):
        if atlas and store.published() != atlas.manifest.hash:
            err.print(f"Note: {session.way.complete(OTHER_MAP)}", markup=False)


def need_port(session: Session) -> None:
    """Raise before the long work if the server could not start after it."""
    _bind(session).close()


def serve(session: Session, *, announce_json: bool = False) -> None:
    """Serve the map until interrupted."""
    # Half a second of imports that no other command should wait for: an absent database is told in under 3 s, them included.
    import uvicorn

    from server.app import create_app

    listening = _bind(session)
    host, port = listening.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    with session.serving() as (store, trouble):
        if trouble:
            err.print(f"{trouble}; the map is served without it, and it is used as soon as it answers", markup=False)
        builds = session.builds
        _tell_before_serving(session, store, builds)
        config = uvicorn.Config(
            create_app(store, builds),
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=True,
            limit_concurrency=200,
            timeout_keep_alive=10,
            h11_max_incomplete_event_size=16_384,
            proxy_headers=False,
            lifespan="off",
        )
        listening.listen()  # who reads the address may connect at once: the kernel lets him wait
        if announce_json:
            say_json({"schema": "serve/1", "address": address})
        err.print(f"\n[bold]The map is at {address}[/]  (Ctrl-C stops it)")
        if flags := session.way.arguments():
            err.print(f"Other commands find it with {flags}", markup=False)
        err.print()
        with suppress(KeyboardInterrupt):  # Ctrl-C is how a server is meant to end
            uvicorn.Server(config).run(sockets=[listening])
    err.print("Stopped.")


def _tell_before_serving(session: Session, store: Store, builds: Builds) -> None:
    """Complete what the log says, and tell of a map that is missing or another corpus's."""
    log = logging.StreamHandler()
    log.addFilter(partial(_completed, session.way))
    for name in ("corpus", "server"):
        logging.getLogger(name).addHandler(log)
    atlas = builds.current()
    tell_of_other_map(session, store, atlas)
    if atlas is None and builds.problem is None:
        err.print(f"There is no map yet: run {session.way.command('layout')}; it is shown at once", markup=False)


def _completed(way: Way, record: logging.LogRecord) -> bool:
    record.msg, record.args = way.complete(record.getMessage()), ()
    return True


def _bind(session: Session) -> socket.socket:
    chosen = session.settings.server
    if not chosen.public and not _is_loopback(chosen.host):
        raise BadSetting(
            f"other machines can reach {chosen.host}: add --public if that is meant, and put a proxy in front"
        )
    family = socket.AF_INET6 if ":" in chosen.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((chosen.host, chosen.port))
    except OSError as error:
        listening.close()
        cause = error.strerror or str(error)
        raise CannotListen(
            f"cannot listen on {chosen.host}:{chosen.port} ({cause}); choose another with --port"
        ) from error
    return listening


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class CannotListen(AtlasError):
    """The address is taken or not ours."""
