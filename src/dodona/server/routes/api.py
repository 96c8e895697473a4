"""The JSON interface: parse, list models, say how one is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dodona.server.answers.openapi import DESCRIPTION
from dodona.server.answers.streaming import stream
from dodona.server.answers.turns import Step, answer
from dodona.server.errors import bad, in_json
from dodona.server.metrics import MEDIA_TYPE
from dodona.server.models import Model
from dodona.server.requests import words
from dodona.server.requests.bodies import read_body
from dodona.server.requests.sentences import from_conllu, from_text, slices
from dodona.server.service import Service, service_of
from dodona.treebank.sentence import Sentence

INPUTS = ("text", "conllu", "tokens")
OUTPUTS = ("all", "conllu", "sentences")
FIELDS = (*INPUTS, "model", "input", "output", "svg", "width")
SMALL = 1 << 16  # bytes of JSON that are read at once; more are read by a worker
WIDEST_PICTURE = 10_000
MOST_DRAWN = 250  # words: to draw a sentence takes more than twice as long for twice the words


@dataclass(frozen=True)
class Task:
    """What a request to /api/parse asks for."""

    model: Model
    data: Any
    input: str
    output: str
    svg: bool
    width: float | None


async def parse(request: Request) -> Response:
    """Sentences with their trees."""
    service = service_of(request)
    body = await read_body(request, service.limits)
    if len(body) <= SMALL:
        fields = read_json(body)
    else:
        fields = await service.workers.call(lambda: read_json(body))
    return await answer(request, respond(read_task(fields, service)))


def read_json(body: bytes) -> dict[str, Any]:
    """The object in a body.

    >>> read_json(b"{")
    Traceback (most recent call last):
    dodona.server.errors.Refused: this is no JSON: Expecting ... line 1 column 2 (char 1)
    """
    try:
        found = json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise bad(f"the request is not in UTF-8: {error.reason} at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise bad(f"this is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise bad('expected a JSON object, as in {"text": "Oaks whisper."}')
    return found


def read_task(fields: dict[str, Any], service: Service) -> Task:
    """The task that a request describes, or what is wrong with it."""
    for name in fields:
        if name not in FIELDS:
            raise bad(f"no field {name!r}; there are: {', '.join(FIELDS)}")
    given = [name for name in INPUTS if fields.get(name) is not None]
    if len(given) != 1:
        raise bad(f"send one of {', '.join(INPUTS)}; found {' and '.join(given) or 'none'}")
    width = fields.get("width")
    is_number = isinstance(width, (int, float)) and not isinstance(width, bool)
    if width is not None and not (is_number and 0 < width <= WIDEST_PICTURE):
        raise bad(f"width is a number of pixels up to {WIDEST_PICTURE}, not {width!r}")
    if not isinstance(fields.get("svg", False), bool):
        raise bad(f"svg is true or false, not {fields['svg']!r}")
    if not isinstance(fields.get("model", ""), str | None):
        raise bad(f"model is a text, not {fields['model']!r}")
    return Task(
        service.model(fields.get("model")),
        fields[given[0]],
        _choice(fields, "input", INPUTS) if given == ["text"] else given[0],
        _choice(fields, "output", OUTPUTS),
        bool(fields.get("svg")),
        width,
    )


def _choice(fields: dict[str, Any], name: str, choices: tuple[str, ...]) -> str:
    found = fields.get(name) or choices[0]
    if found not in choices:
        raise bad(f"{name} is one of {', '.join(choices)}, not {found!r}")
    return str(found)


def respond(task: Task) -> Iterator[Step]:
    """The answer, piece by piece: the sentences, then all of them in CoNLL-U."""
    batches = []  # all is read first: a mistake is told, not streamed
    for batch in slices(read_sentences(task)):
        batches.append(batch)
        yield b"", 0
    yield b'{"model":' + _json(task.model.name), 0
    if task.output != "conllu":
        yield b',"sentences":[', 0
    kept: list[str] = []
    comma = b""
    for batch in batches:
        done = list(task.model.parser.pipe(batch))
        if task.output != "sentences":
            kept += map(Sentence.to_conllu, done)
        piece = b""
        if task.output != "conllu":
            piece = comma + b",".join(_json(describe(sentence, task)) for sentence in done)
            comma = b","
        yield piece, sum(map(len, done))
    if task.output != "conllu":
        yield b"]", 0
    if task.output != "sentences":
        yield b',"conllu":' + _json("".join(kept)), 0
    yield b"}\n", 0


def read_sentences(task: Task) -> Iterator[Sentence]:
    """The sentences of the data."""
    if task.input == "tokens" and not isinstance(task.data, str):
        return words.tokens(task.data)
    if not isinstance(task.data, str):
        raise bad(f"{task.input} is a text, not {type(task.data).__name__}")
    try:
        data = task.data.encode()
    except UnicodeEncodeError as error:
        raise bad(f"half a character (a lone surrogate) at position {error.start}") from error
    if task.input == "tokens":
        return words.horizontal(task.data)
    return from_conllu(data) if task.input == "conllu" else from_text(task.model, task.data)


def describe(sentence: Sentence, task: Task) -> dict[str, Any]:
    """A sentence as it stands in the answer."""
    found = sentence.to_dict()
    if task.svg:
        is_short = len(sentence) <= MOST_DRAWN
        found["svg"] = sentence.to_svg(width=task.width, standalone=False) if is_short else None
    return found


async def list_models(request: Request) -> Response:
    """Every model with its parts and its transition system; the first is the default."""
    return JSONResponse(
        [
            {
                "name": model.name,
                "parts": model.parts,
                "system": model.parser.settings.system,
            }
            for model in service_of(request).models
        ]
    )


async def health(request: Request) -> Response:
    """That the server is there, and with which models."""
    return JSONResponse(
        {"status": "ok", "models": [model.name for model in service_of(request).models]}
    )


async def metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    return PlainTextResponse(service_of(request).metrics.text(), media_type=MEDIA_TYPE)


async def openapi(request: Request) -> Response:
    """This interface, described."""
    return JSONResponse(DESCRIPTION)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


api_routes = [
    Route("/api/models", list_models),
    Route("/api/parse", in_json(parse), methods=["POST"]),
    Route("/api/parse.conllu", in_json(stream), methods=["POST"]),
    Route("/api/openapi.json", openapi),
    Route("/health", health),
    Route("/metrics", metrics),
]
