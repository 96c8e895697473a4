"""Turns: nobody waits for a long request to end, and nothing that is sent breaks the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.server_lab import conllu, models, text

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona.server.app import make_app
from dodona.server.errors import Refused
from dodona.server.workers import Workers


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(models()), raise_server_exceptions=False) as client:
        yield client


def test_a_short_request_does_not_wait_for_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dodona.server.workers.TURN", 0.0)
    order: list[str] = []

    async def ask(workers: Workers, name: str, n_steps: int) -> None:
        async for _ in workers.turns(iter([name] * n_steps)):
            order.append(name)

    async def both() -> None:
        workers = Workers(threads=1, waiting=2)
        await asyncio.gather(ask(workers, "long", 100), ask(workers, "short", 1))
        workers.close()

    asyncio.run(both())
    assert order.count("long") >= 100
    assert order.index("short") <= 5


def test_a_place_is_given_back_whatever_happens() -> None:
    async def use(workers: Workers) -> None:
        for _ in range(3):
            with pytest.raises(KeyError):
                async with workers.place():
                    raise KeyError
        async with workers.place():
            with pytest.raises(Refused, match="too much to do"):
                async with workers.place():
                    pass

    asyncio.run(use(Workers(threads=1, waiting=1)))


KINDS = st.sampled_from(
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        'multipart/form-data; boundary="',
        "text/plain",
        "",
    ]
)
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
    answer = client.post("/api/parse", content=json.dumps(asked))
    assert answer.status_code in (200, 400)
    assert "model" in answer.json() or set(answer.json()) == {"error"}
