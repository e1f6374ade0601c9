"""The command `paperatlas`."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from typing import Annotated, Final

import typer

from cli import corpus_commands, map_commands, neo4j_commands, store_commands, upkeep_commands
from cli.console import Exit, exit_code, fail, out
from corpus.errors import AtlasError

UsageError: Final[type[Exception]] = typer.BadParameter.__bases__[0]
"""Wrong words on the command line; Typer carries a click of its own and exports only this class's children."""

app = typer.Typer(
    name="paperatlas",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="A map of a body of papers, and the answer to why a paper is not on it.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
corpus_commands.register(app)
map_commands.register(app)
upkeep_commands.register(app)
neo4j_commands.register(app)
store_commands.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"paperatlas {metadata.version('paperatlas')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """A map of a body of papers, and the answer to why a paper is not on it."""


def main() -> None:
    """Run the command; print an expected error in one line and leave with its exit code."""
    try:
        code = app(standalone_mode=False) or Exit.OK
        if code == Exit.INTERRUPTED:  # how Typer tells of Ctrl-C
            fail("interrupted; what was finished is kept")
        sys.exit(code)
    except UsageError as error:
        words = str(getattr(error, "format_message", error.__str__)())
        if words:  # without words it was the help, which is printed already
            fail(f"{words} See paperatlas --help.")
        sys.exit(Exit.USAGE)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.FAILURE)
    except AtlasError as error:
        fail(error)
        sys.exit(exit_code(error))
    except OSError as error:
        fail(error)
        sys.exit(Exit.FAILURE)


if __name__ == "__main__":
    main()
