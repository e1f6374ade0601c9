"""What people and machines read: text and progress on stderr, one JSON object on stdout, exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from corpus.access import STORES
from corpus.errors import AtlasError, BadInput, StoreUnavailable

err = Console(stderr=True, highlight=False, soft_wrap=True)
out = Console(highlight=False, soft_wrap=True)


class Exit(IntEnum):
    """Exit codes, so that a cron job can tell 'partly' from 'failed'."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    REJECTS = 3
    UNREACHABLE = 4
    DATABASE = 5
    INTERRUPTED = 130


_CODES: tuple[tuple[type[AtlasError], Exit], ...] = (
    (StoreUnavailable, Exit.DATABASE),
    (BadInput, Exit.USAGE),
    (AtlasError, Exit.FAILURE),
)


def exit_code(error: AtlasError) -> Exit:
    """Map an error to its exit code."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


def print_columns(rows: Sequence[tuple[str, ...]], heading: tuple[str, ...] | None = None) -> None:
    """Write rows in columns, the first one bold; a line is never broken: what reads it from a pipe gets it whole."""
    lines = [*([heading] if heading else []), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        first, *rest = (cell.ljust(width + 2) for cell, width in zip(line, widths, strict=True))
        text = Text.assemble((first, "bold"), *((cell, "bold" if line is heading else "") for cell in rest))
        text.rstrip()
        out.print(text)


def say_json(answer: object) -> None:
    """Write one JSON object to stdout."""
    sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
    sys.stdout.buffer.flush()


def fail(error: BaseException | str) -> None:
    """Write an error in one line to stderr."""
    text = " ".join(str(error).split()) or type(error).__name__
    err.print(f"[bold red]paperatlas:[/] {_escaped(text)}", emoji=False)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape("".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text))


Json = Annotated[bool, typer.Option("--json", help="Write one JSON object to stdout.")]
Data = Annotated[
    str | None,
    typer.Option("--data", metavar="DIR", help="The data directory.", show_default=False, rich_help_panel="Where"),
]
Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="STORE",
        help=f"Where the corpus is kept: {STORES}; by default sqlite.",
        show_default=False,
        rich_help_panel="Where",
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        "--config", metavar="FILE", help="A TOML file of settings.", show_default=False, rich_help_panel="Where"
    ),
]
