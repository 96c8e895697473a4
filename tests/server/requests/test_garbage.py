"""No request makes the server fail."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from hypothesis import example, given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from dodona import Sentence
from dodona.server.answers.udpipe_formats import write_matxin
from dodona.server.app import make_app
from support.server_lab import conllu, models, text


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(models()), raise_server_exceptions=False) as client:
        yield client


KINDS = st.sampled_from(
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        'multipart/form-data; boundary="',
        "text/plain",
        "",
    ]
)
JSON_BODY = {"Content-Type": "application/json"}
PART = b'--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n'


@given(kind=KINDS, body=st.binary(max_size=200))
@example(kind="multipart/form-data; boundary=x", body=PART + b"\r\n--x--")
@example(kind="multipart/form-data; boundary=x", body=PART)
@example(kind="multipart/form-data; boundary=" + "x" * 300, body=PART)
def test_no_form_breaks_the_server(client: TestClient, kind: str, body: bytes) -> None:
    answer = client.post("/process", content=body, headers={"Content-Type": kind})
    assert answer.status_code < 500


@given(
    data=st.text(max_size=100),
    more=st.fixed_dictionaries(
        {},
        optional={
            "input": st.sampled_from(["conllu", "horizontal", "vertical", "=", "conllu=v2"]),
            "tokenizer": st.sampled_from(["", "presegmented", "ranges;normalized_spaces", ";=;"]),
            "tagger": st.just(""),
            "parser": st.just(""),
            "output": st.sampled_from(["conllu", "horizontal", "vertical", "plaintext", "matxin"]),
            "model": st.sampled_from(["en", "bare", "-", "\0"]),
        },
    ),
)
@example(data="a\0b", more={"input": "horizontal"})
@example(data="\x1c\x85", more={"input": "vertical"})
@example(data="# a\ufeff", more={"input": "horizontal"})
def test_no_text_breaks_the_server(client: TestClient, data: str, more: dict[str, str]) -> None:
    try:
        answer = client.post("/process", data={"data": data, **more})
    except UnicodeEncodeError:  # the client itself cannot send half a character
        return
    assert answer.status_code in (200, 400)
    if answer.status_code == 200:
        assert set(answer.json()) == {"model", "acknowledgements", "result"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)
FIELDS = ("text", "conllu", "tokens", "model", "input", "output", "svg", "width")


@given(asked=st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3))
@example(asked={"tokens": [["a\tb"]]})
@example(asked={"tokens": [["\0"]]})
@example(asked={"tokens": [["\ud800"]]})
@example(asked={"text": text(1), "model": None, "svg": False, "width": None})
@example(asked={"conllu": conllu(1), "input": "text"})
def test_no_json_breaks_the_server(client: TestClient, asked: dict[str, Any]) -> None:
    answer = client.post("/api/parse", content=json.dumps(asked), headers=JSON_BODY)
    assert answer.status_code in (200, 400)
    assert "model" in answer.json() or set(answer.json()) == {"error"}


TEXTS = ("sentence", "system", "root", "loss", "static_oracle", "model", "oracle")
OTHERS = ("number", "path", "beam", "width", "best_width")


@given(
    endpoint=st.sampled_from(["", "/derivation", "/beam"]),
    asked=st.dictionaries(st.sampled_from((*TEXTS, *OTHERS)), JSON, max_size=3),
)
@example(endpoint="", asked={"sentence": "\ud800"})
@example(endpoint="", asked={"path": ["\ud800"]})
@example(endpoint="/beam", asked={"model": "bare", "beam": 2**70})
@example(endpoint="/derivation", asked={"path": ["SHIFT"] * 100_000, "oracle": "best"})
def test_nothing_explored_breaks_the_server(
    client: TestClient, endpoint: str, asked: dict[str, Any]
) -> None:
    body = json.dumps({"sentence": conllu(1)} | asked)
    answer = client.post(f"/api/explore{endpoint}", content=body, headers=JSON_BODY)
    assert answer.status_code in (200, 400)
    assert answer.status_code == 200 or set(answer.json()) == {"error"}


INTERNALS = re.compile(
    r"Traceback|Error\b|Exception|\bself\b|\bNone\b|sys\.|site-packages|\.py\b|dodona\.\w+\."
    r"|object at"
    r"|recursion|literal|codec|argument|index out|boundary character|starlette|uvicorn|pydantic"
)


def say(client: TestClient, path: str, body: bytes, kind: str = "application/json") -> str:
    answer = client.post(path, content=body, headers={"Content-Type": kind})
    assert 400 <= answer.status_code < 500
    return answer.text


FORM = "multipart/form-data; boundary=x"


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("/api/parse", b"{", "application/json"),
        ("/api/parse", b"[" * 100_000, "application/json"),
        ("/api/parse", b'{"a":' * 100_000, "application/json"),
        ("/api/parse", b'{"text": ' + b"9" * 5000 + b"}", "application/json"),
        ("/api/parse", b'{"text": NaN}', "application/json"),
        ("/api/parse", b'{"width": 1e999, "text": "a"}', "application/json"),
        ("/api/parse", b'"\xff"', "application/json"),
        ("/api/parse", b'{"text": null}', "application/json"),
        ("/api/parse", b'{"tokens": [[null]]}', "application/json"),
        ("/api/parse", b'{"text": "\\ud800"}', "application/json"),
        ("/api/explore", b'{"sentence": "oak ' + b"9" * 5000 + b' root"}', "application/json"),
        ("/api/explore", b'{"sentence": "a b", "path": ["\\u0000"]}', "application/json"),
        ("/api/explore", b'{"sentence": "a b", "system": "\\u0000"}', "application/json"),
        ("/api/explore", b'{"sentence": "a b", "root": "x", "loss": "y"}', "application/json"),
        ("/api/explore/beam", b'{"sentence": "a b"}', "application/json"),
        ("/process", b"--y\r\n\r\n", FORM),
        ("/process", b"--x\r\n\xff\xff: 1\r\n\r\n", FORM),
        ("/process", b"--x", FORM),
        ("/process", b"data=%ff", "application/x-www-form-urlencoded"),
        ("/process", b"&" * 200, "application/x-www-form-urlencoded"),
        ("/process", b"data=1\toak&input=conllu", "application/x-www-form-urlencoded"),
        ("/process", b"x", "text/x"),
    ],
)
def test_error_messages_reveal_no_internals(
    client: TestClient, path: str, body: bytes, kind: str
) -> None:
    assert not INTERNALS.search(said := say(client, path, body, kind)), said


def test_characters_that_xml_forbids_are_replaced(client: TestClient) -> None:
    from xml.dom import minidom

    data = {"data": "a\x01b\x0cc \ufffe", "input": "horizontal", "output": "matxin"}
    result = client.post("/process", data=data).json()["result"]
    nodes = minidom.parseString(result).getElementsByTagName("NODE")
    assert [node.getAttribute("form") for node in nodes] == ["a\ufffdb\ufffdc", "\ufffd"]
    asked = {"tokens": [["a\x01b", "\uffff"]], "svg": True}
    [sentence] = client.post("/api/parse", json=asked).json()["sentences"]
    assert minidom.parseString(sentence["svg"]).getElementsByTagName("text")


def test_the_indentation_of_a_long_chain_is_limited() -> None:
    chain = Sentence.from_columns(["a"] * 5000, heads=range(5000), deprels=["x"] * 5000)
    assert len(write_matxin(chain)) < 5000 * 250
