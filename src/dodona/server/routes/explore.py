"""The explorer over HTTP: stateless, everything in the request.

GET  /api/systems             every transition system with its options
POST /api/explore             the state at the end of a path
POST /api/explore/derivation  the actions of an oracle or of the model
POST /api/explore/beam        the hypotheses of beam search
POST /api/explore/why         what an action costs, and why
POST /api/explore/tree        a gold tree that is being drawn
POST /api/explore/slide       a state, or all on the way to it, for slides
POST /api/explore/match       what fits a pattern, which may take long: that is why it is here
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dodona.server.answers.explore import SHOWN, describe_systems
from dodona.server.answers.turns import answer_by_helper
from dodona.server.requests.bodies import JSON, read_body
from dodona.server.requests.explore import MOST_BYTES


async def list_systems(request: Request) -> Response:
    """Every transition system."""
    return JSONResponse(describe_systems())


async def explore(request: Request) -> Response:
    """One of the things that the explorer shows."""
    body = await read_body(request, JSON, most=MOST_BYTES)
    return await answer_by_helper(request, request.url.path, body)


explore_routes = [
    Route("/api/systems", list_systems),
    *(Route(path, explore, methods=["POST"]) for path in SHOWN),
]
