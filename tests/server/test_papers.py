"""Papers, their lists and search, as JSON."""

from __future__ import annotations

import msgspec
import pytest
from starlette.testclient import TestClient

from server.answers import json_response, read_cursor, write_cursor
from server.problems import BadCursor
from tests.server.conftest import Made
from tests.server.making import SEED, SEED_TITLE, STUB, XSS

BRIEF = {
    "id",
    "title",
    "authors",
    "authors_total",
    "year",
    "date",
    "areas",
    "citations",
    "stub",
    "on_map",
    "x",
    "y",
    "region",
    "marks",
    "reason",
}
FORMS = [
    "1802.09941",
    "arXiv:1802.09941",
    "arxiv:1802.09941v2",
    "ARXIV:1802.09941",
    "https://arxiv.org/abs/1802.09941v1",
    "https://arxiv.org/pdf/1802.09941.pdf",
    "10.48550/arXiv.1802.09941",
    "https://doi.org/10.48550/arXiv.1802.09941",
    "10.1145/3320060",
    "doi:10.1145/3320060",
    "https://doi.org/10.1145/3320060",
    "W2787998955",
    "openalex:w2787998955",
    "https://openalex.org/W2787998955",
]


@pytest.mark.parametrize("form", FORMS)
def test_any_form_finds_the_paper(client: TestClient, made: Made, form: str) -> None:
    body = client.get("/api/paper", params={"id": form}).json()
    assert (body["id"], body["title"], body["schema"]) == (SEED, SEED_TITLE, "paper/1")
    assert (body["data_date"], body["build"]) == ("2026-10-07", made.build)


def test_a_paper_says_what_is_known_and_null_for_the_rest(client: TestClient) -> None:
    body = client.get("/api/paper", params={"id": SEED}).json()
    assert body.keys() >= BRIEF
    assert body["citations"] == 10
    assert body["date"] == "2018-02-26"
    assert body["references"] == {
        "state": "unknown",
        "declared": None,
        "parsed": None,
        "resolved": None,
        "in_corpus": None,
    }
    assert body["cited_by_counts"] == {"openalex": 372}
    assert (body["on_map"], body["x"], body["minzoom"], body["reason"]) == (False, None, None, "no_reference_list")
    assert [link["scheme"] for link in body["links"]] == ["arxiv", "doi", "openalex"]
    assert all(link["url"].startswith("https://") for link in body["links"])
    untitled = client.get("/api/paper", params={"id": "fixture:untitled"}).json()
    assert untitled["title"] is None
    assert untitled["references"]["parsed"] == 2
    assert untitled["references"]["resolved"] == 1
    assert untitled["references"]["declared"] == 9


def test_a_stub_is_a_stub(client: TestClient) -> None:
    body = client.get("/api/paper", params={"id": STUB}).json()
    assert (body["stub"], body["title"], body["citations"]) == (True, None, 2)
    assert body["references"]["state"] == "unknown"
    assert client.get("/api/citations", params={"id": STUB}).json()["total"] == 2
    assert client.get("/api/references", params={"id": STUB}).json()["total"] is None


def test_unknown_is_not_empty(client: TestClient) -> None:
    unknown = client.get("/api/references", params={"id": SEED}).json()
    assert (unknown["state"], unknown["items"], unknown["total"]) == ("unknown", [], None)
    empty = client.get("/api/references", params={"id": "fixture:empty"}).json()
    assert (empty["state"], empty["items"], empty["total"]) == ("listed", [], 0)
    assert empty["counts"]["parsed"] == 0


def test_a_reference_list_holds_stubs_and_says_which(client: TestClient) -> None:
    body = client.get("/api/references", params={"id": "fixture:citer-2020"}).json()
    assert [(item["id"], item["stub"]) for item in body["items"]] == [(SEED, False), (STUB, True)]
    assert body["items"][1]["reason"] == "known_only_as_cited"


def test_a_list_is_sorted_filtered_and_paged_to_its_end(client: TestClient) -> None:
    seen: list[str] = []
    cursor: str | None = None
    while True:
        params = {"id": SEED, "sort": "newest", "limit": "4"} | ({"cursor": cursor} if cursor else {})
        body = client.get("/api/citations", params=params).json()
        assert body["total"] == 10
        seen += [item["id"] for item in body["items"]]
        cursor = body["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 10
    assert seen[:3] == ["fixture:citer-2025", "fixture:citer-2024", "fixture:citer-2023"]
    of_year = client.get("/api/citations", params={"id": SEED, "year": "2021"}).json()
    assert [item["id"] for item in of_year["items"]] == ["fixture:citer-2021"]
    of_area = client.get("/api/citations", params={"id": SEED, "area": "cs.DC"}).json()
    assert of_area["total"] == 6


def test_a_cursor_of_another_list_is_refused(client: TestClient) -> None:
    first = client.get("/api/citations", params={"id": SEED, "limit": "2"}).json()["next"]
    for params in (
        {"id": SEED, "sort": "newest", "cursor": first},
        {"id": STUB, "cursor": first},
        {"id": SEED, "cursor": first + "A"},
        {"id": SEED, "cursor": first[:-1]},
        {"id": SEED, "cursor": "////"},
        {"id": SEED, "cursor": "a" * 5000},
        {"id": SEED, "cursor": ""},
        {"id": SEED, "cursor": "\x00"},
    ):
        answer = client.get("/api/citations", params=params)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


def test_a_cursor_comes_back_as_it_was_written() -> None:
    for offset in (0, 1, 50, 999_999_999):
        assert read_cursor(write_cursor(offset, "a list"), "a list") == offset
    with pytest.raises(BadCursor):
        read_cursor(write_cursor(1, "a list"), "another list")


@pytest.mark.parametrize(
    ("name", "value"),
    [("limit", value) for value in ("0", "101", "-1", "+1", "1_0", "01", "1.5", "a", "", "٣", "9" * 30, "NaN")]
    + [("year", value) for value in ("-1", "20 20", "2020.0", "10000", "")]
    + [("sort", value) for value in ("", "CITATIONS", "citations;drop", "x" * 500)]
    + [("area", ""), ("area", "x" * 101)],
)
def test_a_bad_parameter_is_named(client: TestClient, name: str, value: str) -> None:
    answer = client.get("/api/citations", params={"id": SEED, name: value})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_parameter")
    assert f"'{name}'" in answer.json()["detail"]


@pytest.mark.parametrize("route", ["paper", "references", "citations"])
def test_a_paper_that_nobody_has_is_404_and_nonsense_is_400(client: TestClient, route: str) -> None:
    for identifier, status, code in (
        ("arxiv:2101.00001", 404, "unknown_paper"),
        ("no identifier at all", 400, "bad_identifier"),
        ("", 400, "bad_parameter"),
        ("x" * 3000, 400, "bad_parameter"),
    ):
        answer = client.get(f"/api/{route}", params={"id": identifier})
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert client.get(f"/api/{route}").json()["code"] == "bad_parameter"


def test_a_feature_of_a_tile_leads_to_its_paper_without_the_database(
    client_without_store: TestClient, made: Made
) -> None:
    regions = client_without_store.get("/api/regions").json()["regions"]
    assert [region["key"] for region in regions] == ["0-00", "1-00"]
    assert regions[1]["parent"] == "0-00"
    answer = client_without_store.get(f"/api/builds/{made.build}/papers/0")
    body = answer.json()
    assert body.keys() >= BRIEF
    assert (body["authors"], body["authors_total"]) == ([], None)
    assert "immutable" in answer.headers["cache-control"]
    for n in ("-1", "99", "1_0", "+1", "01", "x", "9" * 40):
        assert client_without_store.get(f"/api/builds/{made.build}/papers/{n}").status_code == 404
    assert client_without_store.get(f"/api/builds/{'0' * 64}/papers/0").status_code == 404


def test_search_finds_words_and_prefixes_and_an_identifier_first(client: TestClient) -> None:
    def found(q: str, **more: str) -> list[str]:
        return [item["id"] for item in client.get("/api/search", params={"q": q, **more}).json()["results"]]

    assert found("demystifying para") == [SEED]
    assert set(found("scaling study")) == {f"fixture:citer-{year}" for year in range(2020, 2026)}
    assert found("https://doi.org/10.1145/3320060")[0] == SEED
    assert found("arxiv:1802.09941v9")[0] == SEED
    assert found("") == found("   ") == found("???") == []
    body = client.get("/api/search", params={"q": "scaling", "limit": "2"}).json()
    assert (len(body["results"]), body["truncated"]) == (2, True)
    assert not client.get("/api/search", params={"q": "scaling", "limit": "6"}).json()["truncated"]


@pytest.mark.parametrize(
    "q",
    [
        "tb-",
        "/b",
        "C++",
        '"',
        "*",
        "AND",
        "NOT scaling",
        "[* TO *]",
        "title:scaling",
        "a~2",
        "NEAR(a b)",
        "^a",
        "{col}: a",
        "a OR",
        "(",
        "')--",
        "\x00",
        "\ud800",
        "w " * 99,
        "x" * 200,
        "\U0001d518\U0001d52b\U0001d526",
        "深層学習",
        "-",
        "+a -b",
        "a:b:c",
    ],
)
def test_no_search_syntax_reaches_the_store(client: TestClient, q: str) -> None:
    params = {"q": q.encode("utf-8", "replace").decode()}
    assert client.get("/api/search", params=params).status_code == 200
    assert client.get("/search", params=params).status_code == 200


def test_without_the_database_titles_are_searched_in_the_build(client_without_store: TestClient) -> None:
    answer = client_without_store.get("/api/search?q=demystifying")
    body = answer.json()
    assert (answer.status_code, body["code"], answer.headers["retry-after"]) == (503, "store_unavailable", "5")
    assert answer.headers["cache-control"] == "no-store"
    assert (body["store"], [item["id"] for item in body["results"]]) == ("unavailable", [SEED])
    for route in ("paper", "references", "citations"):
        answer = client_without_store.get(f"/api/{route}", params={"id": SEED})
        assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
        assert answer.headers["retry-after"]
    ready = client_without_store.get("/readyz")
    assert (ready.status_code, ready.json()["store"]) == (503, "unavailable")
    assert client_without_store.get("/healthz").status_code == 200
    assert client_without_store.get("/version").json()["store"]["version"] is None


def test_the_version_names_the_parts(client: TestClient) -> None:
    body = client.get("/version").json()
    assert body["store"]["kind"] == "sqlite"
    assert body["limits"]["q"] == 200


def test_no_number_that_is_not_finite_leaves() -> None:
    body = {"a": float("nan"), "b": float("inf"), "c": 1.5}
    sent = json_response("test/1", body, None, None).body
    assert msgspec.json.decode(sent) == {
        "schema": "test/1",
        "data_date": None,
        "build": None,
        "a": None,
        "b": None,
        "c": 1.5,
    }


def test_markup_in_a_record_is_plain_text_in_json(client: TestClient) -> None:
    answer = client.get("/api/paper", params={"id": "fixture:evil"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["title"] == XSS
