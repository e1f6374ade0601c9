"""The numbers that decide a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpus.reasons import Policy

Start = Literal["scratch", "refit", "add"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of a layout; same corpus, parameters and library versions give the same map.

    The defaults come from a comparison on three corpora (7,518 to 49,264 papers; docs/decisions/0007-kernel.md): each is in the flat
    middle of what was tried, so that none needs to be touched for an ordinary corpus.
    """

    policy: Policy = Policy.REFERENCES
    """Who may be placed."""
    seed: int = 42
    start: Start = "refit"
    """What becomes of the map that stands: `refit` begins where its papers are, `add` moves none of them and places the new ones,
    `scratch` begins anew and is only turned onto it. Without a map that stands, all begin anew."""
    engine: Literal["kernel", "umap"] = "kernel"
    threads: int = 2
    """Threads of the kernel; the map does not depend on them."""
    vectors: str = "lsa"
    """What makes vectors of texts: `lsa`, or a function `package.module:function` (layout.vectors)."""
    dimensions: int = 128
    """Of the text vectors; 64 to 256 differ by less than .005 in citation AUC."""
    neighbours: int = 15
    """In the similarity graph; 10, 15 and 25 make no difference."""
    smoothing: float = 0.8
    """Share of a paper's vector that comes from what it cites and is cited by (APPNP's 1 - alpha)."""
    steps: int = 4
    """Smoothing steps."""
    stub_weight: float = 0.5
    """Weight of a shared reference without a record against a citation."""
    hub: int = 300
    """Works cited by more papers than this say nothing about any one of them."""
    citation_weight: float = 0.5
    """Of direct citations in the fused graph; text neighbours have 1."""
    epochs: int = 200
    min_dist: float = 0.1
    negatives: int = 5
    """Repulsive samples for each attractive one."""
    repulsion: float = 3.0
    """Weight of a repulsive sample. Against umap-learn's 1, 3 fills .14 instead of .09 of a 64 x 64 grid among 7,518 papers, keeps .015
    more of the neighbours by text and .01 more hits of hidden citations, at .001 less AUC (bench/map_quality.py)."""
    learning_rate: float = 1.0
    polish: int = 100
    """Iterations of t-SNE after the kernel; 0 for none."""
    exaggeration: float = 1.2
    """Of t-SNE's attraction: 1 fills the map evenly (.27 of the grid instead of .22) at .001 less AUC, 2 leaves gaps between groups."""
    terms: int = 3
    """Known terms from which on a text is usable."""
