"""A laid-out map to the files of a build: the only module of the layout that writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from corpus.build import PAPERS, REGIONS, SCHEMA, TILES, Manifest, to_json
from corpus.reasons import POLICY_VERSION
from corpus.store import Verdict
from layout.arrays import UNKNOWN, Corpus
from layout.lineage import Value, versions
from layout.parameters import Parameters
from layout.stages import Laid
from layout.tiles import TileFacts, TilePapers, write_tiles
from layout.verdicts import count_neighbours, evidence_of, hints, marks_of, signals_of
from layout.workers import crew

MAX_AREAS: Final = 12
"""Areas with a colour of their own: as many as people tell apart (Okabe, Ito 2008 and lighter shades)."""
_WORTH: Final = 200_000
"""Papers from which on more processes encode tiles."""
_MADE: Final = 8
"""Decimals of a confidence."""


def area_names(corpus: Corpus) -> tuple[tuple[str, ...], dict[str, int]]:
    """The areas with a colour, most papers first, `other` and `unknown` last where there are such papers; and each area's index."""
    counts = Counter(areas[0] for areas in corpus.areas if areas)
    top = [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))][:MAX_AREAS]
    index = {name: place for place, name in enumerate(top)}
    names = [*top]
    if len(counts) > len(top):
        index.update(dict.fromkeys(counts.keys() - index.keys(), len(names)))
        names.append("other")
    if any(not areas for areas in corpus.areas):
        index[""] = len(names)
        names.append("unknown")
    return tuple(names), index


def write_build(
    folder: Path,
    corpus: Corpus,
    laid: Laid,
    parameters: Parameters,
    made_from: Mapping[str, Value],
    data_date: str | None,
    made_at: str,
) -> Manifest:
    """Write papers, regions and tiles into a folder; return the manifest, without the facts of the files."""
    areas, area_index = area_names(corpus)
    area = np.array([area_index[names[0] if names else ""] for names in corpus.areas], np.int16)
    # Only tiles of a large map are worth the second or two that processes take to start.
    with crew(parameters.threads if len(laid.rows) >= _WORTH else 1, parameters.cluster) as spread:
        papers = _tile_papers(corpus, laid, area)
        tiles = write_tiles(folder / TILES, papers, laid.regions, name="Paper Atlas", spread=spread)
    (folder / REGIONS).write_bytes(msgspec.json.encode(laid.regions))
    pq.write_table(_table(corpus, laid, area, tiles, parameters), folder / PAPERS, compression="zstd")
    binding = Counter(reasons[0].value for reasons in laid.reasons if reasons)
    return Manifest(
        made_at=made_at,
        data_date=data_date,
        policy=parameters.policy.value,
        policy_version=POLICY_VERSION,
        seed=parameters.seed,
        parameters=made_from,
        libraries=versions(parameters),
        papers=corpus.n,
        placed=len(laid.rows),
        unplaced=dict(sorted(binding.items())),
        areas=areas,
        minzoom=tiles.minzoom,
        maxzoom=tiles.maxzoom,
        quality=laid.quality,
        files={},
    )


def verdicts(corpus: Corpus, laid: Laid) -> Iterator[Verdict]:
    """Every paper's verdict, as the store mirrors it."""
    place = {int(row): at for at, row in enumerate(laid.rows)}
    for row in range(corpus.n):
        at = place.get(row)
        if at is None:
            yield Verdict(corpus.ids[row][0], None, None, None, laid.reasons[row][0].value)
        else:
            x, y = laid.xy[at].tolist()
            yield Verdict(corpus.ids[row][0], x, y, laid.keys[at], None)


def verdicts_of(table: pa.Table) -> Iterator[Verdict]:
    """The verdicts of a build that stands, out of the columns id, x, y, region and reason of its papers."""
    for row in table.select(["id", "x", "y", "region", "reason"]).to_pylist():
        yield Verdict(row["id"], row["x"], row["y"], row["region"], row["reason"])


def _tile_papers(corpus: Corpus, laid: Laid, area: NDArray[np.int16]) -> TilePapers:
    rows = laid.rows
    return TilePapers(
        n=rows.astype(np.int32),
        x=np.ascontiguousarray(laid.xy[:, 0]),
        y=np.ascontiguousarray(laid.xy[:, 1]),
        area=area[rows],
        citations=corpus.citations[rows],
        year=corpus.years[rows].astype(np.int16),
        region=[key or "" for key in laid.keys],
        title=[corpus.titles[row] for row in rows],
    )


def _table(
    corpus: Corpus,
    laid: Laid,
    area: NDArray[np.int16],
    tiles: TileFacts,
    parameters: Parameters,
) -> pa.Table:
    n = corpus.n
    placed = np.zeros(n, bool)
    placed[laid.rows] = True
    at = np.full(n, -1, np.int64)
    at[laid.rows] = np.arange(len(laid.rows))
    around = count_neighbours(corpus, placed)
    key = [laid.keys[at[row]] if placed[row] else None for row in range(n)]
    hint = hints(corpus, placed, key, laid.regions)
    firm = [round(float(laid.confidence[at[row]]), _MADE) if placed[row] else None for row in range(n)]
    columns = {
        "id": [ids[0] for ids in corpus.ids],
        "n": np.arange(n, dtype=np.int32),
        "ids": [list(ids) for ids in corpus.ids],
        "title": corpus.titles,
        "year": [None if year == UNKNOWN else int(year) for year in corpus.years],
        "area": area,
        "citations": corpus.citations,
        "x": [float(laid.xy[at[row], 0]) if placed[row] else None for row in range(n)],
        "y": [float(laid.xy[at[row], 1]) if placed[row] else None for row in range(n)],
        "minzoom": [int(tiles.paper_minzoom[at[row]]) if placed[row] else None for row in range(n)],
        "region": key,
        "signals": [signals_of(laid.tests, row) if placed[row] else None for row in range(n)],
        "confidence": firm,
        "marks": [marks_of(corpus, row, firm[row]) for row in range(n)],
        "reason": [None if placed[row] else laid.reasons[row][0].value for row in range(n)],
        "evidence": [
            to_json(evidence_of(corpus, laid.tests, around, row, laid.reasons[row], hint.get(row), parameters))
            for row in range(n)
        ],
    }
    return pa.table([pa.array(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)
