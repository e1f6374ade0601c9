"""Tiles: one address each, the stored bytes, cached for ever."""

from __future__ import annotations

import gzip

import pytest
from starlette.testclient import TestClient

from server.tiles import accepts_gzip, matches
from tests.server.conftest import Made


def _url(made: Made, z: object = 0, x: object = 0, y: object = 0) -> str:
    return f"/tiles/{made.build}/{z}/{x}/{y}.mvt"


def test_a_tile_is_handed_out_as_it_lies_in_the_archive(client: TestClient, made: Made) -> None:
    answer = client.get(_url(made), headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"] == "application/vnd.mapbox-vector-tile"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert b"Scaling study" in answer.content


@pytest.mark.parametrize("encoding", ["identity", "br", "gzip;q=0", "gzip;q=0.000, br", ""])
def test_a_client_that_refuses_gzip_gets_the_plain_tile(client: TestClient, made: Made, encoding: str) -> None:
    plain = client.get(_url(made), headers={"Accept-Encoding": encoding})
    packed = client.get(_url(made), headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert plain.content == packed.content
    assert plain.headers["etag"] != packed.headers["etag"], "two representations, two strong tags"


def test_a_tile_that_the_client_has_is_not_sent_again(client: TestClient, made: Made) -> None:
    etag = client.get(_url(made)).headers["etag"]
    assert etag.startswith('"')
    for known in (etag, f'"other", W/{etag}', "*"):
        again = client.get(_url(made), headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
        assert "immutable" in again.headers["cache-control"]
    assert client.get(_url(made), headers={"If-None-Match": '"other"'}).status_code == 200


def test_an_empty_tile_inside_is_204_and_outside_is_404(client: TestClient, made: Made) -> None:
    deepest = client.get("/tiles.json").json()["maxzoom"]
    empty = client.get(_url(made, deepest, 0, (1 << deepest) - 1))
    assert (empty.status_code, empty.content) == (204, b"")
    assert "immutable" in empty.headers["cache-control"]
    outside = [(deepest + 1, 0, 0), (0, 1, 0), (0, 0, 1), (deepest, 1 << deepest, 0), (99, 0, 0), (31, 0, 0)]
    assert {client.get(_url(made, *at)).status_code for at in outside} == {404}


@pytest.mark.parametrize(
    "number",
    [
        "-1",
        "+0",
        "00",
        "01",
        "1_0",
        "1.0",
        "0x0",
        "1e0",
        "\u0660",
        "\uff10",
        "%30",
        "%2B0",
        "%200",
        "0%20",
        "0%00",
        "0%0a",
        "9" * 32,
        "NaN",
        "inf",
        "",
        "a",
        "0;a",
        "0,0",
        "%EF%BC%90",
    ],
)
@pytest.mark.parametrize("place", range(3))
def test_only_plain_ascii_numbers_are_numbers(client: TestClient, made: Made, number: str, place: int) -> None:
    parts: list[object] = [0, 0, 0]
    parts[place] = number
    answer = client.get(_url(made, *parts))
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "build", ["0" * 64, "A" * 64, "a" * 63, "a" * 65, "current", "..", "%2e%2e", "a" * 63 + "%61", ""]
)
def test_an_unknown_build_has_no_tiles(client: TestClient, build: str) -> None:
    assert client.get(f"/tiles/{build}/0/0/0.mvt").status_code == 404


@pytest.mark.parametrize("query", ["a=1", "v=2", "x", "="])
def test_tiles_take_no_parameters(client: TestClient, made: Made, query: str) -> None:
    answer = client.get(f"{_url(made)}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")


def test_a_link_planted_among_the_builds_is_not_followed(client: TestClient, made: Made) -> None:
    planted = made.data / "builds" / ("e" * 64)
    planted.symlink_to(made.data / "builds" / made.build)
    try:
        assert client.get(f"/tiles/{'e' * 64}/0/0/0.mvt").status_code == 404
    finally:
        planted.unlink()


def test_tiles_need_no_database(client_without_store: TestClient, made: Made) -> None:
    assert client_without_store.get(_url(made)).status_code == 200
    assert client_without_store.get("/tiles.json").status_code == 200


def test_tilejson_points_at_the_tiles_of_the_current_build(client: TestClient, made: Made) -> None:
    answer = client.get("/tiles.json")
    body = answer.json()
    assert body["tilejson"] == "3.0.0"
    assert body["tiles"] == [f"http://testserver/tiles/{made.build}/{{z}}/{{x}}/{{y}}.mvt"]
    assert body["minzoom"] <= body["maxzoom"]
    assert {layer["id"] for layer in body["vector_layers"]} == {"papers", "regions", "density"}
    atlas = body["atlas"]
    assert atlas["papers"] == atlas["placed"] + sum(atlas["unplaced"].values())
    assert atlas["build"] == made.build
    assert 0 < atlas["center"]["x"] < 1
    assert 0 <= atlas["center"]["zoom"] <= body["maxzoom"]
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("header", "packed"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip;q=0.5", True),
        ("*", True),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
        ("x-gzip", True),
        ("gzip ; q = 0.0", False),
        ("identity", False),
        (None, False),
    ],
)
def test_what_clients_say_of_gzip(header: str | None, packed: bool) -> None:
    assert accepts_gzip(header) is packed


def test_an_etag_is_compared_as_a_whole() -> None:
    assert matches('"a", "b"', '"b"')
    assert not matches('"ab"', '"b"')
    assert not matches(None, '"b"')


def test_the_stored_bytes_are_gzip(client: TestClient, made: Made) -> None:
    with client.stream("GET", _url(made), headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert b"Scaling study" in gzip.decompress(raw)
