"""The JSON interface (parsing, models, explorer, health, metrics), and UDPipe's REST interface.

The latter is described in https://lindat.mff.cuni.cz/services/udpipe/api-reference.php: parameters
are in the query string or in a form, and errors are a line of text.
"""

from __future__ import annotations

from collections.abc import Iterator

from anyio import move_on_after
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dodona.server.answers.conllu_stream import ConlluStream
from dodona.server.answers.explorer_answers import SHOWN, describe_systems
from dodona.server.answers.openapi import describe
from dodona.server.answers.parse_answers import write_parse, write_process
from dodona.server.answers.responses import Step, answer, answer_by_explorer
from dodona.server.metrics import MEDIA_TYPE
from dodona.server.requests.bodies import INPUTS, JSON, check_coding, read_body
from dodona.server.requests.explorer_request import MAX_BYTES
from dodona.server.requests.forms import read_form, read_urlencoded
from dodona.server.requests.json_fields import check_choice
from dodona.server.requests.parse_request import ParseRequest
from dodona.server.requests.process_request import ProcessRequest
from dodona.server.service import budget_of, service_of

STREAM = "/api/parse.conllu"
PREFIXES = ("", "/services/udpipe/api")  # ours, and LINDAT's
DESCRIPTION = describe(SHOWN, PREFIXES)
METHODS = ["GET", "POST"]
READY_SECONDS = 2.0  # in which a thread must be free


async def parse(request: Request) -> Response:
    service = service_of(request)
    allowed = budget_of(request)
    body = await read_body(request, JSON)

    def begin() -> Iterator[Step]:
        asked = ParseRequest.read(body, service.models, allowed)
        request.scope["state"]["model"] = asked.model.name
        return write_parse(asked, allowed)

    return await answer(request, begin, len(body))


async def stream(request: Request) -> Response:
    """Parse a stream to CoNLL-U while the request still arrives."""
    service = service_of(request)
    input_ = check_choice("input", request.query_params.get("input"), INPUTS)
    model = service.models.find(request.query_params.get("model"))
    request.scope["state"]["model"] = model.name
    check_coding(request.headers.get("content-encoding"))
    return ConlluStream(service, model, input_)


async def list_models(request: Request) -> Response:
    """List the models with their components and transition systems; the first is the default."""
    return JSONResponse(
        [
            {
                "name": model.name,
                "parts": model.parts,
                "system": model.parser.settings.system,
                "constraints": model.parser.settings.constraints,
                "language": model.language,
            }
            for model in service_of(request).models
        ]
    )


async def list_systems(request: Request) -> Response:
    return JSONResponse(describe_systems())


async def explore(request: Request) -> Response:
    """Answer a request of the explorer's page; the server keeps no state between requests."""
    body = await read_body(request, JSON, max_bytes=MAX_BYTES)
    return await answer_by_explorer(request, request.url.path, body)


async def show_health(request: Request) -> Response:
    """Report that the server is running, and its models."""
    return JSONResponse(
        {"status": "ok", "models": [model.name for model in service_of(request).models]}
    )


async def show_readiness(request: Request) -> Response:
    """Report whether the server takes new requests: it is not ending, and its threads get on."""
    service = service_of(request)
    why = "the server is ending"
    if not service.is_ending:
        why = f"requests wait for more than {READY_SECONDS:g} seconds"
        with move_on_after(READY_SECONDS):
            await service.workers.turn(iter(()))
            return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "not ready", "error": why}, 503)


async def show_metrics(request: Request) -> Response:
    service = service_of(request)
    service.before_metrics()
    return PlainTextResponse(service.all_metrics().text(), media_type=MEDIA_TYPE)


async def show_description(request: Request) -> Response:
    return JSONResponse(DESCRIPTION)


api_routes = [
    Route("/api/models", list_models),
    Route("/api/parse", parse, methods=["POST"]),
    Route(STREAM, stream, methods=["POST"]),
    Route("/api/openapi.json", show_description),
    Route("/health", show_health),
    Route("/ready", show_readiness),
    Route("/metrics", show_metrics),
]
explore_routes = [
    Route("/api/systems", list_systems),
    *(Route(path, explore, methods=["POST"]) for path in SHOWN),
]


async def list_udpipe_models(request: Request) -> Response:
    models = service_of(request).models
    return JSONResponse(
        {
            "models": {model.name: model.parts for model in models},
            "default_model": models.default.name,
        }
    )


async def process(request: Request) -> Response:
    """Tokenize, tag and parse, as requested."""
    service, allowed = service_of(request), budget_of(request)
    has_body = request.method == "POST"
    body = await read_body(request) if has_body else bytearray()

    def begin() -> Iterator[Step]:
        fields = read_urlencoded(request.scope["query_string"])
        if has_body:
            fields |= read_form(request.headers.get("content-type", ""), body)
        asked = ProcessRequest.read(fields, service.models)
        request.scope["state"]["model"] = asked.model.name
        return write_process(asked, allowed)

    return await answer(request, begin, len(body))


udpipe_routes = [
    route
    for prefix in PREFIXES
    for route in (
        Route(f"{prefix}/models", list_udpipe_models, methods=METHODS),
        Route(f"{prefix}/process", process, methods=METHODS),
    )
]
