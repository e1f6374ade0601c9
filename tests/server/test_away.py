"""Every route while the database is away, when it goes in the middle, and when it is back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from corpus.atlas import Builds
from corpus.breaker import FAILURES, REST, Guarded
from corpus.store import Store
from server.app import create_app
from tests.server.conftest import Made
from tests.server.doubles import Switch
from tests.server.making import SEED, SEED_TITLE, STUB
from tests.server.reading import page_of

MAP = "map"
"""Answered out of files and the build: the same with and without the database."""
KNOWN = "known"
"""Answered out of the build, which says so: 200, and kept by nobody."""
LATER = "later"
"""503, with when to ask again."""
ROUTES = [
    ("/", MAP),
    ("/assets/index-abc123.js", MAP),
    ("/tiles.json", MAP),
    ("/tiles/{build}/0/0/0.mvt", MAP),
    ("/api/builds/{build}/papers/0", MAP),
    ("/api/regions", MAP),
    ("/healthz", MAP),
    ("/version", MAP),
    (f"/paper/{SEED}", KNOWN),
    ("/paper/fixture:citer-2020?sort=newest&references=all", KNOWN),
    (f"/why?q={SEED}", KNOWN),
    (f"/why?q={STUB}", KNOWN),
    ("/why?q=arxiv:2101.00001", KNOWN),
    ("/why?q=no+paper+is+called+this", KNOWN),
    (f"/api/why?q={SEED}", KNOWN),
    (f"/api/why?q={STUB}", KNOWN),
    ("/api/why?q=arxiv:2101.00001", KNOWN),
    (f"/paper/{STUB}", LATER),
    ("/paper/arxiv:2101.00001", LATER),
    ("/search?q=scaling", LATER),
    ("/search?q=nothing+has+these+words", LATER),
    ("/api/search?q=scaling", LATER),
    ("/api/search?q=", LATER),
    (f"/api/paper?id={SEED}", LATER),
    (f"/api/paper?id={STUB}", LATER),
    ("/api/paper?id=arxiv:2101.00001", LATER),
    (f"/api/references?id={SEED}", LATER),
    ("/api/references?id=fixture:citer-2020", LATER),
    (f"/api/citations?id={SEED}", LATER),
    ("/readyz", LATER),
]
ASKING = [route for route, kind in ROUTES if kind != MAP]
FILES = {"/static/{name}", "/{name:path}"}
"""Files held in memory; `/assets/...` above is one of them."""


@dataclass(frozen=True)
class Site:
    """A server over a store that can be switched off."""

    client: TestClient
    switch: Switch
    build: str

    def get(self, route: str):  # type: ignore[no-untyped-def]  # noqa: ANN201  httpx is only known to the test client
        return self.client.get(route.format(build=self.build))


@pytest.fixture
def site(made: Made, bundle: Path) -> Site:
    switch = Switch(made.store)
    app = create_app(cast("Store", switch), Builds(made.data), bundle=bundle)
    return Site(TestClient(app, follow_redirects=False), switch, made.build)


def test_no_route_is_forgotten_here(site: Site) -> None:
    def pattern(path: str) -> str:
        return re.sub(r"\{\w+\}", ".+", path) + r"(\?.*)?"

    ours = set(cast("FastAPI", site.client.app).openapi()["paths"]) - FILES
    assert len(ours) > 15
    for path in ours - {"/paper"}:
        assert any(re.fullmatch(pattern(path), route) for route, _ in ROUTES), path


@pytest.mark.parametrize(("route", "kind"), ROUTES)
def test_a_route_says_what_it_can_and_comes_back_by_itself(site: Site, route: str, kind: str) -> None:
    before = site.get(route)
    site.switch.left = 0
    away = site.get(route)
    assert away.headers.get("retry-after") == ("5" if kind == LATER else None)
    assert away.status_code == (503 if kind == LATER else 200)
    if kind == MAP:
        assert (away.content == before.content) or route == "/version"
        assert away.headers["cache-control"] == before.headers["cache-control"]
        assert site.switch.refused == (route == "/version")
    else:
        assert away.headers["cache-control"] == "no-store"
        assert site.switch.refused == 1, "one question that is not answered is enough"
    site.switch.left = None
    after = site.get(route)
    assert (after.status_code, after.content, after.headers) == (before.status_code, before.content, before.headers)


@pytest.mark.parametrize("route", ASKING)
def test_it_may_go_at_any_question(site: Site, route: str) -> None:
    whole = site.get(route)
    for questions in range(40):
        site.switch.left, site.switch.refused = questions, 0
        cut = site.get(route)
        if not site.switch.refused:
            assert (cut.content, questions > 0) == (whole.content, True)
            return
        assert site.switch.refused == 1, "the others are not waited for"
        assert cut.status_code in {200, 503}
        assert cut.headers["cache-control"] == "no-store"
        for claim in (
            "Not in this corpus",
            "not_in_corpus",
            "No paper of this corpus cites it",
            "No such paper",
            '"total":0',
        ):
            assert claim not in cut.text or claim in whole.text, f"{claim}, said after {questions} questions"
        if cut.headers["content-type"].startswith("text/html"):
            assert "The database does not answer" in page_of(cut.text).words
    pytest.fail("it asks without end")


def test_a_page_of_the_map_alone_says_what_is_there_and_what_is_missing(site: Site) -> None:
    site.switch.left = 0
    page = page_of(site.get(f"/paper/{SEED}").text)
    for part in (
        SEED_TITLE,
        "The database does not answer.",
        "This page shows what the map knows; it may be older than the corpus.",
        "Missing for now: authors, venue, abstract, the works it builds on and the papers that build on it. Try again",
        "First posted 2018",
        "cited by 10 in this corpus",
        "Not on the map. Why?",
        "No reference list has been obtained yet. 10 papers of this corpus cite it; 9 of them are on the map",
        "changed since the map was made could not be checked",
        "The abstract cannot be shown now.",
        "Also known as doi:10.1145/3320060, openalex:W2787998955.",
    ):
        assert part in page.words
    for claim in ("No abstract has been obtained", "No reference list yet. ", "No paper of this corpus cites it"):
        assert claim not in page.words
    assert page.words.count("The database does not answer") == 1, "said once is enough"
    assert {f"/paper/{SEED}", "https://doi.org/10.1145/3320060"} <= set(page.hrefs())
    placed = page_of(site.get("/paper/fixture:citer-2020").text)
    assert "Systems for learning \u203a Distributed training" in placed.words
    assert "On the map" in placed.words


def test_what_the_map_knows_to_be_wrong_with_a_paper_is_said_without_the_database(site: Site) -> None:
    site.switch.left = 0
    assert "Retracted. Its source says" in page_of(site.get("/paper/fixture:retracted").text).words
    assert "Withdrawn. Its source says" in page_of(site.get("/paper/fixture:withdrawn").text).words
    assert "Retracted." not in page_of(site.get("/paper/fixture:citer-2020").text).words


def test_a_page_misses_only_what_came_after_the_break(site: Site) -> None:
    site.switch.left = None
    whole = page_of(site.get(f"/paper/{SEED}").text)
    seen: set[str] = set()
    for questions in range(1, 12):
        site.switch.left = questions
        page = page_of(site.get(f"/paper/{SEED}").text)
        missing = re.search(r"Missing for now: (.*?)\.", page.words)
        if missing:
            seen.add(missing[1])
        assert ("Deep neural networks are becoming" in page.words) == (
            "abstract" not in (missing[1] if missing else "")
        )
        assert ("Scaling study 2020" in page.words) == (missing is None)
    assert "the papers that build on it" in seen
    assert "Deep neural networks are becoming" in whole.words


def test_a_paper_that_the_map_does_not_know_is_not_said_to_be_absent(site: Site) -> None:
    site.switch.left = 0
    for route in ("/paper/arxiv:2101.00001", f"/paper/{STUB}", "/why?q=arxiv:2101.00001"):
        page = page_of(site.get(route).text)
        assert "It cannot be looked up now" in page.words
        assert "Whether the corpus has it could not be checked" in page.words
        assert "Try again" in page.words
    assert site.get("/paper/no%20identifier%20at%20all").status_code == 404, "no paper can be there"
    body = site.get("/api/why?q=arxiv:2101.00001").json()
    assert (body["store"], body["binding"], body["reasons"], body["on_map"], body["paper"]) == (
        "unavailable",
        None,
        [],
        False,
        None,
    )
    assert "could not be checked" in body["notes"][1]


def test_identifiers_that_the_map_knows_lead_to_their_paper(site: Site) -> None:
    site.switch.left = 0
    for form in ("doi:10.1145/3320060", "https://arxiv.org/abs/1802.09941v2", "W2787998955", "10.1145/3320060"):
        answer = site.client.get("/paper", params={"id": form})
        assert (answer.status_code, answer.headers["location"]) == (308, f"/paper/{SEED}")


def test_the_titles_of_the_map_are_found_and_more_is_not_promised(site: Site) -> None:
    site.switch.left = 0
    page = page_of(site.get("/search?q=scaling").text)
    assert "Scaling study 2020" in page.words
    assert "These are titles of the map alone" in page.words
    assert "/search?q=scaling" in page.hrefs()
    body = site.get("/api/search?q=scaling&limit=3").json()
    assert (body["store"], body["code"], len(body["results"]), body["truncated"]) == (
        "unavailable",
        "store_unavailable",
        3,
        True,
    )
    assert (body["data_date"], body["build"]) == ("2026-10-07", site.build)


def test_readiness_tells_a_map_alone_from_nothing_at_all(site: Site, tmp_path: Path, made: Made, bundle: Path) -> None:
    assert site.get("/readyz").json()["status"] == "ok"
    site.switch.left = 0
    assert site.get("/readyz").json() == {
        "schema": "ready/1",
        "data_date": None,
        "build": site.build,
        "status": "degraded",
        "store": "unavailable",
        "problem": None,
    }
    assert site.get("/healthz").json()["status"] == "ok"
    empty = TestClient(create_app(cast("Store", site.switch), Builds(tmp_path), bundle=bundle))
    assert (empty.get("/readyz").status_code, empty.get("/readyz").json()["status"]) == (503, "unavailable")
    unmapped = TestClient(create_app(made.store, Builds(tmp_path), bundle=bundle))
    assert (unmapped.get("/readyz").json()["status"], unmapped.get("/readyz").json()["store"]) == ("unavailable", "ok")


def test_with_neither_database_nor_map_every_route_says_so(site: Site, tmp_path: Path, bundle: Path) -> None:
    site.switch.left = 0
    client = TestClient(create_app(cast("Store", site.switch), Builds(tmp_path), bundle=bundle))
    for route in ASKING:
        answer = client.get(route)
        assert answer.status_code == (200 if "why" in route else 503)
        if "why?q=arxiv" in route or route == f"/paper/{SEED}":
            assert "nothing is known of any paper now" in answer.text


def test_after_five_failures_no_route_waits_for_the_database_and_one_finds_it_again(made: Made, bundle: Path) -> None:
    switch, now = Switch(made.store), [0.0]
    guarded = Guarded("sqlite", lambda: cast("Store", switch), lambda: now[0])
    site = Site(TestClient(create_app(guarded, Builds(made.data), bundle=bundle)), switch, made.build)
    whole = {route: site.get(route).content for route in ASKING}
    switch.left = 0
    for _ in range(3):
        for route in ASKING:
            assert site.get(route).status_code in {200, 503}
    assert switch.refused == FAILURES
    now[0] += REST
    for route in ASKING:
        site.get(route)
    assert switch.refused == FAILURES + 1
    switch.left = None
    now[0] += REST
    assert {route: site.get(route).content for route in ASKING} == whole
    guarded.close()
