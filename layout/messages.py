"""What the layout process and its parent say to each other, one JSON object a line."""

from __future__ import annotations

import msgspec

from corpus.access import Access
from corpus.build import Manifest
from layout.parameters import Parameters


class Job(msgspec.Struct, frozen=True):
    """What is to be laid out."""

    data: str
    store: str
    parameters: Parameters
    access: Access | None = None
    """What a database server asks for: it goes through a pipe, never through arguments or the environment."""
    memory: int | None = None
    """Bytes that it may take; None for what is free."""


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """A stage has begun, or has come this far."""

    stage: str
    done: float | None


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The build is published."""

    build: str
    manifest: Manifest
    unmirrored: str | None = None
    """Why the verdicts could not be written to the store, where they could not."""


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The layout found out itself that it cannot go on."""

    cause: str


Word = Progress | Done | Failed
"""Anything that the process says."""
