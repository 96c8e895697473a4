"""The explorer over HTTP: what it answers, and what it says of a wrong request."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

import dodona
from dodona.server.limits import Limits
from dodona.server.requests.explore import MOST_CHARACTERS

SENTENCE = "Ask 0 root\nthe 3 det\noak 1 obj"


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
    model = explore(client, "/derivation", model="bare", oracle="model")["path"]
    assert explore(client, model="bare", path=model)["is_final"]


def test_the_beam_is_told_step_by_step(client: TestClient) -> None:
    found = explore(client, "/beam", model="bare", beam=3)
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
        (
            {"sentence": "oak " * (Limits.explore_words + 1)},
            f"a sentence of {Limits.explore_words + 1} words",
        ),
        ({"sentence": SENTENCE, "system": "arc-lazy"}, "no transition system 'arc-lazy'"),
        ({"sentence": SENTENCE, "root": "middle"}, "root='middle'"),
        ({"sentence": SENTENCE, "path": "SHIFT"}, "path is a list of actions"),
        ({"sentence": SENTENCE, "path": ["REDUCE"]}, "action 1: REDUCE is not valid"),
        ({"sentence": "x" * (MOST_CHARACTERS + 1)}, "more than 262,144 characters"),
        ({"sentence": SENTENCE, "model": "latin"}, "there is no model 'latin' here"),
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
