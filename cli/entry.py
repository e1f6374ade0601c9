"""The way into the command: it answers Ctrl-C from the first moment on, also while the rest is still being imported."""

from __future__ import annotations

import sys
from typing import Final

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C, 128 + SIGINT."""


def main() -> None:
    """Run the command; an interrupt that nothing else answered is one line and exit code 130."""
    try:
        from cli.main import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("paperatlas: interrupted; what was finished is kept\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
