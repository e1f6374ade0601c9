"""The neutral papers format: what `paperatlas export papers` writes, and what a user with an unusual source writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from corpus.neutral import NoIdentifier, read
from ingest.json_items import items
from ingest.opening import Opened
from ingest.records import Found, Rejected, Sample

NAME: Final = "papers"
TITLE: Final = "papers format, JSON lines"


def recognises(sample: Sample) -> bool:
    """An object whose `ids` is a list."""
    return any(isinstance(one.get("ids"), list) for one in sample.objects)


def records(opened: Opened) -> Iterator[Found | Rejected]:
    """Every paper of the file."""
    for item in items(opened):
        if isinstance(item, Rejected):
            yield item
        elif not isinstance(item.value, dict):
            yield Rejected(item.place, "not_an_object", "a paper is a JSON object", item.start)
        else:
            try:
                record, flags = read(item.value)
            except NoIdentifier as error:
                yield Rejected(item.place, "no_identifier", str(error), item.start)
            else:
                yield Found(item.place, record, (*item.flags, *flags))
