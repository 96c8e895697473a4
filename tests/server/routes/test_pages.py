"""Pages are cached by browsers and load nothing from other servers."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona.server.routes.pages import FOLDER, PAGES, STATIC
from dodona.server.workbench.site import OWN


@pytest.mark.parametrize("path", ["/", "/explore", *(f"/static/{name}" for name in STATIC)])
def test_pages_are_cached_and_load_nothing_from_other_servers(
    client: TestClient, path: str
) -> None:
    first = client.get(path)
    assert first.status_code == 200
    assert first.headers["content-security-policy"].startswith("default-src 'self'")
    assert first.headers["x-content-type-options"] == "nosniff"
    if not path.startswith("/static/"):
        assert first.headers["content-type"] == "text/html; charset=utf-8"
    assert "http:" not in first.text.replace("http://www.w3.org", "") and "https:" not in first.text
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304 and again.content == b""


def test_only_the_explorer_that_asks_for_it_may_be_framed(client: TestClient) -> None:
    for path in ("/", "/explore", "/?embed=1", "/explore?embed=0", "/static/explore.js?embed=1"):
        found = client.get(path).headers
        assert "frame-ancestors 'none'" in found["content-security-policy"]
        assert found["x-frame-options"] == "DENY"
    framed = client.get("/explore?embed=1").headers
    assert "frame-ancestors *" in framed["content-security-policy"]
    assert "x-frame-options" not in framed
    assert client.get("/health").headers["x-frame-options"] == "DENY"


def test_pages_stay_small() -> None:
    pages = [FOLDER.joinpath(name).read_bytes() for name in PAGES.values()]
    assert sum(map(len, [*pages, *STATIC.values()])) <= 170_000
    assert sum(map(len, OWN.values())) <= 61_000  # of the workbench
