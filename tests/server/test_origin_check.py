"""Host names, foreign origins and media types that the server accepts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona.server.app import make_app
from dodona.server.origin_check import own_hosts
from support.server_lab import conllu, models

FOREIGN = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
WORKING = {
    "/process": "application/x-www-form-urlencoded",
    "/api/parse": "application/json",
    "/api/parse.conllu": "text/plain",
    "/api/explore": "application/json",
    "/api/explore/derivation": "application/json",
    "/api/explore/beam": "application/json",
}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = make_app(models(), hosts=own_hosts("127.0.0.1", ["oak.example"]))
    with TestClient(app, base_url="http://localhost") as client:
        yield client


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST.:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("oak.example", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("10.0.0.1", 421),
        ("", 421),
        ("[", 421),
        ("\x01", 421),
    ],
)
def test_only_known_host_names_are_accepted(client: TestClient, host: str, status: int) -> None:
    for path in ("/", "/health", "/api/models"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == status
        assert status == 200 or "--allowed-host" in answer.text


@pytest.mark.parametrize(
    ("bound", "host", "status"),
    [
        ("0.0.0.0", "192.168.1.5:8000", 200),
        ("0.0.0.0", "evil.example", 421),
        ("::", "[fe80::1]", 200),
        ("192.168.1.5", "192.168.1.5", 200),
        ("192.168.1.5", "192.168.1.6", 421),
    ],
)
def test_a_server_on_all_interfaces_accepts_its_addresses(
    bound: str, host: str, status: int
) -> None:
    with TestClient(make_app(models(), hosts=own_hosts(bound, []))) as client:
        assert client.get("/health", headers={"Host": host}).status_code == status


@pytest.mark.parametrize("path", WORKING)
@pytest.mark.parametrize(
    "headers",
    [
        FOREIGN,
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost:8001"},
        {"Origin": "null"},
    ],
)
def test_requests_of_foreign_pages_are_refused(
    client: TestClient, path: str, headers: dict[str, str]
) -> None:
    kind = {"Content-Type": WORKING[path]}
    answer = client.post(path, content=b"data=oak", headers=headers | kind)
    assert answer.status_code == 403
    assert "--cors" in answer.text


def test_foreign_pages_are_refused_on_get_requests_too(client: TestClient) -> None:
    answer = client.get("/process?data=oak&input=horizontal", headers=FOREIGN)
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://behind.a.proxy"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://localhost"},
    ],
)
def test_own_pages_and_programs_are_accepted(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/api/parse", json={"conllu": conllu(1)}, headers=headers)
    assert answer.status_code == 200


def test_links_from_other_pages_are_followed(client: TestClient) -> None:
    for path in ("/", "/explore", "/static/style.css", "/health"):
        assert client.get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


@pytest.mark.parametrize("cors", ["https://evil.example", "*"])
def test_allowed_origins_are_accepted(cors: str) -> None:
    with TestClient(make_app(models(), cors=[cors])) as client:
        answer = client.post("/api/parse", json={"conllu": conllu(1)}, headers=FOREIGN)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] in (cors, "https://evil.example")
        asked = {"Access-Control-Request-Method": "POST"}
        assert client.options("/api/parse", headers=FOREIGN | asked).status_code == 200


@pytest.mark.parametrize("path", [path for path, kind in WORKING.items() if "json" in kind])
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_media_types_without_preflight_are_refused(
    client: TestClient, path: str, kind: str
) -> None:
    answer = client.post(path, content=b'{"text": "oak"}', headers={"Content-Type": kind})
    assert answer.status_code == 415
    assert "send application/json" in answer.json()["error"]
