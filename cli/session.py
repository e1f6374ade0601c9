"""What every command needs first: the settings, the store, the builds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from cli.hints import Way
from cli.settings import FLAG, Loaded, Settings, for_the_owner_alone, load
from corpus.access import Access
from corpus.atlas import Builds
from corpus.breaker import Guarded
from corpus.errors import BadInput, BadSetting, NoCorpus, StoreError, StoreUnavailable
from corpus.local_neo4j.place import Place, endpoint
from corpus.sqlite_served import served_file
from corpus.store import Store
from corpus.stores import FILE, LOCAL, SQLITE, check, open_store

_PATIENCE: Final = 1.2
"""Seconds that a database has for one page of the server: one that is silent is told after half a second more, before 2 s."""


class Connect(msgspec.Struct, frozen=True):
    """How other programs get at the graph."""

    url: str
    user: str
    password_file: str | None
    """None where the password comes from elsewhere, or there is none."""
    database: str


@dataclass(frozen=True, slots=True)
class Session:
    """The settings of one command, and what they lead to."""

    loaded: Loaded
    config: Path | None = None
    """The settings file that a flag named."""

    @classmethod
    def of(cls, data: str | None, store: str | None, config: str | None, **flags: object) -> Session:
        """Load the settings; `flags` are dotted keys with `_` for the dot, None where not given."""
        dotted = {name.replace("__", "."): value for name, value in flags.items()}
        file = Path(config) if config else None
        return cls(load({"data": data, "store": store, **dotted}, file), file)

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

    @property
    def way(self) -> Way:
        """How a command that this one names gets at the same corpus."""
        origins = self.loaded.origins
        given = {"--data": str(self.data)} if origins["data"] == FLAG else {}
        given |= {"--store": self.settings.store} if origins["store"] == FLAG else {}
        return Way(given | ({"--config": str(self.config.absolute())} if self.config else {}))

    def connect(self) -> Connect | None:
        """How other programs get at the graph; None for a store that is no graph database."""
        store, chosen = self.settings.store, self.settings.neo4j
        if store == SQLITE:
            return None
        if store == LOCAL:
            place = endpoint(self.data)
            return Connect(place.url, place.user, str(place.password_file), place.access.database)
        file = chosen.password_file
        return Connect(store, chosen.user, str(file.absolute()) if file else None, chosen.database)

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """Open the store for reading; an absent one is an error that says what to do."""
        with self._with_remedies():
            self._need_place()
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
        with self._with_remedies():
            self._need_place()
            if self.settings.store == SQLITE:
                guarded = served_file(self.data / FILE)
            else:
                opening = partial(open_store, self.settings.store, self.data, create=False, readonly=True)
                guarded = Guarded("neo4j", partial(opening, access=self.access, patience=_PATIENCE))
            try:
                trouble = guarded.try_now()
                yield guarded, trouble and self.way.complete(trouble)
            finally:
                guarded.close()

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """Open the store for writing; make the data directory where it is absent."""
        with self.way.completing():
            self._make_directory()
            store = open_store(self.settings.store, self.data, access=self.access)
            try:
                yield store
            finally:
                store.close()

    @contextmanager
    def _with_remedies(self) -> Iterator[None]:
        """Complete what errors from inside say, and name another corpus of the data directory where this one is absent."""
        with self.way.completing():
            try:
                yield
            except NoCorpus as error:
                if elsewhere := self._elsewhere():
                    raise NoCorpus(error.where, elsewhere) from error
                raise

    def _need_place(self) -> None:
        """Raise where nothing was ever kept: a database that never was is no database that is away."""
        check(self.settings.store)
        begin = "`paperatlas ingest FILE`"
        if self.settings.store == LOCAL:
            begin = f"`paperatlas neo4j start`, then {begin}"
        if not self.data.is_dir():
            raise BadInput(f"there is no data directory {self.data}; begin with {begin}, or name another with --data")
        place = Place.under(self.data)
        if self.settings.store == LOCAL and not (place.has_users or place.password_file.exists()):
            elsewhere = self._elsewhere()
            begin = f"{elsewhere}, or run {begin}" if elsewhere else f"run {begin}"
            raise StoreUnavailable(f"there is no local Neo4j under {self.data} yet; {begin}")

    def _elsewhere(self) -> str | None:
        """Say that the data directory has a corpus in the other store, or may have, and how it is chosen."""
        if self.settings.store != SQLITE:
            file = self.data / FILE
            held = file.is_file() and file.stat().st_size > 0
            return "there is a corpus in SQLite beside it: choose it with --store sqlite" if held else None
        if not Place.under(self.data).has_users:
            return None
        verb = "is"
        try:
            open_store(LOCAL, self.data, create=False, readonly=True).close()
        except NoCorpus:
            return None
        except StoreError:  # it does not run, and then nobody can say
            verb = "may be"
        return f"there {verb} a corpus in the Neo4j beside it: choose it with --store neo4j"

    def _make_directory(self) -> None:
        try:
            self.data.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"the data directory {self.data} cannot be made: {error.strerror}") from error
