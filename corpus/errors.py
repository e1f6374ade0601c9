"""The error tree. Each class says what went wrong; none of them knows HTTP or exit codes.

A message names a command in backticks, `paperatlas layout`: `cli` adds the flags that lead to the same corpus.

AtlasError
├── BadInput            the user's file, string or parameter; names it and the remedy
│   ├── BadIdentifier   a string that no identifier scheme accepts
│   ├── UnknownFormat   a file whose content no reader recognises
│   └── BadSetting      an unknown or invalid setting
├── UnknownPaper        a well-formed identifier that nothing in the corpus has
├── StoreError
│   ├── NoCorpus          the store is there, but nothing was ever ingested into it
│   ├── StoreUnavailable  the database does not answer (retryable)
│   ├── StoreBusy         another process is writing (retryable)
│   ├── StoreDenied       the database does not accept the user or the password, or not what the user asks
│   └── ForeignStore      the file or database is not ours, or of another schema version
├── BuildError
│   ├── NoBuild         no map has been laid out yet
│   └── BrokenBuild     a file of a build is missing or altered
├── LayoutFailed        the layout process ended without a build
└── BooksDoNotBalance   counts that must add up do not: always a bug, never swallowed
"""

from __future__ import annotations

from typing import ClassVar


class AtlasError(Exception):
    """Base: catch this to catch everything we raise on purpose."""

    retryable: ClassVar[bool] = False


class BadInput(AtlasError):
    """The user's file, string or parameter cannot be used as it is."""


class BadIdentifier(BadInput):
    """A string that no identifier scheme accepts."""


class UnknownFormat(BadInput):
    """A file whose content no reader recognises."""


class BadSetting(BadInput):
    """An unknown or invalid setting."""


class UnknownPaper(AtlasError):
    """A well-formed identifier that nothing in the corpus has."""


class StoreError(AtlasError):
    """The store could not do what was asked."""


class NoCorpus(StoreError):
    """The store holds no corpus, and must not be made one."""

    def __init__(self, where: str, elsewhere: str = "") -> None:
        begin = "run `paperatlas ingest FILE` first"
        super().__init__(f"there is no corpus {where}; {f'{elsewhere}, or {begin}' if elsewhere else begin}")
        self.where = where


class StoreUnavailable(StoreError):
    """The database does not answer."""

    retryable = True


class StoreBusy(StoreError):
    """Another process is writing to the store."""

    retryable = True


class StoreDenied(StoreError):
    """The database does not accept the user or the password, or does not let the user do what was asked."""


class ForeignStore(StoreError):
    """The file or database is not ours, or is of another schema version."""


class BuildError(AtlasError):
    """A map build could not be read or published."""


class NoBuild(BuildError):
    """No map has been laid out yet."""


class BrokenBuild(BuildError):
    """A file of a build is missing or altered."""


class LayoutFailed(AtlasError):
    """The layout process ended without a build; the old map, if there was one (`standing`), stays."""

    def __init__(self, stage: str, cause: str, *, standing: bool = True) -> None:
        still = "; the previous map is still current" if standing else "; there is no map"
        super().__init__(f"layout failed in stage '{stage}': {cause}{still}")
        self.stage = stage


class BooksDoNotBalance(AtlasError):
    """Counts that must add up do not."""
