"""The REST interface of UDPipe's web service: /models and /process, for its clients.

As described in https://lindat.mff.cuni.cz/services/udpipe/api-reference.php: parameters are in the
query string or in a form, and errors are a line of text.
"""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dodona.server.answers.parse_answers import write_process
from dodona.server.answers.responses import Step, answer
from dodona.server.requests.bodies import read_body
from dodona.server.requests.forms import read_form, read_urlencoded
from dodona.server.requests.process_request import ProcessRequest
from dodona.server.service import budget_of, service_of

PREFIXES = ("", "/services/udpipe/api")  # ours, and LINDAT's
METHODS = ["GET", "POST"]


async def list_models(request: Request) -> Response:
    """List the models with their components."""
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
        return write_process(ProcessRequest.read(fields, service.models), allowed)

    return await answer(request, begin, len(body))


udpipe_routes = [
    route
    for prefix in PREFIXES
    for route in (
        Route(f"{prefix}/models", list_models, methods=METHODS),
        Route(f"{prefix}/process", process, methods=METHODS),
    )
]
