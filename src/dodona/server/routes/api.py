"""The JSON interface: parse, list models, say how one is."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dodona.server.answers.openapi import DESCRIPTION
from dodona.server.answers.parse import write_parse
from dodona.server.answers.streaming import Streamed
from dodona.server.answers.turns import Step, answer
from dodona.server.metrics import MEDIA_TYPE
from dodona.server.requests.arriving import INPUTS
from dodona.server.requests.bodies import JSON, read_body
from dodona.server.requests.fields import check_choice
from dodona.server.requests.parse import ParseRequest
from dodona.server.service import allowance_of, service_of

STREAM = "/api/parse.conllu"


async def parse(request: Request) -> Response:
    """Sentences with their trees."""
    service = service_of(request)
    allowed = allowance_of(request)
    body = await read_body(request, JSON)

    def begin() -> Iterator[Step]:
        return write_parse(ParseRequest.read(body, service.models, allowed.limits), allowed)

    return await answer(request, begin, len(body))


async def stream(request: Request) -> Response:
    """The same in CoNLL-U, while the request is still being sent."""
    service = service_of(request)
    input_ = check_choice("input", request.query_params.get("input"), INPUTS)
    return Streamed(service, service.models.find(request.query_params.get("model")), input_)


async def list_models(request: Request) -> Response:
    """Every model with its parts and its transition system; the first is the default."""
    return JSONResponse(
        [
            {
                "name": model.name,
                "parts": model.parts,
                "system": model.parser.settings.system,
                "language": model.language,
            }
            for model in service_of(request).models
        ]
    )


async def tell_health(request: Request) -> Response:
    """That the server is there, and with which models."""
    return JSONResponse(
        {"status": "ok", "models": [model.name for model in service_of(request).models]}
    )


async def tell_metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    return PlainTextResponse(service_of(request).metrics.text(), media_type=MEDIA_TYPE)


async def describe(request: Request) -> Response:
    """This interface, described."""
    return JSONResponse(DESCRIPTION)


api_routes = [
    Route("/api/models", list_models),
    Route("/api/parse", parse, methods=["POST"]),
    Route(STREAM, stream, methods=["POST"]),
    Route("/api/openapi.json", describe),
    Route("/health", tell_health),
    Route("/metrics", tell_metrics),
]
