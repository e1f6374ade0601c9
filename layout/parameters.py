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
    """Threads of the kernel, and processes that count terms of a large corpus; the map does not depend on them."""
    cluster: str | None = None
    """Address of a Dask scheduler whose workers count terms, find neighbours, place papers among landmarks and encode tiles instead
    (layout.workers); the map does not depend on it."""
    vectors: str = "lsa"
    """What makes vectors of texts: `lsa`, a function `package.module:function` (layout.vectors), or `file:PATH`
    (layout.carried_vectors)."""
    dimensions: int = 128
    """Of the text vectors; 64 to 256 differ by less than .005 in citation AUC."""
    neighbours: int = 15
    """In the similarity graph; 10, 15 and 25 make no difference."""
    smoothing: float = 0.7
    """Share of a paper's vector that comes from what it cites and is cited by (APPNP's 1 - alpha). With .8 the nearest by text and the
    areas of OpenAlex are kept less by .03 and .01."""
    steps: int = 4
    """Smoothing steps."""
    stub_weight: float = 0.5
    """Weight of a shared reference without a record against a citation."""
    hub: int = 300
    """Works cited by more papers than this say nothing about any one of them."""
    citation_weight: float = 1.0
    """Of direct citations in the fused graph; text neighbours have 1. With .5, .03 fewer of hidden citations are among the hundred
    nearest of 7,491 papers."""
    landmarks: int = 1_000_000
    """Papers that are laid out together at most; where there are more, the others are placed among them."""
    epochs: int = 200
    min_dist: float = 0.1
    negatives: int = 5
    """Repulsive samples for each attractive one."""
    repulsion: float = 1.0
    """Weight of a repulsive sample, umap-learn's; the polish spreads the map further than 3 does."""
    learning_rate: float = 1.0
    polish: int = 100
    """Iterations of t-SNE after the kernel; 0 for none."""
    exaggeration: float = 1.0
    """Of t-SNE's attraction: 1, t-SNE itself, fills .36 of the grid, 1.2 fills .30; 2 leaves gaps between groups."""
    terms: int = 3
    """Known terms from which on a text is usable."""
