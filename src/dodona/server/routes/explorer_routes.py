"""The explorer over HTTP; the server keeps no state between requests.

GET  /api/systems             every transition system with its options
POST /api/explore             the state at the end of a path
POST /api/explore/derivation  the actions of an oracle or of the model
POST /api/explore/beam        the hypotheses of beam search
POST /api/explore/why         what an action costs, and why
POST /api/explore/tree        a gold tree that is being edited
POST /api/explore/slide       a state, or all states on the path, for slides
POST /api/explore/match       the matches of a pattern (here, since it may take long)
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dodona.server.answers.explorer_answers import SHOWN, describe_systems
from dodona.server.answers.scheduling import answer_by_explorer
from dodona.server.requests.bodies import JSON, read_body
from dodona.server.requests.explorer_request import MAX_BYTES


async def list_systems(request: Request) -> Response:
    """List the transition systems."""
    return JSONResponse(describe_systems())


async def explore(request: Request) -> Response:
    """Answer one of the explorer's requests."""
    body = await read_body(request, JSON, max_bytes=MAX_BYTES)
    return await answer_by_explorer(request, request.url.path, body)


explore_routes = [
    Route("/api/systems", list_systems),
    *(Route(path, explore, methods=["POST"]) for path in SHOWN),
]
