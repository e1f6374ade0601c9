"""How true a map of a known literature is: four fields of three subfields each, against the start and against chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from corpus.model import Paper
from layout.embedding import fit_to_square, principal_axes
from layout.parameters import Parameters
from layout.quality import measure
from layout.smoothing import Links, links_of, smooth, with_link_vectors
from layout.stages import Laid
from layout.text_vectors import reduce, texts_of, weigh_terms
from tests.layout.making import corpus, laid, paper

PARAMETERS = Parameters(threads=1)
FIELDS = {
    "galaxies": "galaxy redshift halo quasar lensing supernova cluster dust spectrum luminosity nebula accretion",
    "proteins": "protein folding kinase ligand enzyme peptide binding membrane receptor mutation crystal helix",
    "markets": "market price volatility portfolio trader liquidity hedge inflation currency asset auction bond",
    "languages": "syntax phoneme grammar dialect morpheme verb vowel corpus translation semantics lexicon discourse",
}
EACH = 75
"""Papers of a field."""


def tree(*, text: bool = True, links: bool = True) -> list[Paper]:
    """Papers `<field>-<subfield>-<number>`.

    Each draws eight words from its subfield's third of the field's vocabulary and six from all of it; it cites up to three earlier
    papers of its subfield, one of its field, and three of eight outside works of its subfield.
    """
    random = np.random.default_rng(0)
    papers = []
    for field, vocabulary in FIELDS.items():
        words = vocabulary.split()
        names = [f"{field}-{i % 3}-{i:03d}" for i in range(EACH)]
        for i, name in enumerate(names):
            drawn = [*random.choice(words[4 * (i % 3) : 4 * (i % 3) + 4], 8), *random.choice(words, 6)]
            near = names[i % 3 : i : 3][-15:]
            cited = {*random.choice(near, min(len(near), 3), replace=False)} if near else set()
            cited |= {names[random.integers(i)]} if i else set()
            cited |= {f"work-{field}-{i % 3}-{random.integers(8)}" for _ in range(3)}
            papers.append(
                paper(
                    name,
                    sorted(cited) if links else [f"work-of-{name}"],
                    title=" ".join(drawn[:5]) if text else None,
                    abstract=" ".join(drawn[5:]) if text else None,
                    areas=[field],
                )
            )
    return papers


def subfields(papers: Sequence[Paper]) -> NDArray[np.str_]:
    """Subfield of each paper, in order of address."""
    return np.array([one.address.rsplit("-", 1)[0] for one in sorted(papers, key=lambda one: one.address)])


def accuracy(xy: NDArray[np.float32], truth: NDArray[np.str_]) -> float:
    """Share of papers of which most of the ten nearest are of the same subfield."""
    near = cKDTree(xy).query(xy, k=11)[1][:, 1:]
    return float(np.mean((truth[near] == truth[:, None]).mean(axis=1) > 0.5))


def start_of(papers: Sequence[Paper]) -> tuple[NDArray[np.float32], Links]:
    """The map before anything was optimised, and its links."""
    arrays = corpus(papers)
    text = reduce(weigh_terms(texts_of(arrays.titles, arrays.abstracts)), PARAMETERS.dimensions, PARAMETERS.seed)
    links = links_of(arrays, np.arange(arrays.n), PARAMETERS.hub)
    vectors = with_link_vectors(smooth(text, links, PARAMETERS), links, PARAMETERS)
    return fit_to_square(principal_axes(vectors, PARAMETERS.seed)), links


@pytest.fixture(scope="module")
def whole() -> tuple[list[Paper], Laid]:
    """The tree with texts and links, laid out."""
    papers = tree()
    return papers, laid(papers, PARAMETERS)[1]


def test_subfields_are_kept_better_after_the_embedding_than_before(whole: tuple[list[Paper], Laid]) -> None:
    papers, map_ = whole
    truth = subfields(papers)
    before, after = accuracy(start_of(papers)[0], truth), accuracy(map_.xy, truth)
    assert before < 0.9
    assert after > 0.95
    assert accuracy(np.random.default_rng(0).random((len(truth), 2), dtype=np.float32), truth) < 0.1


def test_citations_are_kept_better_after_than_before(whole: tuple[list[Paper], Laid]) -> None:
    papers, map_ = whole
    start, links = start_of(papers)
    none = np.zeros((len(papers), 0), np.int32)
    before, after = (
        measure(xy, links.direct, [None] * len(papers), none, 0)["citation_auc_seen"] or 0 for xy in (start, map_.xy)
    )
    assert before < after
    assert after > 0.93
    assert (map_.quality["area_accuracy_10"] or 0) > 0.97


@pytest.mark.parametrize(("text", "links"), [(True, False), (False, True)], ids=["text alone", "links alone"])
def test_either_signal_alone_draws_the_fields(text: bool, links: bool) -> None:
    papers = tree(text=text, links=links)
    _, map_ = laid(papers, PARAMETERS)
    fields = np.array([name.split("-")[0] for name in subfields(papers)])
    assert len(map_.rows) == len(papers)
    assert accuracy(map_.xy, fields) > 0.9


def test_the_coarsest_regions_are_the_fields(whole: tuple[list[Paper], Laid]) -> None:
    papers, map_ = whole
    fields = np.array([name.split("-")[0] for name in subfields(papers)])
    parent = {region.key: region.parent for region in map_.regions}
    names = {region.key: region.name.lower() for region in map_.regions}
    for key, field in zip(map_.keys, fields, strict=True):
        top = key or ""
        while parent[top]:
            top = parent[top] or ""
        words = set(FIELDS[field.removeprefix("openalex:W")].split())
        assert {part.rstrip("s") for part in names[top].replace("/", " ").split()} & words


def test_the_kernel_keeps_as_much_with_other_seeds(whole: tuple[list[Paper], Laid]) -> None:
    papers, _ = whole
    truth = subfields(papers)
    assert min(accuracy(laid(papers, replace(PARAMETERS, seed=seed))[1].xy, truth) for seed in (1, 2)) > 0.95
