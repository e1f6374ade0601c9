"""What every command needs first: the settings, the store, the builds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cli.settings import Loaded, Settings, load
from corpus.atlas import Builds
from corpus.errors import BadInput
from corpus.store import Store
from corpus.stores import open_store


@dataclass(frozen=True, slots=True)
class Session:
    """The settings of one command, and what they lead to."""

    loaded: Loaded

    @classmethod
    def of(cls, data: str | None, store: str | None, config: str | None, **flags: object) -> Session:
        """Load the settings; `flags` are dotted keys with `_` for the dot, None where not given."""
        dotted = {name.replace("__", "."): value for name, value in flags.items()}
        return cls(load({"data": data, "store": store, **dotted}, Path(config) if config else None))

    @property
    def settings(self) -> Settings:
        """The merged settings."""
        return self.loaded.settings

    @property
    def data(self) -> Path:
        """The data directory, absolute."""
        return self.settings.data.expanduser().absolute()

    @property
    def builds(self) -> Builds:
        """The map builds of the data directory."""
        return Builds(self.data)

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """Open the store for reading; an absent one is an error that says what to do."""
        self._need_directory()
        store = open_store(self.settings.store, self.data, create=False, readonly=True)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """Open the store for writing; make the data directory where it is absent."""
        self._make_directory()
        store = open_store(self.settings.store, self.data)
        try:
            yield store
        finally:
            store.close()

    def _need_directory(self) -> None:
        if not self.data.is_dir():
            raise BadInput(
                f"there is no data directory {self.data}; run `paperatlas ingest FILE` first, or name it with --data"
            )

    def _make_directory(self) -> None:
        try:
            self.data.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"the data directory {self.data} cannot be made: {error.strerror}") from error
