"""The JSON interface, streams, metrics, limits: what one request can do to the others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from dodona import Sentence
from support.server_lab import columns, conllu, models, sentences, text, whole_parser

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona.server.answers.openapi import DESCRIPTION
from dodona.server.app import make_app
from dodona.server.limits import Limits
from dodona.server.middleware import HEADERS
from dodona.server.models import load_models
from dodona.server.routes.api import api_routes


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(models())) as client:
        yield client


def test_models_with_their_systems(client: TestClient) -> None:
    assert client.get("/api/models").json() == [
        {
            "name": "en-whole-251115",
            "parts": ["tokenizer", "tagger", "parser"],
            "system": "arc-eager",
        },
        {"name": "bare", "parts": ["parser"], "system": "arc-eager"},
    ]


def test_text_becomes_sentences_with_words(client: TestClient) -> None:
    found = client.post("/api/parse", json={"text": text()}).json()
    assert found["model"] == "en-whole-251115"
    assert " ".join(sentence["text"] for sentence in found["sentences"]) == text()
    words = [word for sentence in found["sentences"] for word in sentence["words"]]
    assert [list(map(str, word.values())) for word in words] == columns(found["conllu"])
    assert all(isinstance(word["head"], int) for word in words)


@pytest.mark.parametrize(
    "given",
    [
        {"conllu": conllu()},
        {"text": conllu(), "input": "conllu"},
    ],
    ids=["as such", "as text"],
)
def test_conllu_gets_the_parser_s_own_trees(client: TestClient, given: dict[str, str]) -> None:
    found = client.post("/api/parse", json=given).json()
    assert heads(found) == [tree.heads for tree in whole_parser().pipe(sentences())]


@pytest.mark.parametrize(
    "given",
    [
        {"tokens": [sentence.forms for sentence in sentences()]},
        {"tokens": "\n".join(" ".join(sentence.forms) for sentence in sentences())},
    ],
    ids=["lists", "lines"],
)
def test_words_get_the_parser_s_own_trees(client: TestClient, given: dict[str, Any]) -> None:
    found = client.post("/api/parse", json=given).json()
    bare = [Sentence.from_columns(sentence.forms) for sentence in sentences()]
    assert heads(found) == [tree.heads for tree in whole_parser().pipe(bare)]


def heads(found: dict[str, Any]) -> list[list[int | None]]:
    """Of the sentences in an answer."""
    return [[word["head"] for word in sentence["words"]] for sentence in found["sentences"]]


def test_trees_are_drawn_where_asked_for(client: TestClient) -> None:
    asked = {"conllu": conllu(2)}
    plain = client.post("/api/parse", json=asked).json()["sentences"]
    wide = client.post("/api/parse", json=asked | {"svg": True}).json()["sentences"]
    narrow = client.post("/api/parse", json=asked | {"svg": True, "width": 100}).json()["sentences"]
    assert not any("svg" in sentence for sentence in plain)
    for sentence, other in zip(wide, narrow, strict=True):
        assert sentence["svg"].startswith("<svg")
        assert sentence["svg"].count('class="word"') == len(sentence["words"])
        assert "<style" not in sentence["svg"]
        assert other["svg"] != sentence["svg"]


def test_very_long_sentences_are_parsed_but_not_drawn(client: TestClient) -> None:
    asked = {"tokens": [["oak"] * 300], "svg": True}
    (sentence,) = client.post("/api/parse", json=asked).json()["sentences"]
    assert len(sentence["words"]) == 300
    assert sentence["svg"] is None
    refused = client.post("/api/parse", json={"tokens": [["oak"] * 20_001]})
    assert refused.status_code == 400
    assert "a sentence of 20,001 words" in refused.json()["error"]


def test_output_may_be_half_of_it(client: TestClient) -> None:
    ask = {"conllu": conllu(2)}
    assert set(client.post("/api/parse", json=ask | {"output": "conllu"}).json()) == {
        "model",
        "conllu",
    }
    assert set(client.post("/api/parse", json=ask | {"output": "sentences"}).json()) == {
        "model",
        "sentences",
    }


def test_nothing_becomes_nothing(client: TestClient) -> None:
    for given in ({"text": ""}, {"conllu": "\n"}, {"tokens": []}):
        found = client.post("/api/parse", json=given).json()
        assert found["sentences"] == []
        assert found["conllu"] == ""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{", "this is no JSON"),
        (b"[" * 100_000, "this is no JSON"),
        (b"[]", "expected a JSON object"),
        (b'"\xff"', "not in UTF-8"),
        (b"{}", "send one of text, conllu, tokens; found none"),
        (b'{"text": "a", "conllu": "b"}', "found text and conllu"),
        (b'{"text": 3}', "text is a text, not int"),
        (b'{"text": "a", "modell": "b"}', "no field 'modell'; there are: text"),
        (b'{"text": "a", "model": 3}', "model is a text, not 3"),
        (b'{"text": "a", "model": "x"}', "there is no model 'x' here"),
        (b'{"text": "a", "model": "bare"}', "cannot read raw text"),
        (b'{"text": "a", "output": "xml"}', "output is one of all, conllu, sentences, not 'xml'"),
        (b'{"text": "a", "svg": 1}', "svg is true or false"),
        (b'{"text": "a", "width": -1}', "width is a number of pixels"),
        (b'{"text": "\\ud800"}', "lone surrogate"),
        (b'{"tokens": [[]]}', "tokens are lists of words"),
        (b'{"tokens": [["a", 3]]}', "tokens are lists of words"),
        (b'{"tokens": [["a\\nb"]]}', "a\\nb"),
        (b'{"conllu": "1\\tOak\\n"}', "line 1: expected 10 tab-separated columns, found 2"),
    ],
)
def test_what_is_wrong_is_told_in_json(client: TestClient, body: bytes, why: str) -> None:
    answer = client.post("/api/parse", content=body)
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}
    assert why in answer.json()["error"]


def test_wrong_addresses_and_methods(client: TestClient) -> None:
    assert client.get("/api/nothing").json() == {"error": "Not Found"}
    assert client.get("/api/parse").status_code == 405
    assert client.get("/api/parse").json() == {"error": "Method Not Allowed"}
    for path in ("/nothing", "/../../etc/passwd", "/static/../app.py", "//etc/passwd"):
        assert client.get(path).status_code == 404


def test_every_route_is_described_and_nothing_else() -> None:
    routes = {
        (route.path, method.lower())
        for route in api_routes
        for method in (route.methods or set()) - {"HEAD"}
    }
    described = {
        (path, method) for path, methods in DESCRIPTION["paths"].items() for method in methods
    }
    assert routes == described


def test_the_description_refers_only_to_what_it_has(client: TestClient) -> None:
    found = client.get("/api/openapi.json").text
    named = set(re.findall(r"#/components/schemas/(\w+)", found))
    assert named == set(json.loads(found)["components"]["schemas"])


def test_answers_are_as_described(client: TestClient) -> None:
    schemas = DESCRIPTION["components"]["schemas"]
    found = client.post("/api/parse", json={"text": text(2)}).json()
    assert set(found) == set(schemas["Parse"]["properties"])
    assert set(found["sentences"][0]) == set(schemas["Sentence"]["required"])
    assert set(found["sentences"][0]["words"][0]) == set(schemas["Word"]["properties"])
    assert set(client.get("/api/models").json()[0]) == set(schemas["Model"]["properties"])
    assert set(client.get("/health").json()) == set(schemas["Health"]["properties"])


def test_pages_and_the_explorer_are_there(client: TestClient) -> None:
    for path in ("/", "/explore"):
        answer = client.get(path)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'self'" in answer.headers["content-security-policy"]
    asked = {"sentence": conllu(1), "model": "bare"}
    assert client.post("/api/explore", json=asked).json()["has_model"]
    unknown = client.post("/api/explore", json=asked | {"model": "x"})
    assert unknown.status_code == 400
    assert "no model 'x'" in unknown.json()["error"]


def test_health(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok", "models": ["en-whole-251115", "bare"]}


def test_metrics_count_requests_errors_and_words() -> None:
    with TestClient(make_app(models())) as client:
        client.post("/api/parse", json={"conllu": conllu()})
        client.post("/api/parse", content=b"{")
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


def test_a_request_over_the_limit() -> None:
    with TestClient(make_app(models(), Limits(max_bytes=1000))) as client:
        said = client.post("/api/parse", json={"text": "x" * 1000})
        unsaid = client.post("/api/parse", content=iter([b"x" * 600] * 2))
    for answer in (said, unsaid):
        assert answer.status_code == 413
        assert "1,000 bytes" in answer.json()["error"]


def test_a_request_that_takes_too_long() -> None:
    with TestClient(make_app(models(), Limits(seconds=1e-9))) as client:
        ours = client.post("/api/parse", json={"conllu": conllu()})
        theirs = client.post("/process", data={"data": conllu(), "parser": ""})
    assert "took more than" in ours.json()["error"]
    assert "took more than" in theirs.text
    for answer in (ours, theirs):
        assert answer.status_code == 503
        assert answer.headers["retry-after"]


def test_more_requests_than_may_wait_are_sent_away() -> None:
    app = make_app(models(), Limits(waiting=1))
    app.state.service.workers._free = 0
    with TestClient(app) as client:
        answer = client.post("/api/parse", json={"conllu": conllu()})
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"
        assert client.get("/health").status_code == 200  # who asks how one is gets an answer
        app.state.service.workers._free = 1
        for _ in range(3):  # a place is given back, also by those that are refused
            assert client.post("/api/parse", json={"conllu": conllu()}).status_code == 200
            assert client.post("/api/parse", json={"conllu": "1\tOak\n"}).status_code == 400


def test_a_mistake_of_ours_is_told_without_its_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("secret")

    monkeypatch.setattr("dodona.server.routes.api.describe", fail)
    with TestClient(make_app(models()), raise_server_exceptions=False) as client:
        answer = client.post("/api/parse", json={"conllu": conllu()})
    assert answer.status_code == 500
    assert answer.json() == {"error": "an error inside the server"}


def test_headers_that_keep_browsers_careful(client: TestClient) -> None:
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


def test_the_log_has_a_line_a_request_and_not_what_it_says() -> None:
    lines: list[str] = []
    with TestClient(make_app(models(), log=lines.append)) as client:
        client.get("/process?data=secret&input=horizontal&parser")
        client.get("/no%0Aline")
        client.post("/api/parse.conllu?input=conllu", content=conllu(1))
    assert len(lines) == 3
    assert re.search(r" GET /process 200 1 words [\d.]+ ms$", lines[0])
    assert "secret" not in lines[0]
    assert "\n" not in lines[1]
    assert f" 200 {len(sentences(1)[0])} words " in lines[2]


def test_a_stream_of_conllu(client: TestClient) -> None:
    given = conllu(400).encode()
    chunks = [given[i : i + 1000] for i in range(0, len(given), 1000)]
    answer = client.post("/api/parse.conllu?input=conllu", content=iter(chunks))
    assert answer.status_code == 200
    expected = b"".join(map(bytes, whole_parser().pipe(sentences(400))))
    assert answer.content == expected


def test_a_stream_of_text(client: TestClient) -> None:
    given = "\n\n".join([text()] * 20)
    pieces = [given.encode()[i : i + 7] for i in range(0, len(given.encode()), 7)]
    answer = client.post("/api/parse.conllu", content=iter(pieces))
    words = columns(answer.text)
    assert [word[1] for word in words] == given.split()
    assert all(word[6].isdigit() for word in words)


@pytest.mark.parametrize(
    ("query", "body", "why"),
    [
        ("", b"An oak \xff\xff", "not in UTF-8"),
        ("?input=conllu", b"1\tOak\n\n", "line 1: expected 10"),
        ("?input=xml", b"", "input is one of text, conllu"),
        ("?model=x", b"", "there is no model 'x'"),
        ("?model=bare", b"", "cannot read raw text"),
    ],
)
def test_streams_that_are_refused(client: TestClient, query: str, body: bytes, why: str) -> None:
    answer = client.post(f"/api/parse.conllu{query}", content=body)
    assert answer.status_code == 400
    assert why in answer.json()["error"]


def test_only_so_many_streams_at_a_time() -> None:
    app = make_app(models(), Limits(streams=1))
    with TestClient(app) as client:
        with app.state.service.stream_place():
            answer = client.post("/api/parse.conllu?input=conllu", content=conllu().encode())
            assert answer.status_code == 503
            assert "streams are open" in answer.json()["error"]
        again = client.post("/api/parse.conllu?input=conllu", content=conllu().encode())
        assert again.status_code == 200


def test_without_a_name_the_english_model_is_served() -> None:
    found = load_models([])
    assert [model.name for model in found] == ["en"]
    with TestClient(make_app(found)) as client:
        asked = {"text": "Oaks speak. Do you hear them?", "output": "sentences"}
        sentences = client.post("/api/parse", json=asked).json()["sentences"]
    assert [sentence["text"] for sentence in sentences] == ["Oaks speak.", "Do you hear them?"]
