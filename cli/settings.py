"""Settings from flags, environment, one TOML file and defaults, in this order, and where each value came from.

The environment is read here and nowhere else. docs/settings.md lists every key; a test keeps it complete.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

import platformdirs
from pydantic import BaseModel, ByteSize, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from corpus.errors import BadSetting
from corpus.reasons import Policy

PREFIX: Final = "PAPERATLAS_"
FLAG: Final = "flag"
"""The origin of a value that was given on the command line."""
NOT_SETTINGS: Final = frozenset({"PAPERATLAS_CONFIG", "PAPERATLAS_NO_WEB", "PAPERATLAS_SHARED"})
"""Variables with our prefix that other parts own: the file's place, the build hook's switch, the tests' records."""


class LayoutSettings(BaseModel):
    """`[layout]`: how papers are placed."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    policy: Policy = Policy.REFERENCES
    """Who may be placed: `references`, `links` or `signals`."""
    seed: int = Field(default=42, ge=0, lt=2**31)
    """Same input, seed and versions give the same map."""
    engine: Literal["kernel", "umap"] = "kernel"
    """`kernel`: UMAP's objective, deterministic on any number of threads; `umap`: umap-learn itself, one thread."""
    vectors: str = Field(default="lsa", min_length=1)
    """What makes vectors of texts: `lsa`, a function `package.module:function`, or `file:PATH`."""
    threads: int = Field(default=2, ge=1, le=256)
    """Threads of the layout process; the map does not depend on it."""
    cluster: str | None = Field(default=None, pattern=r"^(tcp|tls)://[^\s/@]+:[0-9]{1,5}$")
    """A Dask cluster that counts terms, finds neighbours, places papers among landmarks and encodes tiles, by the address of its
    scheduler; None for this machine. The map does not depend on it."""
    landmarks: int = Field(default=1_000_000, ge=1_000)
    """Papers that are laid out together at most; the others are placed among them."""
    memory: ByteSize | None = None
    """What a layout may take, such as `16GB`; None for what is free. One that will not fit is refused before it begins."""


class ServerSettings(BaseModel):
    """`[server]`: where the map is served."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    """Address to listen on; anything but loopback needs `--public`."""
    port: int = Field(default=8000, ge=0, le=65535)
    """Port to listen on; 0 takes a free one."""
    public: bool = False
    """Allow an address that other machines reach."""


_MEMORY: Final = r"^[1-9][0-9]*[kmgKMG]$"
_FORMS: Final = {
    "layout.cluster": "tcp://host:port or tls://host:port is needed, without a user",
    "neo4j.heap": "a size such as 512m or 3g is needed",
    "neo4j.page_cache": "a size such as 512m or 3g is needed",
}
"""What a value of a pattern looks like."""
SECRET: Final = "neo4j.password"  # noqa: S105  the name of the setting
"""The setting whose value no message shows."""
_SHOWN: Final = 80
"""Characters of a wrong value that a message repeats."""


class Neo4jSettings(BaseModel):
    """`[neo4j]`: how to get into a Neo4j database, and how the local server runs."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    user: str = "neo4j"
    """Who asks. The local server knows its own user and password."""
    password: SecretStr | None = None
    """The password; better in a file."""
    password_file: Path | None = None
    """A file whose first line is the password; nobody else may read it."""
    database: str = "neo4j"
    """Which database of the server; Community has one."""
    heap: str = Field(default="3g", pattern=_MEMORY)
    """What the local server's Java heap may grow to; publishing a map of 200,000 papers in one step needs 3g."""
    page_cache: str = Field(default="512m", pattern=_MEMORY)
    """Memory in which the local server keeps its files; 1.2 times their size is best."""
    bolt_port: int = Field(default=7687, ge=0, le=65535)
    """Port of the local server on 127.0.0.1; 0 takes a free one, the same at each start if it can."""
    http_port: int = Field(default=0, ge=0, le=65535)
    """Port of the local server's HTTP interface on 127.0.0.1; 0: none."""


class Settings(BaseSettings):
    """All settings."""

    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )

    data: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("paperatlas", appauthor=False)))
    """The directory in which everything lives."""
    store: Annotated[str, Field(min_length=1)] = "sqlite"
    """Where the corpus is kept: `sqlite` or `neo4j` under the data directory, or `bolt://host:port`, `neo4j://host:port`."""
    layout: LayoutSettings = LayoutSettings()
    server: ServerSettings = ServerSettings()
    neo4j: Neo4jSettings = Neo4jSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  pydantic-settings calls it with these names
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take values only from the call: `load` merges the layers itself, to know where each came from."""
        return (init_settings,)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings and, by dotted key, where each value came from."""

    settings: Settings
    origins: Mapping[str, str]


def load(flags: Mapping[str, object], config: Path | None = None) -> Loaded:
    """Merge flags (dotted keys; None is not given) over environment over TOML file over defaults.

    Raises `BadSetting` naming the key and the layer for an unknown key, a bad value or an unreadable file.
    """
    layers: list[tuple[str, dict[str, object]]] = []
    given = {key: value for key, value in flags.items() if value is not None}
    environment = dict(_flat(_environment()))
    data = given.get("data", environment.get("data"))
    path = config or _config_from_environment()
    default_file = Path(str(data)) / "paperatlas.toml" if data else Settings().data / "paperatlas.toml"
    if path is not None or default_file.is_file():
        file = path or default_file
        written = dict(_flat(_toml(file)))
        if SECRET in written:
            for_the_owner_alone(file)
        layers.append((str(file), written))
    layers += [("environment", environment), (FLAG, given)]
    merged: dict[str, object] = {}
    origins = dict.fromkeys(keys(), "default")
    for name, layer in layers:
        for key, value in layer.items():
            if key not in origins:
                raise BadSetting(f"unknown setting '{key}' ({name}); known are: {', '.join(sorted(origins))}")
            merged[key], origins[key] = value, name
    return Loaded(_validated(merged, origins), origins)


def for_the_owner_alone(file: Path) -> None:
    """Raise `BadSetting` where others can read a file that holds a password, or where it is a folder."""
    if file.is_dir():
        raise BadSetting(f"{file} is a folder; name the file that holds the password")
    if file.stat().st_mode & 0o077:
        raise BadSetting(f"{file} holds a password and others can read it; run `chmod 600 {file}`")


def keys() -> list[str]:
    """Every dotted key there is."""
    return [key for key, _ in _flat(Settings().model_dump())]


def _validated(merged: Mapping[str, object], origins: Mapping[str, str]) -> Settings:
    nested: dict[str, Any] = {}
    for key, value in merged.items():
        section, _, name = key.rpartition(".")
        (nested.setdefault(section, {}) if section else nested)[name] = value
    try:
        return Settings(**nested)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        needed = (
            _FORMS[key]
            if first["type"] == "string_pattern_mismatch"
            else first["msg"].replace("Input should", "it should")
        )
        shown = "the value" if key == SECRET else f"{str(first['input'])[:_SHOWN]!r}"
        raise BadSetting(f"{key} ({origins.get(key, FLAG)}): {shown} will not do: {needed}") from None


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _environment() -> Mapping[str, Any]:
    known = {PREFIX + key.replace(".", "__").upper() for key in keys()} | NOT_SETTINGS
    for name in os.environ:
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            raise BadSetting(f"unknown setting {name} in the environment; known are: {', '.join(sorted(known))}")
    return EnvSettingsSource(Settings)()


def _config_from_environment() -> Path | None:
    name = os.environ.get("PAPERATLAS_CONFIG")
    return Path(name) if name else None


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise BadSetting(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path} is not TOML: {error}") from error
