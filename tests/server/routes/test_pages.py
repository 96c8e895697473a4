"""How pages are served: once, and with nothing from elsewhere."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona.server.routes.pages import STATIC


@pytest.mark.parametrize("path", ["/", "/explore", *(f"/static/{name}" for name in STATIC)])
def test_pages_are_served_once_and_load_nothing_from_elsewhere(
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
