"""The explorer over HTTP: stateless, everything in the request.

    GET  /api/systems             every transition system with its options
    POST /api/explore             the state at the end of a path
    POST /api/explore/derivation  the actions of an oracle or of the model
    POST /api/explore/beam        the hypotheses of beam search

Models are those of the application: where it has `app.state.find_parser`, a function from a name to
a Parser that raises KeyError for one it does not have.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dodona.server.answers.explore import (
    describe_systems,
    show_beam,
    show_derivation,
    show_state,
)
from dodona.server.requests.explore import ExploreRequest, FindParser, RequestError

MOST_BYTES = 1 << 18  # of a request

Answer = Callable[[ExploreRequest, "FindParser | None"], dict[str, Any]]


class TooLargeError(RequestError):
    """More than anyone types."""


async def systems(request: Request) -> Response:
    """Every transition system."""
    return JSONResponse(describe_systems())


def endpoint(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """Read the request, answer it in a thread, and tell what was wrong with it."""

    async def respond(request: Request) -> Response:
        try:
            asked = ExploreRequest.read(await read_json(request))
            find_parser = getattr(request.app.state, "find_parser", None)
            return JSONResponse(await run_in_threadpool(answer, asked, find_parser))
        except TooLargeError as error:
            return JSONResponse({"error": str(error)}, status_code=413)
        except ValueError as error:  # ours: each is written for the person who reads it
            return JSONResponse({"error": str(error)}, status_code=400)

    return respond


async def read_json(request: Request) -> Any:
    """The body of a request, unless it is too large or no JSON."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise TooLargeError(f"a request of more than {MOST_BYTES:,} bytes; send one sentence")
    try:
        return json.loads(body)
    except ValueError as error:
        raise RequestError(f"this is no JSON: {error}") from error


explore_routes = [
    Route("/api/systems", systems),
    Route("/api/explore", endpoint(show_state), methods=["POST"]),
    Route("/api/explore/derivation", endpoint(show_derivation), methods=["POST"]),
    Route("/api/explore/beam", endpoint(show_beam), methods=["POST"]),
]
