"""Reads pages as a browser does."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "circle", "rect", "path", "img", "br"}


class Reader(HTMLParser):
    """Reads a page as a browser does: tags, attributes, text; and whether every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """See that the innermost element is closed first."""
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.text += data

    @property
    def words(self) -> str:
        """The text as people read it."""
        return " ".join(self.text.split())

    def hrefs(self) -> list[str]:
        """Where its links lead."""
        return [attrs["href"] or "" for tag, attrs in self.tags if tag == "a" and "href" in attrs]


def page_of(text: str) -> Reader:
    """Read a page; see that nothing in it is inline or foreign."""
    page = Reader(text)
    for tag, attrs in page.tags:
        assert tag not in {"script", "style", "iframe", "object", "embed", "base"}, "nothing inline, nothing foreign"
        assert not [name for name in attrs if name.startswith("on") or name == "style"]
    for href in page.hrefs():
        assert href.startswith(("/", "#", "https://")), href
        assert not href.startswith(("//", "/\\")), href
    return page
