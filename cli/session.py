"""What every command needs first: the settings, the store, the builds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from cli.settings import Loaded, Settings, for_the_owner_alone, load
from corpus.access import Access
from corpus.atlas import Builds
from corpus.breaker import Guarded
from corpus.errors import BadInput, BadSetting
from corpus.local_neo4j.place import USER, Place, endpoint
from corpus.sqlite_served import served_file
from corpus.store import Store
from corpus.stores import FILE, LOCAL, SQLITE, open_store

_PATIENCE: Final = 1.2
"""Seconds that a database has for one page of the server: one that is silent is told after half a second more, before 2 s."""


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

    @property
    def access(self) -> Access:
        """Who asks the database. Raises `BadSetting` for a password file that cannot be read, or that others can."""
        chosen = self.settings.neo4j
        if chosen.password_file is not None:
            try:
                for_the_owner_alone(chosen.password_file)
                password: str | None = chosen.password_file.read_text("utf-8").strip().split("\n")[0]
            except (OSError, UnicodeDecodeError) as error:
                raise BadSetting(f"neo4j.password_file: {chosen.password_file} cannot be read: {error}") from error
        else:
            password = chosen.password.get_secret_value() if chosen.password else None
        return Access(chosen.user, password, chosen.database)

    def connect(self) -> str | None:
        """How other programs get at the graph; None for a store that is no graph database."""
        store = self.settings.store
        if store == SQLITE:
            return None
        if store == LOCAL:
            place = Place.under(self.data)
            return f"{endpoint(self.data).url}, user {USER}, password in {place.password_file}; docs/cypher.md has questions to ask"
        return f"{store}, user {self.settings.neo4j.user}, database {self.settings.neo4j.database}; docs/cypher.md has questions to ask"

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """Open the store for reading; an absent one is an error that says what to do."""
        self._need_directory()
        store = open_store(self.settings.store, self.data, create=False, readonly=True, access=self.access)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def serving(self) -> Iterator[tuple[Store, str | None]]:
        """Open the store for a server, which goes on without its database: the store, and what is wrong with it now.

        An absent corpus, a wrong password and a foreign database are errors all the same.
        """
        self._need_directory()
        if self.settings.store == SQLITE:
            guarded = served_file(self.data / FILE)
        else:
            opening = partial(open_store, self.settings.store, self.data, create=False, readonly=True)
            guarded = Guarded("neo4j", partial(opening, access=self.access, patience=_PATIENCE))
        try:
            yield guarded, guarded.try_now()
        finally:
            guarded.close()

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """Open the store for writing; make the data directory where it is absent."""
        self._make_directory()
        store = open_store(self.settings.store, self.data, access=self.access)
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
