"""Names that an operator gives to regions: `region-names.toml` in the data directory."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from corpus.errors import BadSetting

FILE: Final = "region-names.toml"
_LONGEST: Final = 120
"""Characters of a name."""


def read_names(data: Path) -> dict[str, str]:
    """Names by key (`"1-07"`) or by the name that a region has of itself; empty where there is no file.

    Raises `BadSetting` naming the file and the entry.
    """
    file = data / FILE
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadSetting(f"{file} cannot be read: {error.strerror}") from error
    try:
        names = tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{file} is not TOML: {error}") from error
    for key, name in names.items():
        if not isinstance(name, str) or not 0 < len(name.strip()) <= _LONGEST or not name.isprintable():
            raise BadSetting(f'{file}: "{key}" needs a name of 1 to {_LONGEST} characters in one line')
    return {key: name.strip() for key, name in names.items()}
