"""Names of regions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from layout.names import name_regions
from layout.phrases import phrases_of, prose

BOILERPLATE = "Background: we conducted this study. Conclusion: results were significant. Copyright Elsevier. All rights reserved."
SUBJECTS = {
    "social media": ["Twitter mentions of articles", "Altmetrics and social media attention", "Tweets on social media"],
    "peer review": ["Bias in peer review", "Peer review of grant proposals", "Reviewers and peer review reports"],
}


def named(
    levels: list[list[int]], titles: list[str | None], abstracts: list[str | None] | None = None
) -> list[list[str]]:
    """Names of the regions, with `(level, region)` where no phrase tells one apart."""
    abstracts = abstracts or [None] * len(titles)
    arrays: list[NDArray[np.int64]] = [np.array(level, np.int64) for level in levels]
    fallbacks = [[f"({depth}, {region})" for region in range(max(level) + 1)] for depth, level in enumerate(levels)]
    return name_regions(arrays, phrases_of(titles, abstracts), prose(titles, abstracts), fallbacks)


def two_subjects() -> tuple[list[int], list[str | None]]:
    titles: list[str | None] = [title for three in SUBJECTS.values() for title in three for _ in range(4)]
    return [0] * 12 + [1] * 12, titles


def test_a_region_is_called_by_what_its_papers_are_about() -> None:
    level, titles = two_subjects()
    names = named([level], titles)[0]
    assert "social media" in names[0].lower()
    assert "peer review" in names[1].lower()


def test_what_abstracts_and_publishers_always_say_names_nothing() -> None:
    level, titles = two_subjects()
    abstracts: list[str | None] = [BOILERPLATE] * len(titles)
    for name in named([level], titles, abstracts)[0]:
        assert not {"background", "study", "copyright", "rights", "conclusion"} & set(name.lower().split())


def test_a_name_does_not_repeat_the_names_above() -> None:
    level, titles = two_subjects()
    deeper = [0] * 4 + [1] * 8 + [2] * 4 + [3] * 8
    above, below = named([level, deeper], titles)
    for region, name in enumerate(below):
        assert name.lower() != above[0 if region < 2 else 1].lower()


def test_no_two_regions_of_a_level_share_a_name() -> None:
    titles: list[str | None] = ["Peer review of grant proposals"] * 30
    names = named([[i // 10 for i in range(30)]], titles)[0]
    assert len(set(names)) == 3


def test_a_phrase_is_written_as_its_papers_write_it() -> None:
    titles: list[str | None] = ["coverage of google scholar"] * 10 + ["peer review"] * 10
    abstracts: list[str | None] = ["We searched Google Scholar again."] * 10 + ["On peer review."] * 10
    assert "Google Scholar" in named([[0] * 10 + [1] * 10], titles, abstracts)[0][0]


def test_a_headline_does_not_show_how_a_phrase_is_written() -> None:
    titles: list[str | None] = [*["A Study of American Science"] * 6, *["The rise of American science"] * 5]
    assert "American science" in named([[0] * 11 + [1] * 10], titles + ["On peer review"] * 10)[0][0]


def test_the_capital_that_begins_a_sentence_is_not_part_of_a_name() -> None:
    titles: list[str | None] = [*["Combining maps of citations"] * 10, *["DNA repair: Peer review of it"] * 10]
    first, second = named([[0] * 10 + [1] * 10], titles)[0]
    assert "Combining" not in first[1:]
    assert "Peer" not in second[1:]
    assert "DNA" in second


@pytest.mark.parametrize("titles", [[None] * 20, ["of the and"] * 20, ["42"] * 20])
def test_where_no_word_says_anything_the_fallback_is_the_name(titles: list[str | None]) -> None:
    assert named([[0] * 10 + [1] * 10], titles)[0] == ["(0, 0)", "(0, 1)"]


def test_names_do_not_depend_on_chance() -> None:
    level, titles = two_subjects()
    assert named([level], titles) == named([level], titles)


def test_what_stands_in_abstracts_and_never_in_a_title_is_how_papers_are_written() -> None:
    level, titles = two_subjects()
    sources = ["We looked through Web of Science.", "The hazard ratio was given."]
    abstracts: list[str | None] = [sources[region] for region in level]
    for name in named([level], titles, abstracts)[0]:
        assert "web of science" not in name.lower()
        assert "hazard ratio" not in name.lower()


def test_what_titles_have_names_a_region_though_others_have_it_in_abstracts_alone() -> None:
    titles: list[str | None] = ["Web of Science"] * 12 + ["Peer review of grants"] * 48
    abstracts: list[str | None] = [None] * 12 + ["Records came from Web of Science."] * 3 + [None] * 45
    assert named([[0] * 12 + [1] * 48], titles, abstracts)[0][0].lower() == "web of science"


def test_without_titles_every_phrase_counts_the_same() -> None:
    phrases = phrases_of([None] * 12, ["Dark matter haloes of galaxies."] * 12)
    assert phrases.titled().tolist() == [1.0] * len(phrases.words)


def test_regions_are_named_from_the_papers_that_were_read() -> None:
    level, titles = two_subjects()
    read = np.arange(0, 24, 2)
    some = [titles[row] for row in read]
    regions = [np.array([*level, 2], np.int64)]
    phrases = phrases_of(some, [None] * 12)
    names = name_regions(regions, phrases, prose(some, [None] * 12), [["a", "b", "nobody was read"]], read=read)[0]
    assert "social media" in names[0].lower()
    assert "peer review" in names[1].lower()
    assert names[2] == "nobody was read"
