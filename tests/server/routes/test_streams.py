"""Streams are parsed while they arrive, and their number is limited."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona.server.app import make_app
from dodona.server.limits import Limits
from support.server_lab import columns, conllu, models, sentences, text, whole_parser


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
        ("?input=xml", b"", "input must be one of text, conllu"),
        ("?model=x", b"", "no model 'x'"),
        ("?model=bare", b"", "cannot read raw text"),
    ],
)
def test_streams_that_are_refused(client: TestClient, query: str, body: bytes, why: str) -> None:
    answer = client.post(f"/api/parse.conllu{query}", content=body)
    assert answer.status_code == 400
    assert why in answer.json()["error"]


def test_the_number_of_streams_is_limited() -> None:
    app = make_app(models(), Limits(streams=1))
    with TestClient(app) as client:
        with app.state.service.streams.join():
            answer = client.post("/api/parse.conllu?input=conllu", content=conllu().encode())
            assert answer.status_code == 503
            assert "streams are open" in answer.json()["error"]
        again = client.post("/api/parse.conllu?input=conllu", content=conllu().encode())
        assert again.status_code == 200
