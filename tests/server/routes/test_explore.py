"""The explorer over HTTP: answers and error messages."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

import dodona
from dodona.core.transitions.registry import find_system
from dodona.server.app import make_app
from dodona.server.limits import Limits
from dodona.server.requests.explorer_request import MAX_CHARACTERS
from support.server_lab import models

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
        if not find_system(name).__module__.startswith("dodona."):
            continue  # of another test, from after the start of who explores
        for root in system["roots"]:
            assert explore(client, system=name, root=root)["system"]["root"] == root


def test_a_path_leads_to_its_state(client: TestClient) -> None:
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


def test_a_table_of_steps_is_returned_as_rows_latex_and_csv(client: TestClient) -> None:
    found = explore(client, "/table", system="arc-eager", root="first", path=["RIGHT-ARC:root"])
    assert found["steps"][1] == {
        "number": 1,
        "action": "RIGHT-ARC:root",
        "cost": 0,
        "stack": ["ROOT", "Ask"],
        "buffer": ["the", "oak"],
        "arcs": [["ROOT", "root", "Ask"]],
        "is_estimate": False,
    }
    assert found["csv"].splitlines()[2] == "1,RIGHT-ARC:root,0,ROOT Ask,the oak,root(ROOT; Ask)"
    assert "RIGHT-ARC:root & 0 & [\\textsc{root}, Ask] & [the, oak]" in found["latex"]


def test_sentences_are_drawn_together_within_the_limits() -> None:
    both = "1\tAsk\t_\t_\t_\t_\t0\troot\t_\t_\n\n" + "".join(
        f"{i}\toak\t_\t_\t_\t_\t0\troot\t0:root\t_\n" for i in (1, 2)
    )
    for words, has_second in ((5, True), (1, False)):
        limits = Limits(explore_words=words)
        with TestClient(make_app(models(), limits=limits)) as client:
            first, second = explore(client, "/drawings", sentence=both, width=300)["sentences"]
            assert first["svg"].startswith("<svg") and first["graph_svg"] is None
            assert (second["svg"] is not None) == (second["graph_svg"] is not None) == has_second


def test_costs_of_swap_name_waste_and_repairs(client: TestClient) -> None:
    crossing = "A 2 det\npriest 3 nsubj\ncame 0 root\nwho 5 nsubj\nlistened 2 acl"
    path = [*["SHIFT"] * 2, "LEFT-ARC:det", *["SHIFT"] * 3, "LEFT-ARC:nsubj", "SWAP"]
    asked = {"sentence": crossing, "system": "swap", "path": path}
    found = explore(client, **asked)
    choices = {choice["action"]: choice for choice in found["choices"]}
    assert choices["RIGHT-ARC:acl"]["n_wasted"] == 0 and choices["RIGHT-ARC:acl"]["optimal"]
    assert found["best"]["is_best"] and found["best"]["is_shortest"]
    swap = explore(client, "/why", **asked, action="SWAP")
    assert swap["n_wasted"] == choices["SWAP"]["n_wasted"] == 2  # itself, and a SHIFT
    assert (swap["repairs"], swap["repaired"]) == ([], [])
    early = explore(client, "/why", **asked | {"path": path[:2]}, action="SHIFT")
    assert early["repairs"] == ["SWAP"] and len(early["repaired"][0]) == 2


def test_costs_of_crossing_arcs_are_called_estimates(client: TestClient) -> None:
    crossing = "A 2 det\npriest 3 nsubj\ncame 0 root\nwho 5 nsubj\nlistened 2 acl"
    for system, is_estimate in (("arc-eager", True), ("arc-standard", False), ("swap", False)):
        found = explore(client, sentence=crossing, system=system)
        assert {choice["is_estimate"] for choice in found["choices"]} == {is_estimate}
        assert found["best"]["is_best"] != is_estimate
        steps = explore(client, "/table", sentence=crossing, system=system, path=["SHIFT"])
        assert ("≈" in steps["csv"]) == (r"$\approx$" in steps["latex"]) == is_estimate
        slide = explore(client, "/slide", sentence=crossing, system=system, path=["SHIFT"])
        assert ("cost ≈0" in slide["svg"]) == is_estimate


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


def test_the_beam_is_described_step_by_step(client: TestClient) -> None:
    found = explore(client, "/beam", model="bare", beam=3)
    assert found["steps"][0][0]["is_correct"] is True
    assert max(map(len, found["steps"])) == 3
    assert all(hypothesis["is_final"] for hypothesis in found["steps"][-1])


def test_the_cost_of_an_action_is_explained(client: TestClient) -> None:
    found = explore(client, "/why", root="first", action="SHIFT")
    assert (found["cost"], found["optimal"], found["loss"]) == (1, False, 1)
    assert found["loses"] == [[0, "root", 1]] and found["best"]["svg"].startswith("<svg")
    free = explore(client, "/why", root="first", action="RIGHT-ARC:root")
    assert (free["cost"], free["loses"]) == (0, [])
    response = client.post("/api/explore/why", json={"sentence": SENTENCE})
    assert response.status_code == 400 and "no action to explain" in response.json()["error"]


def test_a_lenient_request_stops_before_an_invalid_action(client: TestClient) -> None:
    found = explore(client, root="first", path=["SHIFT", "REDUCE", "SHIFT"], lenient=True)
    assert [choice["action"] for choice in found["history"]] == ["SHIFT"]
    assert found["stopped"].startswith("action 2: REDUCE is not valid")


def test_arcs_that_were_never_reachable_are_listed_separately(client: TestClient) -> None:
    crossing = "A 2 nsubj\nB 0 root\nC 2 obj\nD 1 acl"
    found = explore(client, sentence=crossing, system="arc-eager")
    assert found["lost"] == [] and found["loss"] == 1
    [never] = found["never"]
    assert len(never["crosses"]) >= 1 and 'class="arc never"' in found["svg"]


def test_slides_and_animations(client: TestClient) -> None:
    path = ["RIGHT-ARC:root", "SHIFT"]
    assert explore(client, "/slide", root="first", path=path)["svg"].count('class="frame"') == 1
    film = explore(client, "/slide", root="first", path=path, film=True)["svg"]
    assert film.count('class="frame"') == 3


def test_a_tree_that_is_being_edited(client: TestClient) -> None:
    found = explore(client, "/tree", sentence="Ask 0 root\nthe _ _\noak 1 obj")
    assert found["svg"].count('class="arc"') == 2
    assert found["conllu"].splitlines()[1].split("\t")[6] == "_"


def test_labels_in_addition_to_those_of_the_gold_tree(client: TestClient) -> None:
    path = ["RIGHT-ARC:vocative"]
    found = explore(client, root="first", path=path, labels=["vocative"])
    assert found["history"][0]["cost"] == 1


def test_patterns_are_found_in_all_sentences(client: TestClient) -> None:
    text = f"{SENTENCE}\n\nOaks 2 nsubj\nspeak 0 root"
    found = explore(client, "/match", sentence=text, pattern="deprel=root as verb >nsubj *")
    assert found == {"names": {"verb": 0}, "matches": [[], [[2, 1]]]}
    response = client.post("/api/explore/match", json={"sentence": text, "pattern": "upos="})
    assert response.status_code == 400 and "character" in response.json()["error"]


@pytest.mark.thorough
def test_a_pattern_that_takes_too_long_is_given_up() -> None:
    app = make_app(models(), Limits(explore_timeout=3))
    with TestClient(app) as client:
        slow = {"sentence": "a" * 60 + "!", "pattern": "form=/(a|a)+b/"}
        response = client.post("/api/explore/match", json=slow)
        assert response.status_code == 503
        assert explore(client, "/match", pattern="deprel=det")["matches"] == [[[2]]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"sentence": ""}, "no sentence; type one"),
        ({"sentence": 7}, "sentence must be a string, not 7"),
        ({"sentence": "Ask 9 root"}, "sentence:1: "),
        ({"sentence": SENTENCE, "number": 2}, "no sentence 2; there are 1"),
        (
            {"sentence": "oak " * (Limits.explore_words + 1)},
            f"the sentence has {Limits.explore_words + 1} words",
        ),
        ({"sentence": SENTENCE, "system": "arc-lazy"}, "no transition system 'arc-lazy'"),
        ({"sentence": SENTENCE, "root": "middle"}, "root='middle'"),
        ({"sentence": SENTENCE, "path": "SHIFT"}, "path must be a list of strings"),
        ({"sentence": SENTENCE, "path": ["REDUCE"]}, "action 1: REDUCE is not valid"),
        ({"sentence": "x" * (MAX_CHARACTERS + 1)}, "more than 262,144 characters"),
        ({"sentence": SENTENCE, "model": "latin"}, "no model 'latin'"),
        ({"sentence": SENTENCE, "beam": 10_000}, "beam must be an integer from 1 to 64"),
        ({"sentence": SENTENCE, "width": -1}, "width must be a number of pixels"),
        ({"sentence": SENTENCE, "file": "/etc/passwd"}, "unknown field 'file'"),
        ([], "expected a JSON object"),
    ],
)
def test_errors_in_a_request_are_reported(client: TestClient, data: Any, message: str) -> None:
    response = client.post("/api/explore", json=data)
    assert response.status_code == 400
    assert message in response.json()["error"]
