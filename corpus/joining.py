"""Which papers of a batch are one, among themselves and with what a store holds: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from corpus.model import Paper
from corpus.packing import holds


@dataclass(slots=True, eq=False)
class Group:
    """Papers of a batch, and nodes of the store, that share identifiers: one paper from now on."""

    paper: Paper
    """The last of the batch: it replaces the others."""
    ids: set[str]
    """Every identifier that one of the papers has."""
    nodes: set[int] = field(default_factory=set)
    """Numbers of the nodes that have one of them."""

    def target(self, blobs: Mapping[int, bytes]) -> int | None:
        """The node that takes over the others: a paper before a stub, the lowest number first; None where there is no node."""
        return min(self.nodes, key=lambda n: (n not in blobs, n), default=None)


def differing(papers: Iterable[Paper], held: Mapping[str, int], blobs: Mapping[int, bytes]) -> list[Group]:
    """Join papers as `join` does, and leave out what the store holds just so. `blobs` are the papers of the nodes, packed."""
    return [group for group in join(papers, held) if not _is_held(group, held, blobs)]


def _is_held(group: Group, held: Mapping[str, int], blobs: Mapping[int, bytes]) -> bool:
    if len(group.nodes) != 1 or not group.ids <= held.keys():
        return False
    (n,) = group.nodes
    return n in blobs and holds(blobs[n], group.paper)


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
