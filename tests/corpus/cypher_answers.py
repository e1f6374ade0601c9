"""The answers to the questions of docs/cypher.md, worked out without Cypher: all rows, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from corpus.folding import list_source
from corpus.words import search_words
from tests.corpus.cypher_world import World, ascending

Rows = list[list[Any]]
Values = Mapping[str, Any]
Answer = Callable[[World, Values], Rows]
ANSWERS: dict[str, Answer] = {}
SHORT = {
    "no_reference_list",
    "reference_list_empty",
    "references_unresolved",
    "references_outside_corpus",
    "no_links",
}


def answers(heading: str) -> Callable[[Answer], Answer]:
    """Put an answer beside its question."""

    def enter(answer: Answer) -> Answer:
        ANSWERS[heading] = answer
        return answer

    return enter


def most(rows: Rows, count: int, *then: int) -> Rows:
    """Sort by one column, the largest first, then by others."""
    return sorted(rows, key=lambda row: (-row[count], *ascending(*(row[at] for at in then))))


@answers("Which paper has this identifier?")
def _(world: World, values: Values) -> Rows:
    address = world.leads.get(values["id"])
    if address is None:
        return []
    paper = world.papers.get(address)
    return [[address, paper.title, list(paper.ids), False] if paper else [address, None, None, True]]


@answers("Which papers have these words in title or authors?")
def _(world: World, values: Values) -> Rows:
    wanted = [word.lstrip("+") for word in values["words"].split()]
    rows = []
    for one, paper in world.papers.items():
        words = search_words(f"{paper.title or ''} | {' '.join(world.names(one))}")
        if all(any(w.startswith(x[:-1]) if x.endswith("*") else w == x for w in words) for x in wanted):
            rows.append([one, paper.title, paper.year, len(world.citers(one))])
    return most(rows, 3, 0)


@answers("What are the counts behind `paperatlas why`?")
def _(world: World, values: Values) -> Rows:
    one = values["a"]
    paper = world.papers[one]
    listed = paper.references is not None
    works, citers = world.references(one), world.citers(one)
    return [
        [
            world.reason(one),
            paper.references_state.value,
            len(works) if listed else None,
            sum(work in world.papers for work in works) if listed else None,
            sum(map(world.placed, works)) if listed else None,
            len(citers),
            sum(map(world.placed, citers)),
        ]
    ]


@answers("Which papers cite both A and B?")
def _(world: World, values: Values) -> Rows:
    both = set(world.citers(values["a"])) & set(world.citers(values["b"]))
    return most([[one, world.title(one), world.year(one), len(world.citers(one))] for one in both], 3, 0)


@answers("Which works are cited together with a paper?")
def _(world: World, values: Values) -> Rows:
    counts = Counter(work for one in world.citers(values["a"]) for work in world.references(one))
    return most([[work, world.title(work), count] for work, count in counts.items() if work != values["a"]], 2, 0)


@answers("Which papers cite the same works as a paper?")
def _(world: World, values: Values) -> Rows:
    mine = set(world.references(values["a"]))
    rows = []
    for one, works in world.out.items():
        shared = len(mine.intersection(works))
        if shared and one != values["a"]:
            rows.append([one, world.title(one), shared, shared / len(mine.union(works))])
    return most(rows, 2, 0)


@answers("By which chains of citations does one paper reach another?")
def _(world: World, values: Values) -> Rows:
    if values["a"] == values["b"]:
        return []
    return [[chain, len(chain) - 1] for chain in sorted(world.chains(values["a"], values["b"], 10))]


@answers("How far apart are two papers, whoever cites whom?")
def _(world: World, values: Values) -> Rows:
    found = world.ways(values["a"], values["b"], 6)
    return [list(found)] if found and values["a"] != values["b"] else []


@answers("In which years was a paper cited?")
def _(world: World, values: Values) -> Rows:
    counts = Counter(map(world.year, world.citers(values["a"])))
    return [[year, counts[year]] for year in sorted(counts, key=ascending)]


@answers("How many citations were made per year?")
def _(world: World, _values: Values) -> Rows:
    rows: dict[int | None, list[Any]] = {}
    for one, works in world.out.items():
        if works:
            row = rows.setdefault(world.year(one), [world.year(one), 0, 0, 0])
            row[1] += 1
            row[2] += len(works)
            row[3] += sum(work in world.papers for work in works)
    return [rows[year] for year in sorted(rows, key=ascending)]


@answers("Which works are missing from the corpus, the most cited first?")
def _(world: World, _values: Values) -> Rows:
    return most([[work, len(world.citers(work))] for work in world.stubs()], 1, 0)


@answers("Which papers cite themselves?")
def _(world: World, _values: Values) -> Rows:
    return [[one, world.title(one)] for one in sorted(world.papers) if one in world.references(one)]


@answers("Who cites papers of their own?")
def _(world: World, _values: Values) -> Rows:
    found = {
        (name, one, work)
        for one, works in world.out.items()
        for work in works
        if work != one
        for name in set(world.names(one)) & set(world.names(work))
    }
    times = Counter(name for name, _, _ in found)
    papers = Counter(name for name, _ in {(name, one) for name, one, _ in found})
    return most([[name, count, papers[name]] for name, count in times.items()], 1, 0)


@answers("Which papers cite each other?")
def _(world: World, _values: Values) -> Rows:
    pairs = [(p, q) for p in world.papers for q in world.references(p) if p < q and p in world.references(q)]
    return [[p, q, world.year(p), world.year(q)] for p, q in sorted(pairs)]


@answers("Which cycles of citations go through a paper?")
def _(world: World, values: Values) -> Rows:
    start = values["a"]
    found = [[start, *chain] for q in world.references(start) if q != start for chain in world.chains(q, start, 7)]
    return [[cycle, len(cycle) - 1] for cycle in sorted(found, key=lambda cycle: (len(cycle), cycle))]


@answers("Which papers cite a work of a later year?")
def _(world: World, _values: Values) -> Rows:
    rows = []
    for one, works in world.out.items():
        for work in works:
            year, later = world.year(one), world.year(work)
            if year is not None and later is not None and year < later:
                rows.append([one, year, work, later])
    return sorted(rows, key=lambda row: (row[1] - row[3], row[0], row[2]))


@answers("Which old works are still cited?")
def _(world: World, values: Values) -> Rows:
    rows = []
    for one, paper in world.papers.items():
        recent = sum((world.year(citer) or 0) >= values["since"] for citer in world.citers(one))
        if recent and paper.year is not None:
            rows.append([one, paper.title, paper.year, recent])
    return sorted(rows, key=lambda row: (row[2], -row[3], row[0]))


@answers("How many papers are unplaced, by reason?")
def _(world: World, _values: Values) -> Rows:
    counts = Counter(world.reason(one) for one in world.papers if not world.placed(one))
    return most([list(pair) for pair in counts.items()], 1, 0)


@answers("How many papers are unplaced, by reason and source?")
def _(world: World, _values: Values) -> Rows:
    unplaced = [one for one in world.papers if not world.placed(one)]
    counts = Counter((world.reason(one), source) for one in unplaced for source in world.sources(one))
    return most([[*pair, count] for pair, count in counts.items()], 2, 0, 1)


@answers("Which papers are one reference short of being placed?")
def _(world: World, _values: Values) -> Rows:
    rows = []
    for one in world.papers:
        if world.reason(one) in SHORT:
            citers = sum(map(world.placed, world.citers(one)))
            rows.append([one, world.title(one), world.reason(one), citers, citers > 0])
    return most(rows, 3, 0)


@answers("Where did the reference lists come from?")
def _(world: World, _values: Values) -> Rows:
    papers: Counter[tuple[str, str | None]] = Counter()
    empty: Counter[tuple[str, str | None]] = Counter()
    for paper in world.papers.values():
        kind = (paper.references_state.value, list_source(paper.records))
        papers[kind] += 1
        empty[kind] += paper.references == ()
    return most([[*kind, count, empty[kind]] for kind, count in papers.items()], 2, 0, 1)


@answers("What does the corpus hold, and which map is published?")
def _(world: World, _values: Values) -> Rows:
    size = (world.size.papers, world.size.stubs, world.size.citations)
    placed = sum(one.unplaced is None for one in world.verdicts.values())
    return [[*size, world.data_date, world.edition.hash, len(world.verdicts), placed]]


@answers("What was ingested, and when?")
def _(world: World, _values: Values) -> Rows:
    return [
        [run.id, run.started, run.finished, list(run.files), msgspec.json.encode(run.tally).decode()]
        for run in reversed(world.runs)
    ]


@answers("Which regions are there?")
def _(world: World, _values: Values) -> Rows:
    rows: Rows = [[one.key, one.name, one.level, one.parent, one.papers] for one in world.regions.values()]
    return sorted(rows, key=lambda row: (row[2], -row[4], row[0]))


@answers("Which papers are the most cited of each coarse region?")
def _(world: World, _values: Values) -> Rows:
    rows: Rows = []
    for key in sorted(one.key for one in world.regions.values() if one.level == 0):
        members = [[key, one, world.title(one), len(world.citers(one))] for one in world.members(key)]
        rows += most(members, 3, 1)[:3]
    return rows


@answers("What are the newest papers of a region?")
def _(world: World, values: Values) -> Rows:
    dated = [(world.papers[one].date, one) for one in sorted(world.members(values["region"]))]
    newest = sorted(((str(date), one) for date, one in dated if date), key=lambda pair: pair[0], reverse=True)
    return [[one, world.title(one), date] for date, one in newest]


@answers("What bridges two regions?")
def _(world: World, values: Values) -> Rows:
    here, there = set(world.members(values["region"])), set(world.members(values["other"]))
    rows = []
    for one, works in world.out.items():
        others = set(works) - {one}
        if others & here and others & there:
            rows.append([one, world.title(one), world.region(one), len(others & here), len(others & there)])
    return sorted(rows, key=lambda row: (-min(row[3:]), -row[3] - row[4], row[0]))


@answers("How many citations go from region to region?")
def _(world: World, _values: Values) -> Rows:
    coarse = {one: world.around(one)[-1] for one in world.papers if world.around(one)}
    pairs = Counter((coarse[one], coarse[work]) for one in coarse for work in world.references(one) if work in coarse)
    rows = [[f, world.regions[f].name, t, world.regions[t].name, count] for (f, t), count in pairs.items()]
    return most(rows, 4, 0, 2)


@answers("Which papers of a region are cited from other regions?")
def _(world: World, values: Values) -> Rows:
    here = set(world.members(values["region"]))
    rows = []
    for one in here:
        elsewhere = sum(world.region(c) is not None and c not in here for c in world.citers(one))
        if elsewhere:
            rows.append([one, world.title(one), elsewhere, len(world.citers(one))])
    return most(rows, 2, 0)


@answers("Which missing works does a region rest on?")
def _(world: World, values: Values) -> Rows:
    stubs = world.stubs()
    counts = Counter(work for one in world.members(values["region"]) for work in world.references(one) if work in stubs)
    return most([[work, count, len(world.citers(work))] for work, count in counts.items()], 1, 0)
