"""Notices in place of titles and abstracts."""

from __future__ import annotations

import pytest

from layout.notices import is_notice_abstract, is_notice_title, telling


@pytest.mark.parametrize(
    "title", ["Editorial", "ABSTRACTS", "Letter to the editor.", "[Untitled]", "Poster Presentations"]
)
def test_a_title_that_names_a_kind_of_contribution_is_a_notice(title: str) -> None:
    assert is_notice_title(title)


@pytest.mark.parametrize(
    "title", ["Editorial bias in peer review", "Index theory", "Introduction to topology", "News values"]
)
def test_a_title_that_begins_like_one_is_none(title: str) -> None:
    assert not is_notice_title(title)


@pytest.mark.parametrize(
    "abstract",
    [
        "No abstract available.",
        "Abstract not available",
        "[Abstract unavailable]",
        "An abstract is not available for this content so a preview has been provided. Please use the Get access link above.",
        "N/A",
        "Abstract",
        "Click to increase image size",
        "This article has no abstract.",
        "Summary is not provided",
    ],
)
def test_an_abstract_that_says_there_is_none_is_a_notice(abstract: str) -> None:
    assert is_notice_abstract(abstract)


@pytest.mark.parametrize(
    "abstract",
    [
        "We study galaxies.",
        "Abstract interpretation finds errors.",
        "Summary statistics of haloes are computed.",
        "None of the models fits.",
        "Data are not available for this period, so we estimate them. " * 6 + "No abstract available.",
        "",
    ],
)
def test_an_abstract_about_something_is_none(abstract: str) -> None:
    assert not is_notice_abstract(abstract)


def test_only_what_tells_something_is_left() -> None:
    assert telling("Editorial", "We study galaxies.") == ("", "We study galaxies.")
    assert telling("Galaxies", "No abstract available") == ("Galaxies", "")
    assert telling(None, None) == ("", "")
