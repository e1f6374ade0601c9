"""`/api/why`: 200 for any string."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.server.conftest import Made
from tests.server.making import SEED

KEYS = {
    "schema",
    "query",
    "paper",
    "on_map",
    "x",
    "y",
    "binding",
    "reasons",
    "passed",
    "hint",
    "candidates",
    "policy",
    "policy_version",
    "build",
    "data_date",
}


def test_the_shape_is_the_documented_one(client: TestClient, made: Made) -> None:
    body = client.get("/api/why", params={"q": SEED}).json()
    assert body.keys() >= KEYS
    assert (body["schema"], body["build"], body["binding"]) == ("why/1", made.build, "no_reference_list")
    reason = body["reasons"][0]
    assert reason.keys() >= {"code", "text", "evidence", "reader", "operator", "enough", "expected"}
    assert reason["evidence"]["citers_in_corpus"] == 10
    assert reason["evidence"]["references_parsed"] is None
    assert body["hint"] == {
        "region": "1-00",
        "name": "Distributed training",
        "from": "citers",
        "count": 9,
        "total": 9,
    }


@pytest.mark.parametrize("q", ["", " ", "\x00", "%", "a" * 10_000, "\u202e", "NaN", "../../etc/passwd", "<script>"])
def test_odd_strings_get_an_answer(client: TestClient, client_without_store: TestClient, q: str) -> None:
    for each in (client, client_without_store):
        answer = each.get("/api/why", params={"q": q})
        assert (answer.status_code, answer.json()["binding"]) == (200, "not_understood")
        assert len(answer.json()["query"]) <= 200
    assert client.get("/api/why").status_code == 200


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(q=st.one_of(st.text(max_size=80), st.from_regex(r"(arxiv:|doi:10\.|W|PMC)?[0-9./v-]{0,12}", fullmatch=True)))
def test_any_string_gets_an_answer(client: TestClient, client_without_store: TestClient, q: str) -> None:
    for each in (client, client_without_store):
        for route in ("/api/why", "/why"):
            assert each.get(route, params={"q": q}).status_code == 200
        page = each.get("/paper", params={"id": q}).status_code
        assert page in {200, 308, 404} or (page == 503 and each is client_without_store)
        assert each.get("/api/search", params={"q": q}).status_code == (503 if each is client_without_store else 200)
