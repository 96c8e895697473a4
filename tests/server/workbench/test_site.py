"""The workbench over HTTP: who may use it, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

import dodona
from dodona.annotate import Workbench
from dodona.server.workbench.endpoints import MAX_BYTES, MOST_KEPT, Endpoints
from dodona.server.workbench.lesson import N_SENTENCES, STEPS, lesson_text, write_lesson
from dodona.server.workbench.site import OWN, make_site
from dodona.server.workbench.token_cookie import new_token
from support import small
from support.annotate_lab import PRIEST, TOKEN, bare, invented

HOST = "127.0.0.1"


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    path = tmp_path / "corpus.conllu"
    path.write_text(PRIEST + bare(4) + invented(6), encoding="utf-8")
    with Workbench(path) as workbench:
        yield workbench


@pytest.fixture
def stranger(workbench: Workbench, tmp_path: Path) -> Iterator[TestClient]:
    """A client without the token."""
    other = tmp_path / "other.conllu"
    other.write_text(PRIEST.replace("3\tdet", "4\tdet"), encoding="utf-8")
    site = make_site(Endpoints(workbench, other, has_lesson=True), TOKEN, [HOST])
    with TestClient(site, base_url=f"http://{HOST}") as client:
        yield client


@pytest.fixture
def client(stranger: TestClient) -> TestClient:
    """A client that has opened the page."""
    assert stranger.get(f"/?token={TOKEN}").status_code == 200
    return stranger


def change(client: TestClient, index: int, **change: Any) -> Any:
    view = client.get(f"/api/sentence?index={index}").json()
    body = {"index": index, "revision": view["revision"], "change": change}
    return client.post("/api/change", json=body)


def test_nothing_is_served_without_the_token(stranger: TestClient) -> None:
    for path in ("/", "/?token=guess", "/static/annotate.js", "/api/overview", "/nowhere"):
        assert stranger.get(path).status_code == 401, path
    assert stranger.post("/api/undo", json={}).status_code == 401
    refused = stranger.get("/api/overview", headers={"Authorization": "Bearer guess"})
    assert refused.status_code == 401 and "the address that dodona annotate" in refused.text


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_cannot_read(
    stranger: TestClient,
) -> None:
    first = stranger.get(f"/?token={TOKEN}")
    assert {"HttpOnly", "SameSite=Strict"} <= set(first.headers["set-cookie"].split("; "))
    again = stranger.get("/api/overview")
    assert again.status_code == 200 and "set-cookie" not in again.headers
    assert again.headers["cache-control"] == "no-store"


def test_a_program_sends_the_token_as_a_header(stranger: TestClient) -> None:
    found = stranger.get("/api/overview", headers={"Authorization": f"Bearer {TOKEN}"})
    assert found.json()["n_sentences"] == 8
    assert len({new_token() for _ in range(100)}) == 100 and len(new_token()) >= 32


def test_other_hosts_and_origins_are_refused_even_with_the_token(client: TestClient) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
    for path in ("/api/sentence?index=0", "/api/overview"):
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert client.get(path, headers=headers).status_code == 403
    asked = client.post("/api/undo", json={}, headers={"Origin": "http://evil.example"})
    assert asked.status_code == 403


def test_a_change_needs_json(client: TestClient) -> None:
    as_form = client.post("/api/undo", content=b"{}", headers={"Content-Type": "text/plain"})
    assert as_form.status_code == 415
    assert client.post("/api/undo", json={"text": "x" * MAX_BYTES}).status_code == 413
    assert client.post("/api/undo", json={"path": "/etc/passwd"}).status_code == 400
    assert client.post("/api/undo", json=[]).status_code == 400


def test_pages_are_strict_about_where_things_come_from(client: TestClient) -> None:
    for path in ("/", "/static/annotate.js", "/static/shared.js", "/static/style.css"):
        found = client.get(path)
        assert found.headers["content-security-policy"].startswith("default-src 'self'")
        assert found.headers["x-frame-options"] == "DENY"
        assert "http:" not in found.text.replace("http://www.w3.org", "")
    assert b"VERSION" in OWN["annotate.html"] and "VERSION" not in client.get("/").text


def test_a_change_answers_with_the_new_sentence(client: TestClient, workbench: Workbench) -> None:
    found = change(client, 1, kind="set-arc", word=2, head=1, deprel="obj").json()
    assert (found["words"][1]["head"], found["words"][1]["arc"]) == (1, "set")
    assert workbench.sentence(1).words[1].deprel == "obj"
    assert client.post("/api/undo", json={}).json()["words"][1]["head"] is None
    assert client.post("/api/redo", json={}).json()["words"][1]["head"] == 1


def test_a_stale_change_is_refused_with_the_newer_sentence(client: TestClient) -> None:
    old = client.get("/api/sentence?index=0").json()["revision"]
    assert change(client, 0, kind="set-arc", word=1, head=4, deprel="obl").status_code == 200
    late = {"kind": "set-arc", "word": 1, "head": 2, "deprel": "det"}
    answer = client.post("/api/change", json={"index": 0, "revision": old, "change": late})
    assert answer.status_code == 409
    assert answer.json()["view"]["words"][0]["head"] == 4


def test_a_new_parser_does_not_make_a_shown_sentence_stale(
    client: TestClient, workbench: Workbench
) -> None:
    """It may arrive while a person types a command, which is read and checked meanwhile."""
    shown = client.get("/api/sentence?index=1").json()
    assert {word["arc"] for word in shown["words"]} == {"open"}
    workbench._desk.use(dodona.train(small.treebank(20, 1), epochs=1))
    typed = {"index": 1, "text": "2 < 1 obj"}
    found = client.post("/api/command", json=typed).json()["change"]
    asked = {"index": 1, "revision": shown["revision"], "change": found}
    assert client.post("/api/check", json=asked).status_code == 200
    changed = client.post("/api/change", json=asked)
    assert changed.status_code == 200
    assert {word["arc"] for word in changed.json()["words"]} == {"set", "guessed"}


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/api/sentence", "index must be a number from 0"),
        ("/api/sentence?index=-1", "index must be a number from 0"),
        ("/api/sentence?index=99999999999999", "index must be a number from 0"),
        ("/api/sentence?index=8", "there is no sentence 9"),
        ("/api/next?order=random", "order must be one of file, uncertain"),
        ("/api/find?pattern=upos=", "pattern 'upos='"),
        ("/api/suggest?index=0&word=1&field=deps", "field must be one of"),
    ],
)
def test_malformed_requests_are_explained(client: TestClient, path: str, why: str) -> None:
    answer = client.get(path)
    assert 400 <= answer.status_code < 500
    assert why in answer.json()["error"]


def test_a_change_that_a_sentence_does_not_allow_is_explained(client: TestClient) -> None:
    assert "set-arc: word is missing" in change(client, 0, kind="set-arc", head=2).json()["error"]
    answer = change(client, 0, kind="set-arc", word=1, head=77, deprel="det")
    assert answer.status_code == 400 and "77" in answer.json()["error"]


def test_a_check_shows_only_new_problems_and_changes_nothing(
    client: TestClient, workbench: Workbench
) -> None:
    view = workbench.sentence(0)
    asked = {"kind": "set-arc", "word": 3, "head": 4, "deprel": "root"}
    body = {"index": 0, "revision": view.revision, "change": asked}
    problems = client.post("/api/check", json=body).json()["problems"]
    assert any(problem["word"] == 3 and "root" in problem["message"] for problem in problems)
    assert workbench.sentence(0) == view
    stale = {**body, "revision": "old"}  # the page is about to show a newer sentence
    assert client.post("/api/check", json=stale).json()["problems"] == []
    absurd = {**body, "change": {**asked, "head": 77}}
    assert "77" in client.post("/api/check", json=absurd).json()["problems"][0]["message"]
    fine = {**body, "change": {**asked, "deprel": "csubj"}}
    assert client.post("/api/check", json=fine).json()["problems"] == []


def test_a_command_is_read_but_not_done(client: TestClient, workbench: Workbench) -> None:
    view = workbench.sentence(0)

    def ask(text: str) -> Any:
        return client.post("/api/command", json={"index": 0, "text": text}).json()

    assert ask("1 < 4 det")["change"]["head"] == 4
    assert ask("go 3") == {"action": "go", "value": "3"}
    assert "is no command" in ask("what?")["error"]
    assert workbench.sentence(0) == view


def test_one_decision_is_applied_to_the_matches_that_were_chosen(
    client: TestClient, workbench: Workbench
) -> None:
    asked = {"kind": "set-field", "word": 1, "field": "deprel", "value": "nmod:poss"}
    body = {"pattern": "deprel=det", "change": asked}
    found = client.post("/api/preview", json=body).json()
    assert not found["has_more"] and len(found["previews"]) >= 2
    assert found["previews"][0]["changes"] == ["1 The: det → nmod:poss"]
    chosen = [0]
    place = found["previews"][0]
    answer = client.post("/api/apply", json={"id": found["id"], "chosen": chosen})
    assert answer.json() == {"n_applied": 1}
    assert workbench.sentence(place["index"]).words[place["words"][0] - 1].deprel == "nmod:poss"
    left = client.post("/api/preview", json=body).json()
    assert len(left["previews"]) == len(found["previews"]) - 1
    again = client.post("/api/apply", json={"id": found["id"], "chosen": chosen})
    assert again.status_code == 404  # a list is applied once
    wrong = client.post("/api/apply", json={"id": left["id"], "chosen": [999]})
    assert wrong.status_code == 400


def test_only_the_latest_lists_of_previews_are_kept(client: TestClient) -> None:
    asked = {"kind": "set-field", "word": 1, "field": "deprel", "value": "obj"}
    body = {"pattern": "deprel=det", "change": asked}
    ids = [client.post("/api/preview", json=body).json()["id"] for _ in range(MOST_KEPT + 1)]
    answers = [client.post("/api/apply", json={"id": i, "chosen": []}).status_code for i in ids]
    assert answers == [404] + [200] * MOST_KEPT
    structural = {**body, "change": {"kind": "split-sentence", "word": 1}}
    assert client.post("/api/preview", json=structural).status_code == 400


@pytest.mark.parametrize("name", ["../x.dodona", "/tmp/x.dodona", ".x.dodona", "x.conllu", ""])
def test_a_model_is_kept_beside_the_file_and_nowhere_else(client: TestClient, name: str) -> None:
    answer = client.post("/api/keep", json={"name": name})
    assert answer.status_code == 400 and "name of a model" in answer.json()["error"]


def test_another_annotator_is_compared_with(client: TestClient) -> None:
    found = client.get("/api/compare").json()
    assert found["n_sentences"] == 1
    (difference,) = found["differences"]
    assert (difference["word"], difference["fields"]) == (1, ["head"])
    assert (difference["mine"][0], difference["theirs"][0]) == ("3", "4")
    assert client.get("/api/settings").json()["other"] == "other.conllu"


def test_the_lesson_ticks_what_is_done(client: TestClient) -> None:
    assert client.get("/api/lesson?index=1").json()["done"][:4] == [False] * 4
    change(client, 1, kind="set-arc", word=2, head=0, deprel="root")
    assert client.get("/api/lesson?index=1").json()["done"][:2] == [True, False]
    change(client, 1, kind="set-arc", word=1, head=2, deprel="nsubj")
    found = client.get("/api/lesson?index=1").json()
    assert found["done"][:3] == [True, True, False] and len(found["steps"]) == len(STEPS)


def test_the_text_of_the_lesson_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "lesson.txt"
    write_lesson(path)
    assert path.read_text(encoding="utf-8") == lesson_text()
    assert lesson_text().count("\n") == N_SENTENCES
    path.write_text("mine", encoding="utf-8")
    write_lesson(path)
    assert path.read_text(encoding="utf-8") == "mine"
    with pytest.raises(ValueError, match=r"call it .*lesson\.txt"):
        write_lesson(tmp_path / "lesson.conllu")
