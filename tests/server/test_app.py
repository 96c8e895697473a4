"""Properties of every request: limits, metrics, headers, the log, and internal errors."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import ExitStack
from itertools import count
from threading import Event, current_thread
from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from anyio import to_thread
from starlette.testclient import TestClient

from dodona.server.app import make_app
from dodona.server.explorer_processes import ExplorerPool
from dodona.server.limits import Limits
from dodona.server.log import write_text
from dodona.server.middleware import HEADERS
from dodona.server.models import load_models
from dodona.server.workers import Turn
from support.server_lab import conllu, models, sentences

# JSON requests that worker threads and processes answer
ASKED: dict[str, dict[str, Any]] = {
    "/api/parse": {"conllu": conllu()},
    "/api/explore": {"sentence": conllu(1)},
    "/api/explore/derivation": {"sentence": conllu(1)},
    "/api/explore/beam": {"sentence": conllu(1), "model": "bare"},
}
JSON = {"Content-Type": "application/json"}
EVERYWHERE = pytest.mark.parametrize("path", ASKED)


def test_metrics_count_requests_errors_and_words() -> None:
    with TestClient(make_app(models())) as client:
        client.post("/api/parse", json={"conllu": conllu()})
        client.post("/api/parse", content=b"{", headers=JSON)
        client.get("/a/path/of/their/own")
        found = client.get("/metrics")
    assert found.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = found.text.splitlines()
    n_words = sum(map(len, sentences()))
    for line in (
        'dodona_requests_total{path="/api/parse",status="200"} 1',
        'dodona_requests_total{path="/api/parse",status="400"} 1',
        'dodona_requests_total{path="other",status="404"} 1',
        "dodona_errors_total 2",
        f"dodona_words_total {n_words}",
        "dodona_requests_in_flight 1",
        'dodona_request_seconds_bucket{le="+Inf"} 3',
        "dodona_request_seconds_count 3",
    ):
        assert line in lines


@EVERYWHERE
def test_a_request_over_the_limit(path: str) -> None:
    with TestClient(make_app(models(), Limits(max_size=1000))) as client:
        announced = client.post(path, content=b"x" * 1001, headers=JSON)
        chunked = client.post(path, content=iter([b"x" * 600] * 2), headers=JSON)
    for answer in (announced, chunked):
        assert answer.status_code == 413
        assert set(answer.json()) == {"error"}
        assert "1,000 bytes" in answer.json()["error"]


@EVERYWHERE
def test_a_request_that_takes_too_long(path: str) -> None:
    with TestClient(make_app(models(), Limits(timeout=1e-9))) as client:
        answer = client.post(path, json=ASKED[path])
    assert answer.status_code == 503
    assert set(answer.json()) == {"error"}
    assert "took more than" in answer.json()["error"]
    assert answer.headers["retry-after"]


@pytest.mark.thorough
@EVERYWHERE
def test_requests_beyond_the_waiting_limit_are_refused(path: str) -> None:
    app = make_app(models(), Limits(waiting=1))
    with TestClient(app) as client:
        with app.state.service.slots.take():
            answer = client.post(path, json=ASKED[path])
            assert answer.status_code == 503
            assert answer.json() == {"error": "the server is busy; try again in a moment"}
            assert answer.headers["retry-after"] == "1"
            assert client.get("/health").status_code == 200  # needs no slot
        for _ in range(3):  # slots are released, also by refused requests
            assert client.post(path, json=ASKED[path]).status_code == 200
            assert client.post(path, content=b"{", headers=JSON).status_code == 400


def test_exploring_and_parsing_share_the_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = Event(), Event()

    async def wait(self: ExplorerPool, name: str, body: bytes) -> bytes:
        begun.set()
        await to_thread.run_sync(may_end.wait)
        return b"{}"

    with TestClient(make_app(models(), Limits(waiting=1))) as client, ThreadPoolExecutor() as pool:
        with monkeypatch.context() as patch:
            patch.setattr(ExplorerPool, "ask", wait)
            exploring = pool.submit(client.post, "/api/explore", json=ASKED["/api/explore"])
            assert begun.wait(30)
            assert {client.post(path, json=ASKED[path]).status_code for path in ASKED} == {503}
            may_end.set()
            assert exploring.result().status_code == 200
        assert {client.post(path, json=ASKED[path]).status_code for path in ASKED} == {200}


def test_long_requests_leave_slots_to_short_ones() -> None:
    app = make_app(models(), Limits(waiting=4))
    with TestClient(app) as client, app.state.service.long_slots.take():
        for n_slots, status in ((0, 200), (1, 503)):
            with ExitStack() as stack:
                for _ in range(n_slots):
                    stack.enter_context(app.state.service.long_slots.take())
                answer = client.post("/api/parse", json={"conllu": conllu() * 400})
                assert answer.status_code == status, answer.text[:200]
                assert client.post("/api/parse", json=ASKED["/api/parse"]).status_code == 200


def test_exploring_leaves_slots_to_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = Event()

    async def wait(self: ExplorerPool, name: str, body: bytes) -> bytes:
        await to_thread.run_sync(may_end.wait)
        return b"{}"

    monkeypatch.setattr(ExplorerPool, "ask", wait)
    with TestClient(make_app(models(), Limits(waiting=8))) as client, ThreadPoolExecutor(8) as pool:
        asked = [
            pool.submit(client.post, "/api/explore", json=ASKED["/api/explore"]) for _ in range(8)
        ]
        while (n_done := sum(future.done() for future in asked)) < 6:
            wait_for(asked, timeout=0.01)
        assert n_done == 6
        assert client.post("/api/parse", json=ASKED["/api/parse"]).status_code == 200
        may_end.set()
        assert Counter(future.result().status_code for future in asked) == {200: 2, 503: 6}


@EVERYWHERE
def test_an_unknown_model_is_refused(client: TestClient, path: str) -> None:
    answer = client.post(path, json=ASKED[path] | {"model": "latin"})
    assert answer.status_code == 400
    names = "en-whole-251115, bare"
    assert answer.json() == {"error": f"no model 'latin'; available: {names}"}


def test_requests_are_decoded_outside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a long request would keep the event loop from answering others."""
    threads: list[str] = []

    def note_thread(body: bytearray) -> int:
        threads.append(current_thread().name)
        return 0

    monkeypatch.setattr("dodona.server.requests.parse_request.count_values", note_thread)
    with TestClient(make_app(models())) as client:
        assert client.post("/api/parse", json=ASKED["/api/parse"]).status_code == 200
    assert [name.partition("_")[0] for name in threads] == ["dodona"]


def test_a_short_answer_of_two_turns_is_sent_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first request of a thread may take longer than a turn."""
    n_asked = count(1)
    monkeypatch.setattr(Turn, "is_over", property(lambda turn: next(n_asked) == 2))
    with TestClient(make_app(models())) as client:
        plain = {"Accept-Encoding": "identity"}
        answer = client.post("/api/parse", json=ASKED["/api/parse"], headers=plain)
    assert next(n_asked) > 3 and answer.json()["sentences"]
    assert answer.headers["content-length"] == str(len(answer.content))


def test_an_internal_error_reveals_no_details(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("secret")

    monkeypatch.setattr("dodona.server.answers.parse_answers.describe", fail)
    with TestClient(make_app(models()), raise_server_exceptions=False) as client:
        answer = client.post("/api/parse", json={"conllu": conllu()})
    assert answer.status_code == 500
    assert answer.json() == {"error": "internal server error"}


def test_security_headers(client: TestClient) -> None:
    for path in ("/health", "/models", "/nothing"):
        headers = client.get(path).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS


def test_other_origins_only_where_allowed() -> None:
    origin = {"Origin": "https://example.org"}
    with TestClient(make_app(models())) as client:
        assert "access-control-allow-origin" not in client.get("/health", headers=origin).headers
    with TestClient(make_app(models(), cors=["https://example.org"])) as client:
        headers = client.get("/health", headers=origin).headers
        assert headers["access-control-allow-origin"] == "https://example.org"
        other = client.get("/health", headers={"Origin": "https://example.com"}).headers
        assert "access-control-allow-origin" not in other


def test_the_log_has_a_line_per_request_without_its_content() -> None:
    lines: list[str] = []
    with TestClient(
        make_app(models(), log=lambda found: lines.append(write_text(found)))
    ) as client:
        client.get("/process?data=secret&input=horizontal&parser")
        client.get("/no%0Aline")
        client.post("/api/parse.conllu?input=conllu", content=conllu(1))
    assert len(lines) == 3
    assert re.search(r" GET /process 200 1 words [\d.]+ ms$", lines[0])
    assert "secret" not in lines[0]
    assert "\n" not in lines[1]
    assert f" 200 {len(sentences(1)[0])} words " in lines[2]


def test_wrong_addresses_and_methods(client: TestClient) -> None:
    assert client.get("/api/nothing").json() == {"error": "Not Found"}
    assert client.get("/api/parse").status_code == 405
    assert client.get("/api/parse").json() == {"error": "Method Not Allowed"}
    for path in ("/nothing", "/../../etc/passwd", "/static/../app.py", "//etc/passwd"):
        assert client.get(path).status_code == 404


def test_it_is_ready_until_it_ends_or_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dodona.server.routes.api.READY_SECONDS", 600.0)
    app = make_app(models(), Limits(threads=1))
    begun, may_end = Event(), Event()

    def hang() -> bool:
        begun.set()
        return may_end.wait()

    with TestClient(app) as client, ThreadPoolExecutor() as pool:
        assert client.get("/ready").json() == {"status": "ready"}
        hanging = pool.submit(app.state.service.workers.wait_for, hang)
        assert begun.wait(60)
        with monkeypatch.context() as patch:
            patch.setattr("dodona.server.routes.api.READY_SECONDS", 0.05)
            assert client.get("/ready").json()["status"] == "not ready"
        assert client.get("/health").status_code == 200
        may_end.set()
        assert hanging.result()
        assert client.get("/ready").status_code == 200
        app.state.service.is_ending = True
        assert client.get("/ready").json()["error"] == "the server is ending"


def test_health(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok", "models": ["en-whole-251115", "bare"]}


@pytest.mark.parametrize("names", [["en-small"], ["en-linear", "en"]])
def test_english_models_are_found_by_their_treebank(names: list[str]) -> None:
    found = load_models(names)
    assert {found.find(name).name for name in ("english", "english-ewt", "en_ewt")} == {names[0]}
    assert all(found.find(name).name == name for name in names)


def test_constraints_of_a_server_replace_those_of_its_models() -> None:
    for constraints in ("ud", "none"):
        (model,) = load_models(["en-small"], constraints)
        assert model.parser.settings.constraints == constraints


def test_without_a_name_the_english_model_is_served() -> None:
    found = load_models([])
    assert [model.name for model in found] == ["en"]
    with TestClient(make_app(found)) as client:
        asked = {"text": "Oaks speak. Do you hear them?", "output": "sentences"}
        sentences = client.post("/api/parse", json=asked).json()["sentences"]
        explored = {"sentence": "Oaks 2 nsubj\nspeak 0 root", "model": "en", "beam": 2}
        beam = client.post("/api/explore/beam", json=explored).json()
    assert [sentence["text"] for sentence in sentences] == ["Oaks speak.", "Do you hear them?"]
    assert beam["steps"][-1][0]["is_final"] and beam["steps"][-1][0]["is_correct"]
