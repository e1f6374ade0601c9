"""What every answer carries, and what is refused before any work."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import cast

import pytest
from starlette.testclient import TestClient

from corpus.atlas import Builds
from corpus.store import Store
from server.app import create_app
from tests.server.conftest import Made

ROUTES = [
    "/",
    "/assets/index-abc123.js",
    "/paper/arxiv:1802.09941",
    "/paper/arXiv:1802.09941v3",
    "/paper/nonsense",
    "/paper?id=x",
    "/why",
    "/why?q=x",
    "/search?q=scaling",
    "/tiles.json",
    "/tiles/x/0/0/0.mvt",
    "/api/search?q=scaling",
    "/api/paper?id=arxiv:1802.09941",
    "/api/paper?id=nonsense",
    "/api/paper",
    "/api/references?id=arxiv:1802.09941",
    "/api/citations?id=arxiv:1802.09941",
    "/api/citations?id=arxiv:1802.09941&sort=worst",
    "/api/regions",
    "/api/why?q=x",
    "/healthz",
    "/readyz",
    "/version",
    "/nothing",
    "/api/nothing",
    "/static/nothing.css",
    "/docs",
    "/openapi.json",
]
MUST = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}


def _check(headers: object) -> None:
    fields = cast("dict[str, str]", headers)
    for name, value in MUST.items():
        assert fields[name] == value
    policy = fields["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "camera=()" in fields["permissions-policy"]
    assert "server" not in fields
    assert "set-cookie" not in fields
    assert "cross-origin-resource-policy" in fields
    assert "cache-control" in fields


@pytest.mark.parametrize("route", ROUTES)
def test_every_answer_carries_the_security_headers(client: TestClient, route: str) -> None:
    _check(client.get(route).headers)


@pytest.mark.parametrize("route", ROUTES)
def test_head_answers_as_get_does_without_a_body(client: TestClient, route: str) -> None:
    head, get = client.head(route), client.get(route)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers.get("content-length") == get.headers.get("content-length")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("route", ["/", "/api/why?q=x", "/nothing", "/tiles/x/0/0/0.mvt"])
def test_only_questions_are_answered(client: TestClient, method: str, route: str) -> None:
    answer = client.request(method, route)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert answer.json()["code"] == "method_not_allowed"
    _check(answer.headers)


def test_too_much_is_refused_before_any_work(client: TestClient) -> None:
    assert client.get("/api/why?q=" + "a" * 10_000).status_code == 200
    long = client.get("/api/why?q=" + "a" * 13_000)
    assert (long.status_code, long.json()["code"]) == (414, "request_line_too_long")
    many = client.get("/api/search?" + "&".join(f"p{i}=1" for i in range(21)))
    assert (many.status_code, many.json()["code"]) == (400, "too_many_parameters")
    assert client.get("/api/search?" + "&".join(f"p{i}=1" for i in range(20))).status_code == 200
    for answer in (long, many):
        _check(answer.headers)


@pytest.mark.parametrize("host", ["evil host", "a/b", "a\\b", "<script>", "a:b", "[::1", "", "a@b", "x" * 300])
def test_a_host_that_is_no_host_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/tiles.json", headers={"Host": host})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_host")
    _check(answer.headers)


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000", "atlas.example.org"])
def test_a_host_is_what_tilejson_points_at(client: TestClient, host: str) -> None:
    assert client.get("/tiles.json", headers={"Host": host}).json()["tiles"][0].startswith(f"http://{host}/tiles/")


def test_a_public_address_wins_over_the_host(made: Made, bundle: Path) -> None:
    app = create_app(made.store, Builds(made.data), public_url="https://atlas.example.org/", bundle=bundle)
    tiles = TestClient(app).get("/tiles.json", headers={"Host": "evil.example"}).json()["tiles"][0]
    assert tiles.startswith("https://atlas.example.org/tiles/")


CANARY = "zqx<canary>zqx"


@pytest.mark.parametrize(
    "route",
    [
        f"/{CANARY}",
        f"/api/{CANARY}",
        f"/assets/{CANARY}",
        f"/tiles/{CANARY}/0/0/0.mvt",
        f"/api/paper?id={CANARY}",
        f"/api/paper?id=arxiv:{CANARY}",
        f"/api/paper?id={CANARY * 1000}",
        f"/api/citations?id=arxiv:1802.09941&cursor={CANARY}",
        f"/api/citations?id=arxiv:1802.09941&sort={CANARY}",
        f"/api/citations?id=arxiv:1802.09941&year={CANARY}",
        f"/api/citations?id=arxiv:1802.09941&area={CANARY * 20}",
        f"/api/citations?id=arxiv:1802.09941&limit={CANARY}",
        f"/api/search?q={CANARY * 100}",
        f"/api/search?limit={CANARY}",
        f"/search?q={CANARY * 100}",
        f"/api/builds/{CANARY}/papers/{CANARY}",
        f"/paper/arxiv:1802.09941?sort={CANARY}",
        f"/api/{CANARY * 1000}",
    ],
)
def test_no_error_repeats_the_input(client: TestClient, route: str) -> None:
    answer = client.get(route)
    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "detail", "code"}
    assert answer.json()["status"] == answer.status_code
    assert "zqx" not in answer.text
    assert len(answer.content) < 500


class _Broken:
    """A store with a bug."""

    kind = "sqlite"

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(f"secret-{name}")


def test_a_bug_is_a_plain_500_with_headers_and_a_log_entry(
    made: Made, bundle: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = TestClient(create_app(cast("Store", _Broken()), Builds(made.data), bundle=bundle))
    with caplog.at_level(logging.ERROR):
        answer = broken.get("/api/paper?id=arxiv:1802.09941")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "secret" not in answer.text
    assert "secret-resolve" in caplog.text
    _check(answer.headers)
