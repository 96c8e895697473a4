"""The REST interface of UDPipe's web service: /models and /process, for its clients.

As https://lindat.mff.cuni.cz/services/udpipe/api-reference.php describes it: parameters in the
address or in a form, errors as a line of text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dodona.server.answers.formats import AROUND, FORMATS, trimmed
from dodona.server.answers.turns import Step, answer
from dodona.server.errors import bad, in_text
from dodona.server.models import Model
from dodona.server.requests import words
from dodona.server.requests.bodies import read_body
from dodona.server.requests.forms import read_form, read_urlencoded
from dodona.server.requests.sentences import annotate, from_conllu, from_text, slices
from dodona.server.service import Service, service_of
from dodona.treebank.sentence import Sentence

PREFIXES = ("", "/services/udpipe/api")  # ours, and where it is on LINDAT
INPUTS = ("conllu", "horizontal", "vertical", "generic_tokenizer")
SMALL = 1 << 16  # bytes of a form that are read at once; more are read by a worker


@dataclass(frozen=True)
class Task:
    """What a request to /process asks for."""

    model: Model
    data: str
    input: str
    output: str
    tag: bool
    parse: bool
    options: frozenset[str] = frozenset()  # of the tokenizer


async def list_models(request: Request) -> Response:
    """Every model with its parts."""
    models = service_of(request).models
    return JSONResponse(
        {
            "models": {model.name: model.parts for model in models},
            "default_model": models.default.name,
        }
    )


async def process(request: Request) -> Response:
    """Tokenize, tag, parse, as asked."""
    service = service_of(request)
    fields = read_urlencoded(request.scope["query_string"])
    if request.method == "POST":
        body = await read_body(request, service.limits)
        kind = request.headers.get("content-type", "")
        if len(body) <= SMALL:
            fields |= read_form(kind, body)
        else:
            fields |= await service.workers.call(lambda: read_form(kind, body))
    return await answer(request, respond(read_task(fields, service)))


def read_task(fields: Mapping[str, str], service: Service) -> Task:
    """The task that a form describes, or what is wrong with it."""
    if "data" not in fields:
        raise bad("The parameter 'data' is required.")
    model = service.model(fields.get("model"))
    input_, _, options = fields.get("input", "conllu").partition("=")
    if "tokenizer" in fields:
        input_, options = "generic_tokenizer", fields["tokenizer"]
    if input_ not in INPUTS:
        raise bad(f"Unknown input format '{input_}'; there are: {', '.join(INPUTS)}.")
    output, _, how = fields.get("output", "conllu").partition("=")
    if output == "plaintext" and how == "normalized_spaces":
        output = "plaintext_normalized"
    if output not in FORMATS:
        raise bad(f"Unknown output format '{output}'; there are: {', '.join(FORMATS)}.")
    task = Task(
        model,
        fields["data"],
        input_,
        output,
        tag=fields.get("tagger", "none") != "none",
        parse=fields.get("parser", "none") != "none",
        options=frozenset(options.split(";")),
    )
    needed = {"tokenizer": input_ == "generic_tokenizer", "tagger": task.tag}
    for part, is_needed in needed.items():
        if is_needed and part not in model.parts:
            raise bad(f"The required model '{model.name}' does not contain a {part}!")
    return task


def respond(task: Task) -> Iterator[Step]:
    """The answer, piece by piece."""
    batches: Iterable[list[Sentence]] = slices(read_sentences(task))
    if task.input != "generic_tokenizer":  # all is read first: a mistake is told, not streamed
        read = []
        for batch in batches:
            read.append(batch)
            yield b"", 0
        batches = read
    about = {"model": task.model.name, "acknowledgements": [], "result": ""}
    yield json.dumps(about, indent=1).removesuffix('"\n}').encode(), 0
    before, after = AROUND.get(task.output, ("", ""))
    if task.output == "conllu" and task.data.strip():
        before = f"# generator = {generator()}\n# udpipe_model = {task.model.name}\n"
    yield _inside(before), 0
    for batch in batches:
        done = annotate(task.model, batch, tag=task.tag, parse=task.parse)
        yield _inside(write(task, done)), sum(map(len, done))
    yield _inside(after) + b'"\n}\n', 0


@cache
def generator() -> str:
    """Who made the annotation."""
    return f"Dodona {version('dodona')}"


def read_sentences(task: Task) -> Iterator[Sentence]:
    """The sentences of the data."""
    if task.input == "horizontal":
        return words.horizontal(task.data)
    if task.input == "vertical":
        return words.vertical(task.data)
    if task.input == "conllu":
        return from_conllu(task.data.encode())
    return from_text(task.model, task.data, lines="presegmented" in task.options)


def write(task: Task, sentences: Iterable[Sentence]) -> str:
    """The sentences in the format that was asked for."""
    if task.output != "conllu" or task.input != "generic_tokenizer":
        return "".join(map(FORMATS[task.output], sentences))
    ranges, spaces = "ranges" in task.options, "normalized_spaces" not in task.options
    if ranges and spaces:
        return "".join(map(Sentence.to_conllu, sentences))
    raw = (trimmed(bytes(sentence), ranges=ranges, spaces=spaces) for sentence in sentences)
    return b"".join(raw).decode()


def _inside(text: str) -> bytes:
    """The text as it stands between the quotes of a string in JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()


udpipe_routes = [
    route
    for prefix in PREFIXES
    for route in (
        Route(f"{prefix}/models", in_text(list_models), methods=["GET", "POST"]),
        Route(f"{prefix}/process", in_text(process), methods=["GET", "POST"]),
    )
]
