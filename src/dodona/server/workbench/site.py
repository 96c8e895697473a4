"""The ASGI application of a workbench: its page, its addresses, and who may use them."""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import version
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dodona.server.answers.responses import encode
from dodona.server.app import answer_error
from dodona.server.compression import Compression
from dodona.server.errors import Refused
from dodona.server.log import no_log
from dodona.server.metrics import Metrics
from dodona.server.middleware import RequestLog
from dodona.server.origin_check import OriginCheck
from dodona.server.routes.pages import STATIC, serve
from dodona.server.workbench.endpoints import Endpoints, Stale
from dodona.server.workbench.token_cookie import TokenCookie

PAGE = "annotate.html"
FOLDER = files("dodona.server.workbench").joinpath("static")
OWN = {file.name: file.read_bytes() for file in FOLDER.iterdir()}
SHARED = ("shared.js", "style.css", "icon.svg")  # with the other pages


def make_site(served: Endpoints, token: str, hosts: Collection[str]) -> Starlette:
    """Return an ASGI application for the pages of one workbench."""
    page = OWN[PAGE].replace(b"VERSION", version("dodona").encode())
    static = {name: content for name, content in OWN.items() if name != PAGE}
    static |= {name: STATIC[name] for name in SHARED}
    working = served.routes()
    routes = [
        Route("/", serve(PAGE, page)),
        *(Route(f"/static/{name}", serve(name, content)) for name, content in static.items()),
        *working,
    ]
    paths = frozenset(route.path for route in routes)
    mine = frozenset(route.path for route in working)
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(RequestLog, metrics=Metrics(), paths=paths, log=no_log),
            Middleware(OriginCheck, hosts=frozenset(hosts), cors=frozenset(), working=mine),
            Middleware(TokenCookie, token=token),
            Middleware(Compression),
        ],
        exception_handlers={
            Stale: answer_stale,
            **dict.fromkeys((Refused, HTTPException, Exception), answer_error),
        },
    )


async def answer_stale(request: Request, error: Exception) -> Response:
    """Answer a change that came too late with the sentence as it is now."""
    view = error.view if isinstance(error, Stale) else None
    body = encode({"error": str(error), "view": view})
    return Response(body, 409, media_type="application/json")
