"""Requests to every address of the server: an answer always, and never an error of ours."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

from starlette.applications import Starlette

import dodona
from dodona.server.app import make_app
from dodona.server.limits import Limits
from dodona.server.models import Model, Models
from fuzz import samples
from fuzz.json_mutation import deep, json_values
from fuzz.mutation import BLIND, change_lines, replace_word, words
from fuzz.target import Target, promise

FIELDS = [
    *("text", "conllu", "tokens", "input", "output", "model", "svg", "width", "sentence", "number"),
    *("system", "root", "loss", "static_oracle", "path", "oracle", "beam", "best_width"),
    *("data", "tokenizer", "tagger", "parser", "presegmented"),
]
FORMATS = ["conllu", "horizontal", "vertical", "plaintext", "matxin", "epe", "generic_tokenizer"]
PATHS = [
    *("/api/parse", "/api/parse.conllu", "/api/explore", "/api/explore/derivation", "/health"),
    *("/api/explore/beam", "/api/models", "/api/systems", "/process", "/models", "/metrics", "/"),
    *("/api/explore/table", "/api/explore/drawings", "/api/explore/why", "/api/explore/match"),
]
TYPES = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
HEADER = re.compile(rb"[\w-]+: [\t -~\x80-\xff]*")
CHUNK = 97  # bytes of a body that arrive together


@cache
def app() -> Starlette:
    """The server, with a model that can do everything and one that only parses."""
    models = Models(
        [Model("whole", samples.parser("pipeline")), Model("bare", samples.parser("swap"))]
    )
    return make_app(models, Limits(threads=1))


@cache
def loop() -> asyncio.AbstractEventLoop:
    """The one that all requests run in."""
    return asyncio.new_event_loop()


def run(data: bytes) -> object:
    """Send the request and read the answer."""
    scope, body = read_request(data)
    sent: list[dict[str, Any]] = []
    loop().run_until_complete(app()(scope, receiver(body), _keep(sent)))  # type: ignore[arg-type]
    promise(len(sent) > 0 and sent[0]["type"] == "http.response.start", "there is an answer")
    status = sent[0]["status"]
    answer = b"".join(message.get("body", b"") for message in sent[1:])
    promise(status < 500, f"the server has no errors: {status} {answer[:200]!r}")
    headers = dict(sent[0]["headers"])
    if headers.get(b"content-type", b"").startswith(b"application/json") and _is_whole(sent):
        _check_json(scope["path"], status, json.loads(answer))
    return scope["path"][:40], scope["method"][:8], status, answer[:24] if status >= 400 else b""


def read_request(data: bytes) -> tuple[dict[str, Any], bytes]:
    """A request as it stands on the wire; what our parser would not let through is left out."""
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, target = first.decode("latin-1").partition(" ")
    path, _, query = quote(target.encode("latin-1"), safe=PRINTABLE).partition("?")
    headers = [line.partition(b": ") for line in lines if HEADER.fullmatch(line)]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1"), *((a.lower(), b) for a, _, b in headers)],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    return scope, body


def receiver(body: bytes) -> Callable[[], Awaitable[dict[str, Any]]]:
    """The body, in pieces; then the client waits."""
    pieces = [body[i : i + CHUNK] for i in range(0, len(body), CHUNK)] or [b""]
    waiting = [
        {"type": "http.request", "body": piece, "more_body": i + 1 < len(pieces)}
        for i, piece in enumerate(pieces)
    ]

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Future()
        return waiting.pop(0)

    return receive


def _keep(sent: list[dict[str, Any]]) -> Callable[[dict[str, Any]], Awaitable[None]]:
    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    return send


def _is_whole(sent: list[dict[str, Any]]) -> bool:
    return not sent[-1].get("more_body", False)


def _check_json(path: str, status: int, answer: Any) -> None:
    if status >= 400:
        promise(isinstance(answer.get("error"), str) and answer["error"] != "", "it says why")
    elif path == "/api/parse" and answer.get("conllu"):
        dodona.Doc.from_conllu(answer["conllu"], trees="required")


def _body(data: bytes) -> tuple[bytes, bytes]:
    head, blank, body = data.partition(b"\n\n")
    return head + blank, body


TARGET = Target(
    run=run,
    refuses=(),
    mutators=[
        *BLIND,
        change_lines,
        *[json_values(*FIELDS, *FORMATS, *dodona.systems(), part=_body)] * 8,
        deep(_body),
        words(*FIELDS, *FORMATS, *PATHS, *TYPES, "&", "=", "%", "+"),
        *[replace_word(b'&=" \n')] * 3,
    ],
    longest=8000,
)
