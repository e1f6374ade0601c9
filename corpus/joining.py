"""Which papers of a batch are one, among themselves and with what a store holds: a pure function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from corpus.model import Paper


@dataclass(slots=True, eq=False)
class Group:
    """Papers of a batch, and nodes of the store, that share identifiers: one paper from now on."""

    paper: Paper
    """The last of the batch: it replaces the others."""
    ids: set[str]
    """Every identifier that one of the papers has."""
    nodes: set[int] = field(default_factory=set)
    """Numbers of the nodes that have one of them."""


def join(papers: Iterable[Paper], held: Mapping[str, int]) -> list[Group]:
    """Join papers that share an identifier, directly or through a node of the store, in the order in which they come.

    `held` maps every identifier of theirs that the store knows to its node.
    """
    of_id: dict[str, Group] = {}
    of_node: dict[int, Group] = {}
    groups: dict[Group, None] = {}
    for paper in papers:
        nodes = {held[identifier] for identifier in paper.ids if identifier in held}
        met = [of_id[identifier] for identifier in paper.ids if identifier in of_id]
        met += [of_node[node] for node in nodes if node in of_node]
        found = list(dict.fromkeys(met))
        group = found[0] if found else Group(paper, set())
        groups[group] = None
        group.paper = paper
        group.ids.update(paper.ids)
        group.nodes |= nodes
        for other in found[1:]:
            group.ids |= other.ids
            group.nodes |= other.nodes
            del groups[other]
        of_id.update(dict.fromkeys(group.ids if len(found) > 1 else paper.ids, group))
        of_node.update(dict.fromkeys(group.nodes, group))
    return list(groups)
