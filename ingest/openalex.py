"""OpenAlex works as JSON: lines, one array, one object or an API answer; the 2023 schema (concepts) and that since 2025 (topics)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from corpus.neutral import NoIdentifier
from ingest.json_items import items
from ingest.openalex_work import Work, rebuilt_abstract, record_of
from ingest.opening import Opened
from ingest.records import Found, Rejected, Sample

NAME: Final = "openalex"
TITLE: Final = "OpenAlex works, JSON"
_TELLING: Final = frozenset(
    (
        "abstract_inverted_index",
        "authorships",
        "referenced_works",
        "cited_by_count",
        "publication_year",
        "primary_location",
    )
)
_NEEDED: Final = 2
"""Telling fields that an object must have."""


def recognises(sample: Sample) -> bool:
    """An object with an OpenAlex work's `id`, or with several of its fields."""
    return any(_is_work(one.get("id")) or len(_TELLING & one.keys()) >= _NEEDED for one in sample.objects)


def _is_work(id: object) -> bool:  # noqa: A002  the field's name
    return isinstance(id, str) and "openalex.org/W" in id


def records(opened: Opened) -> Iterator[Found | Rejected]:
    """Every work of the file."""
    for item in items(opened):
        if isinstance(item, Rejected):
            yield item
        elif not isinstance(item.value, dict):
            yield Rejected(item.place, "not_an_object", "a work is a JSON object", item.start)
        else:
            work = _work(item.value)
            try:
                yield Found(item.place, record_of(work), (*item.flags, *work.flags))
            except NoIdentifier as error:
                yield Rejected(item.place, "no_identifier", str(error), item.start)


def _work(raw: Mapping[str, Any]) -> Work:
    flags: list[str] = []
    ids = raw.get("ids")
    locations = [place for place in _list(raw.get("locations")) if isinstance(place, dict)]
    links = [place.get("landing_page_url") for place in locations]
    return Work(
        id=raw.get("id"),
        ids=[raw.get("doi"), *(ids.values() if isinstance(ids, dict) else ()), *filter(_is_arxiv, links)],
        title=raw.get("title") if isinstance(raw.get("title"), str) else _text(raw.get("display_name")),
        abstract=rebuilt_abstract(raw.get("abstract_inverted_index"), flags),
        authors=[_author(one) for one in _list(raw.get("authorships")) if isinstance(one, dict)],
        publication_date=raw.get("publication_date"),
        publication_year=raw.get("publication_year"),
        venue=_venue(raw),
        language=raw.get("language"),
        type=raw.get("type"),
        is_paratext=raw.get("is_paratext") is True,
        is_retracted=raw.get("is_retracted") is True,
        areas=_areas(raw),
        referenced_works=_list(raw.get("referenced_works")),
        referenced_works_count=raw.get("referenced_works_count"),
        cited_by_count=raw.get("cited_by_count"),
        updated_date=raw.get("updated_date"),
        flags=flags,
    )


def _is_arxiv(link: object) -> bool:
    return isinstance(link, str) and "arxiv.org/" in link


def _author(raw: Mapping[str, Any]) -> tuple[object, object]:
    author = raw.get("author")
    author = author if isinstance(author, dict) else {}
    return author.get("display_name") or raw.get("raw_author_name"), author.get("orcid")


def _venue(raw: Mapping[str, Any]) -> object:
    location = raw.get("primary_location")
    source = location.get("source") if isinstance(location, dict) else None
    if not isinstance(source, dict):
        source = raw.get("host_venue")
    return source.get("display_name") if isinstance(source, dict) else None


def _areas(raw: Mapping[str, Any]) -> list[object]:
    """Subfields of the topics, the primary one's first, then their fields; before 2025 the concepts of level 1, then of level 0."""
    topics = [raw.get("primary_topic"), *_list(raw.get("topics"))]
    named = [[_name(topic, part) for topic in topics if isinstance(topic, dict)] for part in ("subfield", "field")]
    if any(named[0]):
        return [*named[0], *named[1]]
    concepts = [one for one in _list(raw.get("concepts")) if isinstance(one, dict)]
    concepts.sort(key=lambda one: -_score(one.get("score")))
    return [
        one.get("display_name")
        for level in (1, 0)
        for one in concepts
        if one.get("level") == level and _score(one.get("score"))
    ]


def _name(topic: Mapping[str, Any], part: str) -> object:
    value = topic.get(part)
    return value.get("display_name") if isinstance(value, dict) else None


def _score(value: object) -> float:
    """A score, which some exports write as a string; 0 where it is no finite number."""
    try:
        score = float(value) if isinstance(value, str | int | float) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return score if math.isfinite(score) else 0.0


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
