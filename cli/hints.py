"""Commands as they can be typed to reach the same corpus: what a hint must say that a person is to follow."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from corpus.errors import AtlasError

_COMMAND: Final = re.compile(r"`paperatlas ([^`]+)`")
_LED: Final = re.compile(r" --(data|store|config) ")
_TAKES: Final = {"neo4j fetch": (), "neo4j": ("--data", "--config"), "store copy": ("--data", "--config")}
"""By the first words of a command, the flags that it takes; every other one takes all."""


@dataclass(frozen=True, slots=True)
class Way:
    """The flags that led a command to its corpus. What environment and files say holds in the next command as well."""

    flags: Mapping[str, str]
    """By name, such as `--data`."""

    def arguments(self, words: str = "") -> str:
        """The flags as they are typed, those that the command `words` takes."""
        taken = next((flags for start, flags in _TAKES.items() if f"{words} ".startswith(f"{start} ")), self.flags)
        return " ".join(f"{name} {shlex.quote(value)}" for name, value in self.flags.items() if name in taken)

    def command(self, words: str) -> str:
        """Write a command in backticks: `layout` becomes `paperatlas layout --data /abs --store neo4j`."""
        return f"`{' '.join(part for part in ('paperatlas', words, self.arguments(words)) if part)}`"

    def complete(self, text: str) -> str:
        """Give the flags to every command that a text names in backticks, unless it has some: the corpus knows none."""
        return _COMMAND.sub(lambda match: match[0] if _LED.search(match[1]) else self.command(match[1]), text)

    @contextmanager
    def completing(self) -> Iterator[None]:
        """Complete what errors from inside say."""
        try:
            yield
        except AtlasError as error:
            error.args = (self.complete(str(error)),)
            raise
