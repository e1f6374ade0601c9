"""Texts that stand where a title or an abstract should, and say nothing of the paper."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 300
"""Characters from which on an abstract is more than a notice."""
_TITLES: Final = frozenset(
    title.strip()
    for title in """
    abstract, abstracts, acknowledgement, acknowledgements, acknowledgment, acknowledgments, announcement, announcements, author index,
    back matter, book review, book reviews, books received, contents, correction, correspondence, corrigendum, cover, editorial,
    editorial board, errata, erratum, foreword, front matter, index, introduction, issue information, letter, letter to the editor,
    letters, letters to the editor, list of reviewers, masthead, meeting abstracts, news, news in brief, no title, obituary,
    oral presentations, poster abstracts, poster presentations, posters, preface, publisher's note, reply, reviewers, speaker abstracts,
    subject index, table of contents, title page, title pending, untitled
    """.split(",")
)
_ABSTRACT: Final = re.compile(
    r"\W*(?:an?\s+|the\s+|this\s+\w+\s+has\s+)?(?:no\s+)?(?:abstract|summary)(?:\s+is)?(?:\s+(?:currently|yet))?"
    r"(?:\s+(?:not\s+)?(?:available|provided|supplied|present)|\s+unavailable)?(?:\s+(?:for|of|in)\s+this\s+\w+)?\W*"
    r"|\W*(?:n/?a|none|null|not available|unavailable|\w+ page preview|click to increase image size)\W*",
    re.IGNORECASE,
)
_NOTICE: Final = re.compile(
    r"\b(?:an?|no) abstract (?:is )?(?:not )?available\b|\bfirst page of (?:this|the) article\b"
    r"|\bno abstract available\b|\bclick to increase image size\b",
    re.IGNORECASE,
)


def is_notice_title(title: str) -> bool:
    """Whether a title names a kind of contribution and not this one: `Editorial`, `Poster presentations`."""
    return title.strip(" .:-[]()").lower() in _TITLES


def is_notice_abstract(abstract: str) -> bool:
    """Whether an abstract only says that there is none, such as `No abstract available`."""
    return len(abstract) < LONGEST and bool(_ABSTRACT.fullmatch(abstract) or _NOTICE.search(abstract))


def telling(title: str | None, abstract: str | None) -> tuple[str, str]:
    """Title and abstract as far as they say anything of the paper; "" for what does not, or is missing."""
    return (
        "" if not title or is_notice_title(title) else title,
        "" if not abstract or is_notice_abstract(abstract) else abstract,
    )
