"""The explorer over HTTP: stateless, everything in the request.

GET  /api/systems             every transition system with its options
POST /api/explore             the state at the end of a path
POST /api/explore/derivation  the actions of an oracle or of the model
POST /api/explore/beam        the hypotheses of beam search
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dodona.server.answers.explore import (
    Show,
    describe_systems,
    show_beam,
    show_derivation,
    show_state,
    write_explored,
)
from dodona.server.answers.turns import answer
from dodona.server.requests.bodies import read_body
from dodona.server.requests.explore import ExploreRequest
from dodona.server.service import service_of


async def list_systems(request: Request) -> Response:
    """Every transition system."""
    return JSONResponse(describe_systems())


def make_endpoint(show: Show) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint for one of the things that the explorer shows."""

    async def respond(request: Request) -> Response:
        service = service_of(request)
        body = await read_body(request, service.limits)
        return await answer(
            request, lambda: write_explored(show, ExploreRequest.read(body, service.models))
        )

    return respond


explore_routes = [
    Route("/api/systems", list_systems),
    Route("/api/explore", make_endpoint(show_state), methods=["POST"]),
    Route("/api/explore/derivation", make_endpoint(show_derivation), methods=["POST"]),
    Route("/api/explore/beam", make_endpoint(show_beam), methods=["POST"]),
]
