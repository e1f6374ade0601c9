"""One JSON value: what loses no meaning is repaired, the rest is rejected with the reason."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, NoReturn

import msgspec

from ingest.records import SHOWN_BYTES, Rejected

MARK: Final = b"\xef\xbb\xbf"
"""A byte order mark; files that were joined carry it in the middle."""


@dataclass(frozen=True, slots=True)
class Item:
    """A JSON value and where it stands."""

    place: int
    value: object
    flags: tuple[str, ...] = ()
    start: bytes = b""
    """Its first bytes, as they are shown where it is rejected after all."""


def decode(place: int, raw: bytes) -> Item | Rejected:
    """Decode one JSON value; repair what loses no meaning (bad UTF-8, lone surrogates), reject the rest."""
    try:
        return Item(place, msgspec.json.decode(raw), (), raw[:SHOWN_BYTES])
    except RecursionError:
        return Rejected(place, "too_deep", "the JSON is nested too deeply", raw[:SHOWN_BYTES])
    except msgspec.DecodeError:
        return _repair(place, raw.removeprefix(MARK))


def _repair(place: int, raw: bytes) -> Item | Rejected:
    flags: list[str] = []
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        flags.append("bad_utf8")
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
        if "\\ud" in text.lower():
            value = _without_lone_surrogates(value, flags)
    except RecursionError:
        return Rejected(place, "too_deep", "the JSON is nested too deeply", raw[:SHOWN_BYTES])
    except ValueError as error:
        return Rejected(place, "bad_json", " ".join(str(error).split())[:SHOWN_BYTES], raw[:SHOWN_BYTES])
    return Item(place, value, tuple(flags), raw[:SHOWN_BYTES])


def _without_lone_surrogates(value: object, flags: list[str]) -> object:
    written = json.dumps(value, ensure_ascii=False)
    text = written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if text == written:
        return value
    flags.append("lone_surrogate")
    repaired: object = json.loads(text)
    return repaired


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is too large a number")
    return value
