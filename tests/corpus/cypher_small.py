"""Thirty-four papers with everything that the questions of docs/cypher.md are about, and a map of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np

from corpus.folding import fold
from corpus.identifiers import sort_ids
from corpus.model import Author, Paper, PartialDate, Record, Status
from corpus.store import Edition, MapRegion, Run, Store, Tally, Verdict
from layout.arrays import read_corpus
from layout.eligibility import judge
from layout.parameters import Parameters

EDITION = Edition(
    "f" * 64,
    "2026-12-01T11:00:00+00:00",
    (
        MapRegion("0-00", "Galaxies", 0, None, 9),
        MapRegion("0-01", "Proteins", 0, None, 9),
        MapRegion("1-00", "Dark matter", 1, "0-00", 4),
        MapRegion("1-01", "Dust", 1, "0-00", 5),
        MapRegion("1-02", "Folding", 1, "0-01", 8),
    ),
)
_LINES = """
a1 2001 openalex Ann_Lee,Bo_Chen x1 x2
a2 2003 crossref Ann_Lee a1 x1
a3 2005 openalex Carla_Díaz a1 a2 x1
a4 2008 - Bo_Chen a1 a3 b1
a5 2010 openalex Ann_Lee,Bo_Chen a3 a4 b2 x3
a6 2010-05 s2 - a5 a4 b1 b3 a7
a7 2010-07 s2 Li_Wei a6 a1
a8 - openalex Li_Wei a8 a2 b1 u1
b1 1999 openalex Dan_Ito x4
b2 2002 crossref Dan_Ito b1 x4 a1
b3 2006 - Dan_Ito,Ann_Lee b1 b2
b4 2011 crossref - b2 b3 a3 u2
b5 2012 s2 Eva_Roe b4 b1 b6
b6 2013 s2 Eva_Roe,Eva_Roe b7 e7
b7 2014 s2 Eva_Roe b5 a1 a7
b8 2020-02-26 crossref Dan_Ito b7 a6 a1 b1 x1 openalex:W1
c1 2018 openalex Carla_Díaz a2 b2
c2 2018-11 - - a1 b1 x5 x1
d1 2019 s2 Carla_Diaz a3 b3 d2
d2 2019 s2 - b3 a3 d3
d3 2020 s2 - d4
d4 2017 s2 - d1
e7 2014 s2 - b5
u1 2007 openalex Fay_Om ?
u2 2009 crossref - -
u3 2009 crossref - ~
u9 2009 crossref - ~
u4 2015 openalex - x9
u5 2016 s2 - u7
u6 2012 crossref Ann_Lee a1 b1
u7 - - - ?
u8 2012 crossref - a1
l1 2021 openalex Ann_Lee a1
""".strip()
"""Name, date, source, authors, references. As references, `?` is no list, `-` an empty one, `~` one that nobody could identify."""
_REGIONS = {"a1": "1-00", "a2": "1-00", "a3": "1-00", "a4": "1-00", "b1": "1-02", "c1": "0-01", "c2": None}
_PARTS = {"a": "1-01", "b": "1-02", "d": "1-01", "e": "1-02", "m": "1-01"}
LATE = "doi:10.1/l1"
"""Came after the map was made."""
ASKED = ("doi:10.1/a1", "openalex:W1", "pmid:9", "doi:10.1/m1", "doi:10.1/x1", "doi:10.1/nothing")
VALUES = (
    {"a": "doi:10.1/a1", "b": "doi:10.1/b1", "id": "openalex:W1", "words": "+dust +paper*"},
    {"a": "doi:10.1/b8", "b": "doi:10.1/b1", "id": "pmid:9", "words": "+diaz"},
    {"a": "doi:10.1/a8", "b": "doi:10.1/x1", "id": "doi:10.1/x1", "words": "+ann +lee", "since": 1990},
    {"a": "doi:10.1/b5", "b": "doi:10.1/a6", "id": "doi:10.1/m1", "words": "+paper", "region": "0-01", "other": "0-00"},
    {"a": "doi:10.1/b6", "b": "doi:10.1/b3", "id": "doi:10.1/a1", "words": "+no*", "region": "1-02", "other": "1-00"},
    {"a": "doi:10.1/u1", "b": "doi:10.1/u7", "id": "doi:10.1/nothing", "words": "+galaxie", "region": "1-01"},
    {"a": "doi:10.1/u2", "b": "doi:10.1/a7", "id": "doi:10.1/a1", "words": "+paper +a1", "region": "nowhere"},
    {"a": "doi:10.1/d1", "b": "doi:10.1/a7", "id": "doi:10.1/a1", "words": "+eva", "other": "1-02"},
)
"""Values for the parameters; what is not given is as in `DEFAULTS`."""
DEFAULTS = {"region": "0-00", "other": "0-01", "since": 2012}


def address(name: str) -> str:
    """`a1` is `doi:10.1/a1`."""
    return name if ":" in name else f"doi:10.1/{name}"


def fill(store: Store) -> None:
    """Put the corpus into a store: two runs, the second of which shows two records to be of one paper."""
    first = Run("r1", "2026-12-01T10:00:00+00:00", None, ("a.jsonl", "b.jsonl"), Tally(read=34, accepted=34))
    early = _record(("openalex:W1", "pmid:9"), "openalex", title="A paper about dust", references=None)
    store.put([*_papers(), fold([early])], first)
    store.settle(Run("r1", first.started, "2026-12-01T10:01:00+00:00", first.files, first.tally), PartialDate(2021))
    second = Run("r2", "2026-12-01T10:02:00+00:00", None, ("c.jsonl",), Tally(read=1, accepted=1))
    late = _record(("openalex:W1",), "openalex", title="A paper about dust", references=None)
    full = _record(("doi:10.1/m1", "openalex:W1"), "crossref", title="Dust, a paper", references=("doi:10.1/a1",))
    store.put([fold([late, full])], second)


def verdicts(store: Store) -> list[Verdict]:
    """Who is placed by the policy, and why the others are not; a place and a region by name."""
    corpus = read_corpus(store)
    tests = judge(corpus, np.zeros(corpus.n, np.int32), Parameters())
    found = []
    for row, ids in enumerate(corpus.ids):
        if ids[0] == LATE:
            continue
        if tests.placeable[row]:
            x, y = (crc32(f"{axis}{ids[0]}".encode()) / 2**32 for axis in "xy")
            name = ids[0].rpartition("/")[2]
            region = _REGIONS[name] if name in _REGIONS else _PARTS[name[0]]
            found.append(Verdict(ids[0], x, y, region, None))
        else:
            found.append(Verdict(ids[0], None, None, None, tests.reasons[row][0].value))
    return found


def _papers() -> Iterator[Paper]:
    for line in _LINES.splitlines():
        name, date, source, authors, *listed = line.split()
        yield fold(
            [
                _record(
                    (address(name),),
                    None if source == "-" else source,
                    title=None if name in {"a5", "u7"} else f"Paper {name}",
                    date=None if date == "-" else PartialDate.parse(date),
                    authors=() if authors == "-" else authors.replace("_", " ").split(","),
                    references=_references(listed),
                    unresolved=("A book",) if listed == ["~"] else (),
                    status=Status.WITHDRAWN if name == "u6" else Status.NORMAL,
                    kind="paratext" if name == "u8" else None,
                )
            ]
        )


def _references(listed: Sequence[str]) -> tuple[str, ...] | None:
    if listed == ["?"]:
        return None
    return () if listed in (["-"], ["~"]) else tuple(map(address, listed))


def _record(
    ids: Sequence[str],
    source: str | None,
    *,
    title: str | None,
    references: tuple[str, ...] | None,
    date: PartialDate | None = None,
    authors: Sequence[str] = (),
    unresolved: tuple[str, ...] = (),
    status: Status = Status.NORMAL,
    kind: str | None = None,
) -> Record:
    return Record(
        key=ids[0],
        ids=sort_ids(ids),
        title=title,
        authors=tuple(map(Author, authors)),
        date=date,
        areas=("physics",) if source == "openalex" else (),
        references=references,
        unresolved=unresolved,
        status=status,
        type=kind,
        source=source,
    )
