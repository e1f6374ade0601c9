"""Where an unplaced paper's neighbours are: one rule for the layout, which writes hints, and for papers newer than the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from corpus.build import Hint, Region


def hint_of(keys: Sequence[str | None], regions: Mapping[str, Region], source: str) -> Hint | None:
    """Name the deepest region that holds more than half of the neighbours, else the coarsest with the most.

    `keys` has the deepest region of each neighbour on the map, None where it has none; `source` is `citers` or `references`.
    """
    counts: Counter[str] = Counter()
    for key in keys:
        here = regions.get(key) if key else None
        while here is not None:
            counts[here.key] += 1
            here = regions.get(here.parent) if here.parent else None
    if not counts:
        return None
    most = [key for key, count in counts.items() if 2 * count > len(keys)]
    if most:
        best = max(most, key=lambda key: (regions[key].level, counts[key], key))
    else:
        best = min(counts, key=lambda key: (regions[key].level, -counts[key], key))
    return Hint(region=best, name=regions[best].name, source=source, count=counts[best], total=len(keys))
