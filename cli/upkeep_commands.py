"""Commands about the installation: config show, doctor."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import msgspec
import typer

import server
from cli.console import Config, Data, Exit, Json, Store, out, print_columns, say_json
from cli.session import Session
from corpus.sqlite_schema import has_full_text, sqlite_version

config_app = typer.Typer(no_args_is_help=True, help="Settings and where each came from.")


@config_app.command("show")
def config_show(data: Data = None, store: Store = None, config: Config = None, json: Json = False) -> None:
    """Print every setting, its value, and where it came from."""
    loaded = Session.of(data, store, config).loaded
    values = {key: _value(loaded.settings, key) for key in loaded.origins}
    if json:
        rows = {key: {"value": value, "origin": loaded.origins[key]} for key, value in values.items()}
        say_json({"schema": "config/1", "settings": rows})
        return
    lines = [(key, str(value), loaded.origins[key]) for key, value in values.items()]
    print_columns(lines, ("setting", "value", "from"))


def _value(settings: object, key: str) -> str | int | bool:
    for name in key.split("."):
        settings = getattr(settings, name)
    return settings if isinstance(settings, bool | int) else str(settings)


class Check(msgspec.Struct, frozen=True):
    """One thing that the product needs, and whether it is there."""

    name: str
    ok: bool
    found: str
    remedy: str | None = None


def doctor(data: Data = None, store: Store = None, config: Config = None, json: Json = False) -> None:
    """Check what this machine must have, and say what to do where something is missing."""
    session = Session.of(data, store, config)
    checks = [_sqlite(), _disk(session.data), _bundle(), _build(session)]
    if json:
        say_json({"schema": "doctor/1", "python": platform.python_version(), "checks": checks})
    else:
        for check in checks:
            out.print(
                f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.found}"
                + (f"; {check.remedy}" if check.remedy else ""),
                markup=False,
            )
    if not all(check.ok for check in checks):
        raise typer.Exit(Exit.FAILURE)


def _sqlite() -> Check:
    ok = has_full_text()
    return Check("SQLite", ok, sqlite_version, None if ok else "use a Python whose SQLite has FTS5, such as Debian's")


def _disk(data: Path) -> Check:
    place = next(folder for folder in (data, *data.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    ok = free > 1_000_000_000
    return Check("disk", ok, f"{free / 1e9:.0f} GB free at {place}", None if ok else "free at least 1 GB")


def _bundle() -> Check:
    ok = (Path(server.__path__[0]) / "bundle" / "index.html").is_file()
    return Check("web page", ok, "built" if ok else "absent", None if ok else "run `make web`, or install the wheel")


def _build(session: Session) -> Check:
    builds = session.builds
    atlas = builds.current() if session.data.is_dir() else None
    if builds.problem:
        return Check("map", False, "damaged", session.way.complete(builds.problem))
    return Check(
        "map",
        True,
        f"build {atlas.manifest.hash[:12]}" if atlas else "none yet",
        None if atlas else f"run {session.way.command('layout')}",
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(doctor)
    app.add_typer(config_app, name="config")
