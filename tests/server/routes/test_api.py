"""The JSON interface: requests and answers, which agree with the OpenAPI description."""

from __future__ import annotations

import html
import json
import re
from dataclasses import fields
from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona import Doc, Sentence
from dodona.enhancing.training import train_enhancer
from dodona.server.app import make_app
from dodona.server.errors import Refused
from dodona.server.limits import Limits
from dodona.server.models import Model, Models
from dodona.server.requests import explorer_request, parse_request
from dodona.server.requests.explorer_request import ExploreRequest
from dodona.server.routes.api import DESCRIPTION, api_routes, explore_routes, udpipe_routes
from dodona.server.routes.pages import page_routes
from dodona.treebank.graphs.enhanced import enhanced_graph
from support import small
from support.server_lab import conllu, models, sentences, text, whole_parser


def test_models_with_their_systems(client: TestClient) -> None:
    assert client.get("/api/models").json() == [
        {
            "name": "en-whole-251115",
            "parts": ["tokenizer", "tagger", "parser"],
            "system": "arc-eager",
            "constraints": "none",
            "language": "en",
        },
        {
            "name": "bare",
            "parts": ["parser"],
            "system": "arc-eager",
            "constraints": "none",
            "language": None,
        },
    ]


def test_trees_obey_constraints_if_asked(client: TestClient) -> None:
    for constraints in ("none", "ud"):
        asked = {"conllu": conllu(), "constraints": constraints}
        found = client.post("/api/parse", json=asked).json()
        expected = [*whole_parser().pipe(sentences(), constraints=constraints)]
        assert found["conllu"] == "".join(map(Sentence.to_conllu, expected))
    answer = client.post("/api/parse", json={"conllu": conllu(), "constraints": "sud"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "constraints must be one of none, ud, not 'sud'"


def test_text_becomes_sentences_with_words(client: TestClient) -> None:
    found = client.post("/api/parse", json={"text": text()}).json()
    assert found["model"] == "en-whole-251115"
    assert " ".join(sentence["text"] for sentence in found["sentences"]) == text()
    words = [word for sentence in found["sentences"] for word in sentence["words"]]
    assert Doc.from_dict(found) == Doc.from_conllu(found["conllu"])
    assert all(isinstance(word["head"], int) for word in words)


GIVEN = "1\tOaks\t_\t_\t_\t_\t{}\t_\t_\t_\n2\tspeak\t_\t_\t_\t_\t{}\t_\t_\t_\n\n"


@pytest.mark.parametrize("path", ["/api/parse", "/process", "/api/parse.conllu"])
def test_words_without_tags_are_refused_by_a_model_of_gold_tags(
    client: TestClient, path: str
) -> None:
    bare = GIVEN.format("_", "_")
    said = "line 1: no UPOS or XPOS, but the model was trained on gold tags"
    if path == "/api/parse":
        found = client.post(path, json={"conllu": bare, "model": "bare"})
    elif path == "/process":
        found = client.post(path, data={"data": bare, "parser": "", "model": "bare"})
    else:
        found = client.post(f"{path}?model=bare&input=conllu", content=bare)
    assert found.status_code == 400 and said in found.text


@pytest.mark.parametrize("head", [0, 2])
def test_heads_are_kept_if_asked(client: TestClient, head: int) -> None:
    found = client.post(
        "/api/parse", json={"conllu": GIVEN.format(head, "_"), "given": True}
    ).json()
    assert heads(found)[0][0] == head


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"conllu": GIVEN.format(1, "_")}, "line 1: word 1 is its own head"),
        ({"conllu": GIVEN.format(7, "_")}, "line 1: "),
        ({"conllu": GIVEN.format(0, 0)}, "are both given under the root"),
        ({"conllu": GIVEN.format(0, "_") * 2 + GIVEN.format(2, 1)}, "cycle"),
        ({"text": "Oaks speak."}, "given keeps what CoNLL-U has"),
        ({"conllu": GIVEN.format(0, "_"), "confidence": True}, "and not confidence"),
    ],
)
def test_heads_that_cannot_be_kept_are_refused(
    client: TestClient, asked: dict[str, Any], said: str
) -> None:
    response = client.post("/api/parse", json=asked | {"given": True})
    assert response.status_code == 400
    assert said in response.json()["error"]


def test_words_say_how_sure_the_model_is_if_asked(client: TestClient) -> None:
    found = client.post("/api/parse", json={"text": text(), "confidence": True}).json()
    plain = client.post("/api/parse", json={"text": text()}).json()
    words = [word for sentence in found["sentences"] for word in sentence["words"]]
    assert all(0 <= word["confidence"] <= 1 and word["upos_confidence"] <= 1 for word in words)
    assert heads(found) == heads(plain) and "Confidence=" in found["conllu"]
    assert "confidence" not in plain["sentences"][0]["words"][0]
    assert client.post("/api/parse", json={"text": "Oaks", "confidence": 1}).status_code == 400


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
    """Return the heads of the sentences in an answer."""
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
    assert "a sentence has 20,001 words" in refused.json()["error"]


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
        (b"{", "invalid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"width": ' + b"9" * 5000 + b"}", "a number has more than 100 digits"),
        (b"[]", "expected a JSON object"),
        (b'"\xff"', "not in UTF-8"),
        (b"{}", "send one of text, conllu, tokens; found none"),
        (b'{"text": "a", "conllu": "b"}', "found text and conllu"),
        (b'{"text": 3}', "text must be a string, not 3"),
        (b'{"text": "a", "modell": "b"}', "unknown field 'modell'; known are: text"),
        (b'{"text": "a", "model": 3}', "model must be a string, not 3"),
        (b'{"text": "a", "model": "x"}', "no model 'x'"),
        (b'{"text": "a", "model": "bare"}', "cannot read raw text"),
        (
            b'{"text": "a", "output": "xml"}',
            "output must be one of all, conllu, sentences, not 'xml'",
        ),
        (b'{"text": "a", "svg": 1}', "svg must be true or false"),
        (b'{"text": "a", "width": -1}', "width must be a number of pixels"),
        (b'{"text": "\\ud800"}', "lone surrogate"),
        (b'{"tokens": [[]]}', "tokens must be lists of non-empty words"),
        (b'{"tokens": [["a", 3]]}', "tokens must be lists of non-empty words"),
        (b'{"tokens": [["a\\nb"]]}', "a\\nb"),
        (b'{"conllu": "1\\tOak\\n"}', "line 1: expected 10 tab-separated columns, found 2"),
    ],
)
def test_errors_are_reported_in_json(client: TestClient, body: bytes, why: str) -> None:
    answer = client.post("/api/parse", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}
    assert why in answer.json()["error"]


def test_every_route_is_described_and_nothing_else() -> None:
    routes = {
        (route.path, method.lower())
        for route in (*api_routes, *explore_routes, *udpipe_routes, *page_routes)
        if not route.path.startswith("/static/")
        for method in (route.methods or set()) - {"HEAD"}
    }
    described = {
        (path, method) for path, methods in DESCRIPTION["paths"].items() for method in methods
    }
    assert routes == described


def test_what_is_described_is_what_is_checked() -> None:
    """The fields of requests are read by the descriptions themselves."""
    schemas = DESCRIPTION["components"]["schemas"]
    explored = {field.name for field in fields(ExploreRequest)} - {"limits"}
    assert set(schemas["ExploreRequest"]["properties"]) == explored
    for name, field in (*parse_request.FIELDS.items(), *explorer_request.FIELDS.items()):
        assert field.about.endswith("."), name
        if "enum" in field.schema:
            for value in field.schema["enum"]:
                assert field.check(name, value) == value
            with pytest.raises(Refused, match=f"{name} must be one of"):
                field.check(name, "xml")
        if field.schema.get("type") == "boolean":
            with pytest.raises(Refused, match=f"{name} must be true or false"):
                field.check(name, 1)
        if "maximum" in field.schema:
            highest = field.schema["maximum"]
            assert field.check(name, highest) == highest
            with pytest.raises(Refused, match=f"{name} must be"):
                field.check(name, highest + 1)


def test_the_interface_is_shown_to_people(client: TestClient) -> None:
    page = client.get("/api")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for path, methods in DESCRIPTION["paths"].items():
        for method in methods:
            assert f">{method.upper()} {path}</h2>" in page.text
    for name, field in parse_request.FIELDS.items():
        assert f"<code>{name}</code>" in page.text
        assert html.escape(field.about) in page.text
    assert not re.search(r"<script|https?://", page.text)


def test_the_description_refers_only_to_what_it_has(client: TestClient) -> None:
    found = client.get("/api/openapi.json").text
    named = set(re.findall(r"#/components/schemas/(\w+)", found))
    assert named == set(json.loads(found)["components"]["schemas"])


def test_answers_are_as_described(client: TestClient) -> None:
    schemas = DESCRIPTION["components"]["schemas"]
    found = client.post("/api/parse", json={"text": text(2)}).json()
    assert set(found) == set(schemas["Parse"]["properties"])
    assert set(found["sentences"][0]) == set(schemas["Sentence"]["required"])
    assert set(found["sentences"][0]["words"][0]) == set(schemas["Word"]["required"])
    sure = client.post("/api/parse", json={"text": text(2), "confidence": True}).json()
    assert set(sure["sentences"][0]["words"][0]) == set(schemas["Word"]["properties"])
    assert set(client.get("/api/models").json()[0]) == set(schemas["Model"]["properties"])
    assert set(client.get("/health").json()) == set(schemas["Health"]["properties"])


def test_an_enhanced_graph_is_drawn_where_there_is_one(client: TestClient) -> None:
    deps = "1 Oaks _ X _ _ 2 nsubj 2:nsubj _\n2 speak _ X _ _ 0 root 0:root _\n\n".replace(
        " ", "\t"
    )
    found = client.post("/api/parse", json={"conllu": deps, "graph": True, "model": "bare"}).json()
    assert found["sentences"][0]["graph_svg"].count('class="arc"') == 2
    plain = client.post("/api/parse", json={"tokens": [["Oaks"]], "graph": True}).json()
    assert plain["sentences"][0]["graph_svg"] is None
    asked = {"conllu": deps, "graph": True, "svg": False, "model": "bare"}
    [undrawn] = client.post("/api/parse", json=asked).json()["sentences"]
    assert "graph_svg" not in undrawn and "svg" not in undrawn  # drawings are fetched later


def test_graphs_are_made_by_a_model_that_can() -> None:
    enhancer = train_enhancer([small.enhanced(sentence) for sentence in small.treebank(60, 1)])
    able = small.parser().with_enhancer(enhancer)
    asked = {"tokens": [sentence.forms for sentence in small.treebank(3, 2)]}
    with TestClient(make_app(Models([Model("able", able)]))) as client:
        plain = client.post("/api/parse", json=asked).json()["sentences"]
        found = client.post("/api/parse", json=asked | {"graph": True}).json()["sentences"]
    assert {word["deps"] for sentence in plain for word in sentence["words"]} == {"_"}
    for sentence, words in zip(found, asked["tokens"], strict=True):
        made = able.parse(Sentence.from_columns(words), graph=True)
        assert [word["deps"] for word in sentence["words"]] == made.deps
        assert sentence["graph_svg"].count('class="arc"') == len(enhanced_graph(made))


def test_a_graph_beyond_the_limit_of_arcs_is_not_drawn() -> None:
    rows = (f"{i}\toak\t_\tX\t_\t_\t0\troot\t0:root|{i % 3 + 1}:x\t_\n" for i in (1, 2, 3))
    asked = {"conllu": "".join(rows) + "\n", "graph": True, "model": "bare"}
    for explore_arcs, is_drawn in ((6, True), (5, False)):
        with TestClient(make_app(models(), Limits(explore_arcs=explore_arcs))) as client:
            [sentence] = client.post("/api/parse", json=asked).json()["sentences"]
        assert (sentence["graph_svg"] is not None) == is_drawn
