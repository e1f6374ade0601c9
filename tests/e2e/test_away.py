"""What people see in a real browser while the database is away, and when it is back."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Served, Watched, serving, until

pytestmark = [pytest.mark.browser]

AWAY = "bolt://127.0.0.1:1"
"""Where no database answers."""
PRICE = "doi:10.1126/science.149.3683.510"
PRICE_TITLE = re.compile("Networks of Scientific Papers", re.IGNORECASE)
SCREENS = [(1440, 900, "light"), (1440, 900, "dark"), (390, 844, "light"), (390, 844, "dark")]


@dataclass(frozen=True, slots=True)
class Screen:
    """The map on a screen of some size."""

    watched: Watched
    width: int
    name: str


@pytest.fixture(scope="module")
def alone(demo: Path) -> Iterator[Served]:
    """The demo's map, whose database is nowhere."""
    with serving(demo, "--store", AWAY) as running:
        yield running


def opened(browser: Browser, address: str, width: int = 1440, height: int = 900, scheme: str = "light") -> Watched:
    """The map in a fresh profile."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    watched = Watched(context.new_page(), address)
    watched.page.set_default_timeout(30_000)
    watched.watch()
    watched.ready()
    return watched


def closed(watched: Watched) -> None:
    """Nothing was logged but that the server answered 503, which the browser logs on its own."""
    watched.page.context.close()
    assert [error for error in watched.errors if "503 (Service Unavailable)" not in error] == []
    assert watched.strangers == []


def search(page: Page, text: str) -> None:
    page.get_by_test_id("search").fill("")
    page.get_by_test_id("search").fill(text)


@pytest.fixture(params=SCREENS, ids=lambda screen: "-".join(map(str, screen)))
def screen(request: pytest.FixtureRequest, browser: Browser, alone: Served) -> Iterator[Screen]:
    """The map without its database, on each of the screens; nothing unexpected was logged in the end."""
    width, height, scheme = request.param
    watched = opened(browser, alone.address, width, height, scheme)
    yield Screen(watched, width, f"{width}-{scheme}")
    closed(watched)


def test_everybody_sees_that_only_titles_of_the_map_were_searched(screen: Screen) -> None:
    watched, page, width = screen.watched, screen.watched.page, screen.width
    search(page, "networks of scientific pap")
    note = page.get_by_test_id("results-note")
    expect(note).to_be_visible()
    expect(note).to_have_text("The database does not answer: only titles on the map were searched. Try again in 5 s.")
    expect(page.get_by_role("status").filter(has_text="only titles on the map were searched")).to_have_count(1)
    option = page.get_by_role("option").filter(has_text=PRICE_TITLE).first
    expect(option).to_be_visible()
    box, first = note.bounding_box(), option.bounding_box()
    assert box is not None
    assert first is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= first["y"], "above the results"
    watched.picture(f"away-search-{screen.name}")
    option.click()
    expect(page.get_by_test_id("panel-title")).to_have_text(PRICE_TITLE)
    expect(page.get_by_test_id("panel")).to_contain_text("The database does not answer. Its authors, its abstract")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = "!window.paperatlas.map.isMoving() && window.paperatlas.map.loaded()"
    until(page, lambda: page.evaluate(drawn), seconds=30)
    watched.picture(f"away-paper-{screen.name}")


def test_of_what_could_not_be_looked_up_nothing_is_claimed(screen: Screen) -> None:
    watched, page = screen.watched, screen.watched.page
    search(page, "arXiv:2101.00001")
    expect(page.get_by_test_id("results-note")).to_be_visible()
    page.get_by_text(re.compile("why is it not on the map", re.IGNORECASE)).first.click()
    why = page.get_by_test_id("why")
    expect(why.get_by_role("heading").first).to_have_text("It cannot be looked up now")
    expect(why).to_contain_text("Whether the corpus has it could not be checked")
    expect(why).not_to_contain_text(re.compile("no reason|not in this corpus|not on the map", re.IGNORECASE))
    watched.picture(f"away-why-{screen.name}")
    with page.expect_response(re.compile("/api/why")):
        why.get_by_role("button", name="Try again").click()
    expect(why.get_by_role("heading").first).to_have_text("It cannot be looked up now")


def unplaced(page: Page) -> str:
    """The title of a paper that is not on the map."""
    found = page.evaluate(
        """async () => {
          for (const word of ['the', 'science', 'citation', 'of', 'in', 'research']) {
            const {results} = await (await fetch('/api/search?limit=100&q=' + word)).json();
            const paper = results.find(one => one.reason === 'no_reference_list' && one.title);
            if (paper) return paper.title;
          }
          return '';
        }"""
    )
    assert found, "the demo corpus holds papers without a reference list"
    return str(found)


@pytest.mark.timeout(200)
def test_the_database_goes_away_under_the_reader_and_comes_back(browser: Browser, demo: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(demo, data, symlinks=True)
    corpus = data / "corpus.sqlite"
    with serving(data) as server:
        watched = opened(browser, server.address)
        page = watched.page
        note, option = page.get_by_test_id("results-note"), page.get_by_role("option")
        absent = unplaced(page)
        search(page, "networks of scientific pap")
        expect(option.filter(has_text=PRICE_TITLE).first).to_contain_text("Price")
        expect(note).to_be_hidden()

        elsewhere = corpus.rename(data / "elsewhere")
        search(page, "networks of scientific")
        expect(note).to_be_visible()
        option.filter(has_text=PRICE_TITLE).first.click()
        expect(page.get_by_test_id("panel-title")).to_have_text(PRICE_TITLE)
        expect(page.get_by_test_id("panel")).to_contain_text("what builds on it cannot be shown now")
        _absent_while_away(watched, absent)
        _unknown_while_away(watched)

        elsewhere.rename(corpus)
        why = page.get_by_test_id("why")

        def asked_again() -> bool:
            with page.expect_response(re.compile("/api/why")):
                why.get_by_role("button", name="Try again").click()
            expect(why).to_be_visible()
            return "Not on the map: not in this corpus" in (why.text_content() or "")

        until(page, asked_again, seconds=30)  # the server looks for its database every 10 s
        expect(why.get_by_role("button", name="Try again")).to_have_count(0)
        search(page, "networks of scientific pap")
        expect(option.filter(has_text=PRICE_TITLE).first).to_contain_text("Price")
        expect(note).to_be_hidden()
        option.filter(has_text=PRICE_TITLE).first.click()
        for part in ("Built on by", "Builds on", "Price"):
            expect(page.get_by_test_id("panel")).to_contain_text(part)
        expect(page.get_by_test_id("panel")).not_to_contain_text("The database does not answer")
        watched.picture("away-back")
        closed(watched)


def _absent_while_away(watched: Watched, title: str) -> None:
    """A paper that the map knows and does not place: its reason is there, and what it rests on is said."""
    page = watched.page
    search(page, title)
    page.get_by_role("option").filter(has_text=title).first.click()
    why = page.get_by_test_id("why")
    expect(why.get_by_role("heading").first).to_have_text("Not on the map: no reference list yet")
    expect(why).to_contain_text("This is what the map knows; it may be older than the corpus")
    watched.picture("away-absent")


def _unknown_while_away(watched: Watched) -> None:
    page = watched.page
    search(page, "arXiv:2101.00001")
    # The list of the words before stands until the answer comes: its own last line asks for those.
    page.get_by_role("option").filter(has_text="No title on the map has these words").click()
    expect(page.get_by_test_id("why").get_by_role("heading").first).to_have_text("It cannot be looked up now")
