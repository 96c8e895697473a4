"""The explorer over HTTP: answers, limits, errors, and how pages are served."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs the extra: pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

import dodona
from dodona.server.requests.explore import MOST_WORDS
from dodona.server.routes.explore import MOST_BYTES
from dodona.server.routes.pages import STATIC
from support.page_lab import application

SENTENCE = "Ask 0 root\nthe 3 det\noak 1 obj"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(application()) as client:
        yield client


def explore(client: TestClient, endpoint: str = "", **data: Any) -> Any:
    response = client.post(f"/api/explore{endpoint}", json={"sentence": SENTENCE} | data)
    assert response.status_code == 200, response.text
    return response.json()


def test_every_system_is_offered_with_its_options(client: TestClient) -> None:
    found = {system["name"]: system for system in client.get("/api/systems").json()}
    assert list(found) == dodona.systems()
    assert found["arc-eager"]["roots"] == ["first", "last", "none"]
    assert found["nonmonotonic"]["roots"] == ["none"]
    assert found["swap"]["oracles"] == ["static", "eager", "lazy", "minimal"]
    for name, system in found.items():
        for root in system["roots"]:
            assert explore(client, system=name, root=root)["system"]["root"] == root


def test_a_state_is_told_by_its_path(client: TestClient) -> None:
    wrong = ["RIGHT-ARC:root", "RIGHT-ARC:obj"]
    found = explore(client, system="arc-eager", root="first", path=wrong)
    assert [choice["cost"] for choice in found["history"]] == [0, 1]
    assert (found["stack"], found["buffer"]) == ([0, 1, 2], [3])
    assert found["arcs"] == [[0, "root", 1], [1, "obj", 2]]
    assert (found["lost"], found["loss"]) == ([[3, "det", 2]], 1)
    assert 'class="arc wrong"' in found["svg"]
    assert found["best"]["actions"] == ["REDUCE", "RIGHT-ARC:obj"]
    end = explore(client, root="first", path=["SHIFT", "SHIFT", "SHIFT"])
    assert end["is_final"] and end["choices"] == []
    assert end["finished"] == [[0, "root", 1], [0, "root", 2], [0, "root", 3]]


def test_actions_come_cheapest_first_within_their_move(client: TestClient) -> None:
    choices = explore(client, root="first", path=["RIGHT-ARC:root", "SHIFT"])["choices"]
    moves = [choice["move"] for choice in choices]
    assert moves == sorted(moves, key=["SHIFT", "LEFT-ARC", "RIGHT-ARC", "REDUCE"].index)
    left = [choice["cost"] for choice in choices if choice["move"] == "LEFT-ARC"]
    assert left == sorted(left) and left[0] == 0


def test_derivations_of_oracles_and_of_the_model(client: TestClient) -> None:
    static = explore(client, "/derivation", root="first")["path"]
    assert static == ["RIGHT-ARC:root", "SHIFT", "LEFT-ARC:det", "RIGHT-ARC:obj"]
    best = explore(client, "/derivation", root="first", oracle="best", path=["SHIFT"])["path"]
    assert best[0] == "SHIFT" and explore(client, root="first", path=best)["loss"] == 1
    model = explore(client, "/derivation", model="invented", oracle="model")["path"]
    assert explore(client, model="invented", path=model)["is_final"]


def test_the_beam_is_told_step_by_step(client: TestClient) -> None:
    found = explore(client, "/beam", model="invented", beam=3)
    assert found["steps"][0][0]["is_correct"] is True
    assert max(map(len, found["steps"])) == 3
    assert all(hypothesis["is_final"] for hypothesis in found["steps"][-1])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"sentence": ""}, "there is no sentence"),
        ({"sentence": 7}, "sentence is a text, not 7"),
        ({"sentence": "Ask 9 root"}, "sentence:1: "),
        ({"sentence": SENTENCE, "number": 2}, "there is no sentence 2 among 1"),
        ({"sentence": "oak " * (MOST_WORDS + 1)}, f"a sentence of {MOST_WORDS + 1} words"),
        ({"sentence": SENTENCE, "system": "arc-lazy"}, "no transition system 'arc-lazy'"),
        ({"sentence": SENTENCE, "root": "middle"}, "root='middle'"),
        ({"sentence": SENTENCE, "path": "SHIFT"}, "path is a list of actions"),
        ({"sentence": SENTENCE, "path": ["REDUCE"]}, "action 1: REDUCE is not valid"),
        ({"sentence": SENTENCE, "model": "latin"}, "this server has no model 'latin'"),
        ({"sentence": SENTENCE, "beam": 10_000}, "beam is a whole number from 1 to 64"),
        ({"sentence": SENTENCE, "width": -1}, "width is a number of pixels"),
        ({"sentence": SENTENCE, "file": "/etc/passwd"}, "no field 'file'"),
        ([], "expected a JSON object"),
    ],
)
def test_what_is_wrong_with_a_request_is_told(client: TestClient, data: Any, message: str) -> None:
    response = client.post("/api/explore", json=data)
    assert response.status_code == 400
    assert message in response.json()["error"]


def test_garbage_and_floods_are_refused(client: TestClient) -> None:
    assert client.post("/api/explore", content=b"\xff{").status_code == 400
    flood = client.post("/api/explore", content=b"x" * (MOST_BYTES + 1))
    assert flood.status_code == 413 and "bytes" in flood.json()["error"]


def test_a_server_without_models_says_so() -> None:
    with TestClient(application(with_model=False)) as client:
        response = client.post("/api/explore", json={"sentence": SENTENCE, "model": "invented"})
        assert response.json() == {"error": "this server has no models"}


@pytest.mark.parametrize("path", ["/", "/explore", *(f"/static/{name}" for name in STATIC)])
def test_pages_are_served_once_and_load_nothing_from_elsewhere(
    client: TestClient, path: str
) -> None:
    first = client.get(path)
    assert first.status_code == 200
    assert first.headers["content-security-policy"].startswith("default-src 'self'")
    assert "http:" not in first.text.replace("http://www.w3.org", "") and "https:" not in first.text
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304 and again.content == b""
