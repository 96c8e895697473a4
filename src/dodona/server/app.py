"""The application: all routes over one service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from dodona.server.errors import Refused, refuse
from dodona.server.gate import ANY, Gate
from dodona.server.limits import Limits
from dodona.server.middleware import Deadline, Hold, Log, Watch, to_nobody
from dodona.server.models import Models
from dodona.server.routes.api import STREAM, api_routes
from dodona.server.routes.explore import explore_routes
from dodona.server.routes.pages import page_routes
from dodona.server.routes.udpipe import udpipe_routes
from dodona.server.service import Service


def make_app(
    models: Models,
    limits: Limits | None = None,
    *,
    cors: Sequence[str] = (),
    hosts: Collection[str] = (ANY,),
    log: Log = to_nobody,
) -> Starlette:
    """An ASGI application that serves the models.

    `cors` names the origins of foreign pages that may ask, `hosts` the names that the server has;
    by default any, since only what runs the application knows better.
    """
    service = Service(models, limits or Limits())
    routes = [*udpipe_routes, *api_routes, *explore_routes, *page_routes]
    middleware = [
        Middleware(
            Watch,
            metrics=service.metrics,
            paths=frozenset(route.path for route in routes),
            log=log,
        ),
        Middleware(
            Gate,
            hosts=frozenset(hosts),
            cors=frozenset(cors),
            working={route.path for route in routes if "POST" in (route.methods or ())},
        ),
        Middleware(Hold, memory=service.memory, limits=service.limits),
        Middleware(Deadline, limits=service.limits, streams=frozenset({STREAM})),
    ]
    if cors:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=cors,
                allow_headers=["Content-Type"],
                allow_methods=["GET", "POST"],
            )
        )
    app = Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers={
            Refused: answer_refused,
            HTTPException: answer_unknown,
            Exception: answer_broken,
        },
        lifespan=lifespan,
    )
    app.state.service = service
    return app


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Until the server stops."""
    yield
    app.state.service.close()


async def answer_refused(request: Request, error: Exception) -> Response:
    """A request that we do not answer."""
    assert isinstance(error, Refused)
    return refuse(request.url.path, error)


async def answer_unknown(request: Request, error: Exception) -> Response:
    """A wrong address or method."""
    assert isinstance(error, HTTPException)
    return refuse(request.url.path, Refused(error.status_code, error.detail, error.headers))


async def answer_broken(request: Request, error: Exception) -> Response:
    """A mistake of ours; the log has the rest."""
    return refuse(request.url.path, Refused(500, "an error inside the server"))
