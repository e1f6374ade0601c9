"""Paper pages: they work without scripts, escape everything and redirect only to themselves."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from corpus.atlas import Builds
from corpus.identifiers import recognise
from corpus.model import Status
from server.addresses import fits_path, map_url, paper_url, why_url
from server.app import create_app
from tests.server.doubles import raw_get
from tests.server.making import SEED, SEED_TITLE, STUB, XSS, lay_out_by_hand, open_filled, paper
from tests.server.reading import Reader, page_of
from tests.server.test_papers import FORMS


def _page(client: TestClient, url: str, status: int = 200) -> Reader:
    answer = client.get(url)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return page_of(answer.text)


def test_the_page_of_a_paper_that_is_not_on_the_map(client: TestClient) -> None:
    page = _page(client, f"/paper/{SEED}")
    assert SEED_TITLE in page.words
    for part in (
        "Data to 7 Oct 2026",
        "First posted 26 Feb 2018",
        "cited by 10 in this corpus",
        "OpenAlex counts 372",
        "Not on the map. Why?",
        "Abstract (arXiv)",
        "No reference list has been obtained yet. 10 papers of this corpus cite it; 9 of them are on the map",
        "in 'Distributed training'.",
        "No reference list yet.",
        "Built on by 10",
    ):
        assert part in page.words
    assert "1802.09941" in page.words
    for link in (
        "https://arxiv.org/abs/1802.09941",
        "https://doi.org/10.1145/3320060",
        f"/api/citations?id={quote(SEED, safe='')}",
    ):
        assert link in page.hrefs()


def test_the_page_of_a_paper_that_is_on_the_map(client: TestClient) -> None:
    page = _page(client, "/paper/fixture:citer-2020")
    assert map_url("fixture:citer-2020") == "/#paper=fixture%3Aciter-2020"
    first = next(href for href in page.hrefs() if href.startswith("/#"))
    assert first == "/#paper=fixture%3Aciter-2020"
    assert "Systems for learning \u203a Distributed training" in page.words
    assert "Ada 2020, Bo, Cy, Di" in page.words
    assert "2 obtained, 2 with an identifier, 1 in this corpus" in page.words
    assert "not on the map: known only as cited" in page.words
    assert "Not on the map. Why?" not in page.words


def test_pages_say_what_is_empty_unknown_or_marked(client: TestClient) -> None:
    assert "Its reference list is empty." in _page(client, "/paper/fixture:empty").words
    assert "May 1999" in _page(client, "/paper/fixture:empty").words
    assert "Withdrawn." in _page(client, "/paper/fixture:withdrawn").words
    retracted = _page(client, "/paper/fixture:retracted").words
    assert "Retracted." in retracted
    assert "On the map" in retracted
    untitled = _page(client, "/paper/fixture:untitled").words
    assert "date unknown" in untitled
    assert "9 declared, 2 obtained" in untitled
    assert "Smith, 1970, some book" in untitled
    assert "No abstract has been obtained" in untitled


def test_one_is_not_plural(tmp_path: Path, bundle: Path) -> None:
    papers = [
        paper("fixture:lone", title="Lone", references_declared=1),
        paper("fixture:gone", title="Gone", references=("fixture:lone",), status=Status.WITHDRAWN),
        paper("fixture:one", title="One", references=("fixture:gone", "fixture:lone")),
    ]
    store = open_filled(tmp_path, [*papers[1:], papers[0]])
    lay_out_by_hand(tmp_path, store)
    client = TestClient(create_app(store, Builds(tmp_path), bundle=bundle))
    gone, lone = (_page(client, f"/paper/fixture:{name}").words for name in ("gone", "lone"))
    assert "Its citer is in Distributed training." in gone
    assert "The paper that cites it on the map is in Distributed training." in gone
    assert "Its source speaks of 1 reference." in lone
    store.close()


def test_a_stub_has_a_page_with_its_citers(client: TestClient) -> None:
    page = _page(client, f"/paper/{STUB}")
    assert "2 papers of this corpus cite this work" in page.words
    assert "Scaling study 2020" in page.words


@pytest.mark.parametrize("form", [*FORMS, " arxiv:1802.09941 ", "arxiv:1802.09941V3", "ARXIV:1802.09941"])
def test_every_other_form_is_sent_to_the_address(client: TestClient, form: str) -> None:
    for url in (f"/paper/{quote(form, safe='/:')}", f"/paper?id={quote(form, safe='')}"):
        answer = client.get(url)
        assert (answer.status_code, answer.headers["location"]) == (308, f"/paper/{SEED}")
    by_query = client.get("/paper", params={"id": SEED})
    assert (by_query.status_code, by_query.headers["location"]) == (308, f"/paper/{SEED}")


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example/arxiv:1802.09941",
        "/\\evil.example",
        "https://evil.example/1802.09941",
        "https:%2f%2fevil.example%2fabs%2f1802.09941",
        "%2f%2fevil.example",
        "%5cevil.example",
        "javascript:alert(1)",
        "arxiv:1802.09941%0d%0aLocation:%20https://evil.example",
        "arxiv:1802.09941%00",
        "@evil.example",
        ".evil.example",
        "arxiv:1802.09941#@evil.example",
        "http:1802.09941",
        "..//evil.example",
    ],
)
def test_a_redirect_leads_nowhere_else(client: TestClient, target: str) -> None:
    for url in (f"/paper/{target}", f"/paper?id={target}"):
        answer = client.get(url)
        assert answer.status_code in {200, 308, 400, 404}
        assert answer.headers.get("location", "/paper/").startswith("/paper")
        assert "evil" not in answer.headers.get("location", "")
        assert "\n" not in answer.headers.get("location", "")


@pytest.mark.parametrize(
    "identifier",
    [
        "doi:10.1002/(sici)1097-4571(199601)47:1<1::aid-asi1>3.0.co;2-#",
        "doi:10.1000/a?b=c&d",
        "doi:10.1000/100%25",
        "doi:10.1000/a//b",
        "doi:10.1000/../../etc",
        "doi:10.1000/./x",
        "doi:10.1000/trailing/",
        "doi:10.1000/back\\slash",
        "doi:10.1000/ünï-深",
        "doi:10.1000/+plus",
        "doi:10.1000/'quote\"",
        "fixture:with space",
        "arxiv:hep-th/9901001",
    ],
)
def test_an_identifier_of_any_signs_has_a_page(tmp_path: Path, bundle: Path, identifier: str) -> None:
    known = recognise(identifier)
    if known is None:
        pytest.skip("no identifier here, so no paper can have it")
    address = str(known)
    store = open_filled(tmp_path, [paper(address, title="Odd", references=("doi:10.1/x",))])
    lay_out_by_hand(tmp_path, store)
    app = create_app(store, Builds(tmp_path), bundle=bundle)
    answer = raw_get(app, paper_url(address))
    assert answer.status_code == 200, answer.headers.get("location")
    assert '<h1 dir="auto">Odd</h1>' in answer.text
    query = raw_get(app, "/paper?id=" + quote(address, safe=""))
    assert query.status_code == (308 if fits_path(address) else 200)
    store.close()


@given(st.text(min_size=1, max_size=60))
def test_an_address_is_relative_ascii_and_carries_the_identifier(text: str) -> None:
    for url in (paper_url(text), paper_url(text, sort="newest"), why_url(text), map_url(text)):
        assert re.fullmatch(r"/[!-~]*", url)
        assert not url.startswith(("//", "/\\"))
    if "\x00" not in text and text.isprintable():
        assert text in unquote(paper_url(text).replace("+", "%20"))


def test_an_unknown_paper_is_404_with_the_answer_of_why(client: TestClient) -> None:
    page = _page(client, "/paper/arxiv:2101.00001", 404)
    assert "No such paper" in page.words
    assert "no record of this corpus has it" in page.words
    later = _page(client, "/paper/arxiv:2611.00001", 404)
    assert "Newer than the data" in later.words
    odd = _page(client, "/paper/demystifying%20paralel%20and%20distributed%20learning", 404)
    assert SEED_TITLE in odd.words, "a near match is offered"
    assert "Nothing was asked" in _page(client, "/paper/", 404).words


PAYLOADS = [
    XSS,
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title><script>alert(1)</script>",
    "</textarea><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "{{ 7*7 }}",
    "{% raw %}",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "<a href=//evil.example>",
    "\u202egnp.exe",
    "\x00\x01\x1b[31m",
]


def test_markup_in_a_record_is_shown_as_text(client: TestClient) -> None:
    page = _page(client, "/paper/fixture:evil")
    for text in (
        XSS,
        "<img src=x onerror=alert(2)>",
        "{{ 7*7 }}",
        "<b>Mallory</b>",
        "<svg onload=alert(4)>",
        "<i>cs</i>",
    ):
        assert text in page.text
    assert "49" not in page.text.replace("2026", "")
    assert XSS in _page(client, f"/paper/{SEED}").text
    assert XSS in _page(client, "/search?q=script").text


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("route", ["/why?q=", "/search?q=", "/paper?id=", "/paper/"])
def test_markup_in_a_question_is_shown_as_text(client: TestClient, payload: str, route: str) -> None:
    answer = client.get(route + quote(payload, safe=""))
    assert answer.status_code in {200, 404}
    page = _page(client, route + quote(payload, safe=""), answer.status_code)
    assert "\x00" not in answer.text
    assert "alert(1)" not in "".join(str(attrs) for tag, attrs in page.tags if tag != "input")


def test_citers_are_sorted_and_paged_by_plain_links(tmp_path: Path, bundle: Path) -> None:
    citers = [paper(f"fixture:c-{i:03d}", title=f"Citer {i:03d}", references=(SEED,)) for i in range(120)]
    store = open_filled(tmp_path, [paper(SEED, title="Much cited"), *citers])
    lay_out_by_hand(tmp_path, store)
    client = TestClient(create_app(store, Builds(tmp_path), bundle=bundle), follow_redirects=False)
    page, url, seen = None, f"/paper/{SEED}?sort=title", set()
    for expected in ("1 to 50 of 120", "51 to 100 of 120", "101 to 120 of 120"):
        page = _page(client, url)
        assert expected in page.words
        seen |= set(re.findall(r"Citer \d{3}", page.text))
        following = [href for href in page.hrefs() if "cursor=" in href]
        url = following[0] if following else ""
    assert len(seen) == 120
    assert url == ""
    assert client.get(f"/paper/{SEED}?cursor=nonsense").status_code == 400
    store.close()


def test_the_why_page_asks_and_answers(client: TestClient) -> None:
    asked = _page(client, "/why")
    assert [attrs.get("action") for tag, attrs in asked.tags if tag == "form"] == ["/search", "/why"]
    assert "Every question gets an answer." in asked.words
    answered = _page(client, f"/why?q={SEED}")
    assert "What would be enough." in answered.words
    assert "What the operator can do" in answered.words
    both = _page(client, "/why?q=preface")
    assert "Several papers have this title" in both.words
    assert "Which one?" in both.words
    assert "It is on the map." in _page(client, "/why?q=Scaling+study+2020").words


def test_search_without_a_hit_says_why(client: TestClient) -> None:
    page = _page(client, "/search?q=arXiv:2101.00001")
    assert "Not in this corpus" in page.words
