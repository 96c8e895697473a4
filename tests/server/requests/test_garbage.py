"""Nothing that is sent breaks the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from hypothesis import example, given
from hypothesis import strategies as st
from starlette.testclient import TestClient

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
