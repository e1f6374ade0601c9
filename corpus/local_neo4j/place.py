"""Where a local server keeps its things, and where a running one answers."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from corpus.access import Access
from corpus.errors import StoreUnavailable
from corpus.holders import Holder

USER: Final = "neo4j"
START: Final = "start it with `paperatlas neo4j start`"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a running server answers, and to whom."""

    url: str
    user: str
    password: str = field(repr=False)
    password_file: Path

    @property
    def access(self) -> Access:
        """What the server asks for."""
        return Access(self.user, self.password, kept=str(self.password_file))


@dataclass(frozen=True, slots=True)
class Running:
    """A server process as its starter noted it."""

    holder: Holder
    bolt_port: int
    http_port: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a local server: `neo4j/` under the data directory."""

    home: Path

    @classmethod
    def under(cls, data: Path) -> Place:
        """The place that belongs to a data directory."""
        return cls(data / "neo4j")

    @property
    def configuration(self) -> Path:
        """The folder of neo4j.conf, which is written anew at each start."""
        return self.home / "conf"

    @property
    def log(self) -> Path:
        """What the server says of its own start and end."""
        return self.home / "logs" / "console.log"

    @property
    def earlier_log(self) -> Path:
        """The same of the server before this one: the reason of a crash, after a restart too."""
        return self.home / "logs" / "console.log.1"

    @property
    def password_file(self) -> Path:
        """The password, for its owner's eyes alone."""
        return self.home / "password"

    @property
    def version_file(self) -> Path:
        """The version of the server whose files these are."""
        return self.home / "version"

    @property
    def running_file(self) -> Path:
        """Which process it is and where it answers; left behind where the process died."""
        return self.home / "run" / "server.json"

    @property
    def port_file(self) -> Path:
        """The Bolt port that was used last, for the settings that leave the choice: what people noted stays right."""
        return self.home / "run" / "bolt_port"

    @property
    def lock_file(self) -> Path:
        """Held by who starts or stops the server."""
        return self.home / "run" / "lock"

    @property
    def has_users(self) -> bool:
        """Whether a server was started here once: from then on it has its password, and a first one cannot be set."""
        return (self.home / "data" / "databases" / "system").is_dir()

    def make(self) -> None:
        """Make the folders; nobody else may look into them. Raises `StoreUnavailable` where that cannot be."""
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.home.chmod(0o700)
            for name in ("conf", "data", "logs", "run", "plugins", "import", "licenses"):
                (self.home / name).mkdir(exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(
                f"the folder {self.home} of the local Neo4j cannot be made or written ({error.strerror}: {error.filename});"
                " choose another data directory with --data, or make room there"
            ) from error

    def keep_log(self) -> None:
        """Make room for the log of a new server."""
        if self.log.is_file():
            self.log.replace(self.earlier_log)

    def password(self) -> str:
        """The password. Raises `StoreUnavailable` where none was made yet, or where the file holds none."""
        try:
            password = self.password_file.read_text("ascii").strip()
        except (FileNotFoundError, NotADirectoryError) as error:
            none_yet = f"there is no local Neo4j under {self.home.parent} yet; {START}"
            raise StoreUnavailable(self.gone() if self.has_users else none_yet) from error
        except (OSError, UnicodeDecodeError) as error:
            raise StoreUnavailable(f"{self.password_file} cannot be read as a password ({error})") from error
        if not password:
            raise StoreUnavailable(f"{self.password_file} is empty; put back the password that was in it")
        return password

    def gone(self) -> str:
        """What is wrong, and what to do, where the password of a database that exists is lost."""
        return (
            f"{self.password_file} is gone, and the database there lets nobody in without the password that was in it: put the"
            f" file back, or move {self.home} away, start anew, and ingest again"
        )

    def running(self) -> Running | None:
        """The server, if it runs; None where it was stopped or has died."""
        try:
            noted = msgspec.json.decode(self.running_file.read_bytes(), type=Running)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        # 0 and below name groups of processes, which a signal would end.
        return noted if noted.holder.pid > 0 and not noted.holder.has_ended() else None

    def note(self, text: str, file: Path) -> None:
        """Write a small file whole or not at all, for its owner alone."""
        beside = file.with_name(f".{file.name}.new")
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
            opened.write(text)
        beside.replace(file)


def endpoint(data: Path) -> Endpoint:
    """Where the local server of a data directory answers. Raises `StoreUnavailable` that says how to start it."""
    place = Place.under(data)
    password = place.password()
    running = place.running()
    if running is None:
        raise StoreUnavailable(f"the local Neo4j under {data} does not run; {START}")
    return Endpoint(f"bolt://127.0.0.1:{running.bolt_port}", USER, password, place.password_file)
