"""A small corpus in a real store, and a real build of it, made by hand: the layout is tested elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from corpus.build import PAPERS, REGIONS, SCHEMA, TILES, Evidence, Hint, Manifest, Region, Workshop, to_json
from corpus.model import Author, Paper, PartialDate, Record, Status
from corpus.reasons import POLICY_VERSION
from corpus.store import Direction, Run, Store, Stored, Tally
from corpus.stores import open_store
from layout.tiles import TilePapers, write_tiles

SEED = "arxiv:1802.09941"
SEED_TITLE = "Demystifying Parallel and Distributed Deep Learning"
STUB = "doi:10.5555/never.recorded"
XSS = "<script>alert(1)</script>"
REGIONS_MADE = (
    Region("0-00", "Systems for learning", 0, None, 0.3, 0.3, 8),
    Region("1-00", "Distributed training", 1, "0-00", 0.32, 0.28, 8),
)


def paper(*ids: str, **known: object) -> Paper:
    """A paper with one record."""
    record = Record(key=ids[0], ids=ids, source="openalex")
    return Paper(ids=ids, records=(record,), **known)  # type: ignore[arg-type]


def corpus() -> list[Paper]:
    """Papers with every trait that the server shows."""
    citers = [
        paper(
            f"fixture:citer-{year}",
            title=f"Scaling study {year}",
            authors=(Author(f"Ada {year}"), Author("Bo"), Author("Cy"), Author("Di")),
            date=PartialDate(year),
            references=(SEED, STUB) if year < 2022 else (SEED,),
            areas=("cs.DC",),
        )
        for year in range(2020, 2026)
    ]
    return [
        paper(
            SEED,
            "doi:10.1145/3320060",
            "openalex:W2787998955",
            title=SEED_TITLE,
            abstract="Deep neural networks are becoming an important tool.",
            abstract_source="arxiv",
            date=PartialDate(2018, 2, 26),
            areas=("cs.LG", "cs.CV", "cs.DC"),
            cited_by_counts={"openalex": 372},
        ),
        *citers,
        paper("fixture:empty", title="A paper that cites nothing", references=(), date=PartialDate(1999, 5)),
        paper("fixture:withdrawn", title="A withdrawn paper", references=(SEED,), status=Status.WITHDRAWN),
        paper("fixture:retracted", title="A retracted paper", references=(SEED,), status=Status.RETRACTED),
        paper("fixture:untitled", references=(SEED,), unresolved=("Smith, 1970, some book",), references_declared=9),
        paper("fixture:same-1", title="Preface", date=PartialDate(2001)),
        paper("fixture:same-2", title="preface.", date=PartialDate(2002)),
        paper(
            "fixture:evil",
            title=XSS,
            abstract="\"><img src=x onerror=alert(2)> {{ 7*7 }} ' onmouseover='alert(3)",
            authors=(Author("<b>Mallory</b>"),),
            venue="</p><svg onload=alert(4)>",
            areas=("<i>cs</i>",),
            language="<u>",
            references=(SEED,),
        ),
    ]


def fill(store: Store, papers: Iterable[Paper], date: PartialDate | None = None) -> None:
    """Put papers into a store as one finished run."""
    every = list(papers)
    run = Run("run-1", "2026-10-07T00:00:00+00:00", "2026-10-07T00:01:00+00:00", (), Tally(len(every), len(every)))
    store.put(every, run)
    store.settle(run, date or PartialDate(2026, 10, 7))


def open_filled(data: Path, papers: Iterable[Paper] | None = None) -> Store:
    """A new store that holds the corpus."""
    data.mkdir(parents=True, exist_ok=True)
    store = open_store("sqlite", data)
    fill(store, corpus() if papers is None else papers)
    return store


def lay_out_by_hand(data: Path, store: Store, *, seed: int = 42) -> str:
    """Make and publish a build: papers with a list that is not empty stand on a line; return its hash."""
    every = list(store.stream())
    placed = [one for one in every if _reason(one.paper) is None]
    x = 0.3 + 0.0002 * np.arange(len(placed), dtype=np.float32)  # close together: the map gets several zooms
    y = np.full(len(placed), 0.25 + 0.001 * (seed % 100), dtype=np.float32)
    numbers = {one.paper.address: n for n, one in enumerate(every)}
    shop = Workshop(data)
    facts = write_tiles(
        shop.path / TILES,
        TilePapers(
            n=np.array([numbers[one.paper.address] for one in placed], dtype=np.int32),
            x=x,
            y=y,
            area=np.zeros(len(placed), dtype=np.int16),
            citations=np.array([one.citations for one in placed], dtype=np.int32),
            year=np.array([one.paper.year or -1 for one in placed], dtype=np.int16),
            region=["1-00"] * len(placed),
            title=[one.paper.title for one in placed],
        ),
        REGIONS_MADE,
        name="test",
    )
    at = {one.paper.address: (float(x[i]), float(y[i]), int(facts.paper_minzoom[i])) for i, one in enumerate(placed)}
    rows = [_row(n, one, at, store) for n, one in enumerate(every)]
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), shop.path / PAPERS)
    (shop.path / REGIONS).write_bytes(msgspec.json.encode(REGIONS_MADE))
    unplaced: dict[str, int] = {}
    for row in rows:
        if row["reason"]:
            unplaced[str(row["reason"])] = unplaced.get(str(row["reason"]), 0) + 1
    return shop.publish(_manifest(store, seed, len(every), len(placed), unplaced, facts.minzoom, facts.maxzoom))


def _manifest(
    store: Store, seed: int, papers: int, placed: int, unplaced: dict[str, int], low: int, high: int
) -> Manifest:
    date = store.data_date()
    return Manifest(
        data_date=None if date is None else str(date),
        policy="references",
        policy_version=POLICY_VERSION,
        seed=seed,
        parameters={},
        libraries={},
        papers=papers,
        placed=placed,
        unplaced=unplaced,
        areas=("cs.DC", "unknown"),
        minzoom=low,
        maxzoom=high,
        quality={},
        files={},
    )


def _reason(one: Paper) -> str | None:
    if one.status is Status.WITHDRAWN:
        return "withdrawn"
    if one.references is None:
        return "no_reference_list"
    return None if one.references else "reference_list_empty"


def _row(n: int, one: Stored, at: dict[str, tuple[float, float, int]], store: Store) -> dict[str, object]:
    place = at.get(one.paper.address)
    return {
        "id": one.paper.address,
        "n": n,
        "ids": list(one.paper.ids),
        "title": one.paper.title,
        "year": one.paper.year,
        "area": 0 if one.paper.areas else 1,
        "citations": one.citations,
        "x": place and place[0],
        "y": place and place[1],
        "minzoom": place and place[2],
        "region": "1-00" if place else None,
        "signals": "references" if place else None,
        "confidence": 0.5 if place else None,
        "marks": ["retracted"] if one.paper.status is Status.RETRACTED else [],
        "reason": _reason(one.paper),
        "evidence": to_json(_evidence(one, set(at), store)),
    }


def _evidence(one: Stored, placed: set[str], store: Store) -> Evidence:
    listed: Sequence[str] | None = one.paper.references
    citers = store.neighbours(one.paper.address, Direction.CITATIONS, limit=1000)
    on_map = sum(row.id in placed for row in citers.rows)
    reason = _reason(one.paper)
    return Evidence(
        references_declared=one.paper.references_declared,
        references_parsed=None if listed is None else len(listed) + len(one.paper.unresolved),
        references_resolved=None if listed is None else len(listed),
        references_in_corpus=None if listed is None else one.references_in_corpus,
        references_on_map=None if listed is None else 0,
        references_shared=None if listed is None else 0,
        citers_in_corpus=citers.total,
        citers_on_map=on_map,
        abstract_characters=None if one.paper.abstract is None else len(one.paper.abstract),
        text="usable" if one.paper.abstract else "none",
        known_terms=7 if one.paper.abstract else 0,
        language=one.paper.language,
        status=one.paper.status.value,
        reasons=() if reason is None else (reason,),
        passed=("text",) if one.paper.abstract else (),
        hint=Hint("1-00", "Distributed training", "citers", on_map, on_map) if reason and on_map else None,
        thresholds={"known_terms": 3},
    )
