"""What people do with the map, in a real browser on the demo corpus."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Watched, until

pytestmark = [pytest.mark.browser]

PRICE = "openalex:W2088209891"
ADDRESS = "doi:10.1126/science.149.3683.510"
"""What Price's paper is shown under: a DOI comes before an OpenAlex identifier."""
PRICE_TITLE = "Networks of Scientific Papers"


def _hash(page: Page) -> str:
    return str(page.evaluate("decodeURIComponent(location.hash)"))


def test_pan_and_zoom_move_the_map_and_the_address(watched: Watched) -> None:
    page = watched.ready()
    watched.picture("map-whole")
    before = _hash(page)
    page.mouse.move(720, 450)
    page.mouse.wheel(0, -600)
    until(page, lambda: _hash(page) != before)
    zoomed = _hash(page)
    page.mouse.down()
    page.mouse.move(560, 380, steps=5)
    page.mouse.up()
    until(page, lambda: _hash(page) != zoomed)
    watched.picture("map-zoomed")


def test_a_paper_is_searched_flown_to_and_clicked(watched: Watched) -> None:
    page = watched.ready()
    page.get_by_test_id("search").fill("networks of scientific pap")
    option = page.get_by_role("option").filter(has_text=PRICE_TITLE).first
    expect(option).to_be_visible()
    option.click()
    expect(page.get_by_test_id("panel-title")).to_have_text(re.compile(PRICE_TITLE, re.IGNORECASE))
    until(page, lambda: ADDRESS in _hash(page))
    until(page, lambda: page.evaluate("!window.paperatlas.map.isMoving() && window.paperatlas.map.areTilesLoaded()"))
    watched.picture("paper-selected")

    page.keyboard.press("Escape")
    expect(page.get_by_test_id("panel-title")).to_be_hidden()
    x, y = page.evaluate(_WHERE, PRICE)
    page.mouse.click(x, y)
    expect(page.get_by_test_id("panel-title")).to_have_text(re.compile(PRICE_TITLE, re.IGNORECASE))


_WHERE = """async id => {
  const paper = await (await fetch('/api/paper?id=' + encodeURIComponent(id))).json();
  const map = window.paperatlas.map;
  const at = map.project([360 * paper.x - 180, Math.atan(Math.sinh(Math.PI * (1 - 2 * paper.y))) * 180 / Math.PI]);
  const box = map.getCanvas().getBoundingClientRect();
  return [box.left + at.x, box.top + at.y];
}"""


def test_the_paper_page_opens_from_the_panel_and_leads_back(watched: Watched) -> None:
    page = watched.ready(f"/#paper={PRICE}")
    expect(page.get_by_test_id("panel-title")).to_have_text(re.compile(PRICE_TITLE, re.IGNORECASE))
    page.get_by_test_id("open-page").click()
    page.wait_for_url(re.compile(r"/paper/"))
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(PRICE_TITLE, re.IGNORECASE))
    watched.picture("paper-page")
    page.get_by_role("link", name=re.compile("on the map", re.IGNORECASE)).first.click()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    expect(page.get_by_test_id("panel-title")).to_have_text(re.compile(PRICE_TITLE, re.IGNORECASE))


def test_a_paper_that_is_not_on_the_map_says_why(watched: Watched) -> None:
    page = watched.ready()
    absent = page.evaluate(
        """async () => {
          for (const word of ['the', 'science', 'citation', 'index', 'of', 'in', 'research', 'journal']) {
            const found = await (await fetch('/api/search?limit=100&q=' + word)).json();
            const paper = found.results.find(result => result.reason === 'no_reference_list' && result.title);
            if (paper) return {id: paper.id, title: paper.title};
          }
          return null;
        }"""
    )
    assert absent, "the demo corpus holds papers without a reference list"
    page.get_by_test_id("search").fill(absent["id"])
    page.get_by_role("option").first.click()
    why = page.get_by_test_id("why")
    expect(why).to_contain_text("reference list")
    expect(why).to_contain_text(re.compile("not on the map", re.IGNORECASE))
    watched.picture("why-not")


def test_a_string_that_nothing_has_gets_an_answer(watched: Watched) -> None:
    page = watched.ready()
    page.get_by_test_id("search").fill("arXiv:2101.00001")
    page.get_by_text(re.compile("why is it not on the map", re.IGNORECASE)).first.click()
    expect(page.get_by_test_id("why")).to_contain_text(re.compile("corpus", re.IGNORECASE))


def test_the_keyboard_reaches_a_paper(watched: Watched) -> None:
    page = watched.ready()
    page.get_by_test_id("search").focus()
    page.keyboard.type("networks of scientific")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("panel-title")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("panel-title")).to_be_hidden()


def test_back_and_forward_bring_papers_back(watched: Watched) -> None:
    page = watched.ready(f"/#paper={PRICE}")
    title = page.get_by_test_id("panel-title")
    expect(title).to_have_text(re.compile(PRICE_TITLE, re.IGNORECASE))
    page.get_by_test_id("panel").get_by_role("button", name="Citation Analysis as a Tool").first.click()
    expect(title).to_have_text(re.compile("Citation Analysis as a Tool", re.IGNORECASE))
    page.go_back()
    expect(title).to_have_text(re.compile(PRICE_TITLE, re.IGNORECASE))
    page.go_forward()
    expect(title).to_have_text(re.compile("Citation Analysis as a Tool", re.IGNORECASE))


def test_the_paper_page_works_without_scripts(browser, served) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    answer = page.goto(f"{served.address}/paper/{PRICE}")
    assert answer is not None
    assert answer.status == 200
    assert PRICE_TITLE.lower() in page.inner_text("h1").lower()
    assert "Builds on" in page.inner_text("body")
    context.close()


@pytest.mark.parametrize(("width", "height", "scheme"), [(390, 844, "light"), (390, 844, "dark"), (1440, 900, "dark")])
def test_the_map_fits_the_screen(browser, served, width: int, height: int, scheme: str) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    watched = Watched(context.new_page(), served.address)
    watched.watch()
    page = watched.ready(f"/#paper={PRICE}")
    expect(page.get_by_test_id("panel-title")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    watched.picture(f"map-{width}-{scheme}")
    context.close()
    assert watched.errors == []
    assert watched.strangers == []
