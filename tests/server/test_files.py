"""The built map and our own files: a dict of names, never a path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from corpus.atlas import Builds
from server.app import create_app
from server.bundle import read_bundle
from tests.server.conftest import Made
from tests.server.doubles import raw_get

TRAVERSALS = [
    "/../etc/passwd",
    "/..%2fetc/passwd",
    "/%2e%2e/etc/passwd",
    "/%2e%2e%2fetc%2fpasswd",
    "/%252e%252e%252fetc%252fpasswd",
    "/..%5cetc%5cpasswd",
    "/..\\..\\etc\\passwd",
    "/assets/../../etc/passwd",
    "/assets/..%2f..%2fetc%2fpasswd",
    "/assets/%2e%2e/index.html",
    "/assets/../index.html%00",
    "/assets/index-abc123.js%00",
    "/assets/index-abc123.js/",
    "/assets/./index-abc123.js%2f",
    "/assets//index-abc123.js",
    "/assets/%2findex-abc123.js",
    "/assets/index-abc123.js%20",
    "/assets/INDEX-ABC123.JS",
    "/assets/",
    "/assets",
    "//etc/passwd",
    "///etc/passwd",
    "/etc/passwd",
    "/%2fetc%2fpasswd",
    "/file:///etc/passwd",
    "/C:%5cWindows%5cwin.ini",
    "/con",
    "/nul",
    "/aux.txt",
    "/.git/config",
    "/.env",
    "/%00",
    "/index.html%00.js",
    "/secret-link.txt",
    "/static/../app.py",
    "/static/%2e%2e/app.py",
    "/static/..%2fapp.py",
    "/static/paper.css",
    "/static/",
    "/templates/base.html",
    "/server/app.py",
    "/corpus.sqlite",
    "/builds/",
    "/current/manifest.json",
    "/..;/corpus.sqlite",
    "/%c0%ae%c0%ae/etc/passwd",
    "/\u2025/etc/passwd",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_out_of_the_known_files(client: TestClient, path: str) -> None:
    for answer in (client.get(path), raw_get(client.app, path)):
        assert answer.status_code in {400, 404}
        assert "root:" not in answer.text


def test_no_request_opens_a_file(client: TestClient) -> None:
    client.get("/why")  # templates and modules are read once
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event == "open":
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)  # hooks cannot be taken off again: this one goes quiet
    for path in TRAVERSALS:
        raw_get(client.app, path)
    watching = False
    assert opened == []


def test_the_map_page_is_asked_for_again_and_its_assets_never(client: TestClient) -> None:
    index = client.get("/")
    assert (index.status_code, index.headers["cache-control"]) == (200, "no-cache")
    assert client.get("/", headers={"If-None-Match": index.headers["etag"]}).status_code == 304
    script = client.get("/assets/index-abc123.js", headers={"Accept-Encoding": "gzip"})
    assert "immutable" in script.headers["cache-control"]
    assert script.headers["content-encoding"] == "gzip"
    assert script.headers["content-type"].startswith("text/javascript")
    plain = client.get("/assets/index-abc123.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == script.content


def test_a_link_inside_the_bundle_is_left_out(bundle: Path) -> None:
    assert set(read_bundle(bundle)) == {"index.html", "assets/index-abc123.js"}


def test_without_a_built_map_a_page_says_how_to_build_it(made: Made, tmp_path: Path) -> None:
    bare = TestClient(create_app(made.store, Builds(made.data), bundle=tmp_path))
    answer = bare.get("/")
    assert answer.status_code == 503
    assert "make setup" in answer.text
    assert bare.get("/paper/arxiv:1802.09941").status_code == 200


def test_the_style_sheet_of_the_pages_is_there(client: TestClient) -> None:
    page = client.get("/why").text
    style = page.split('rel="stylesheet" href="')[1].split('"')[0]
    answer = client.get(style)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in answer.headers["cache-control"]
