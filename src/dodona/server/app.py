"""The ASGI application: all routes over one service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from dodona.server.compression import Compression
from dodona.server.dispatch import Dispatch
from dodona.server.errors import Refused, note_refusal, refuse
from dodona.server.forwarded import ForwardedFor
from dodona.server.limits import Limits
from dodona.server.log import Log, no_log
from dodona.server.middleware import HoldMemory, RequestLog, RequestTimeout
from dodona.server.models import Models
from dodona.server.origin_check import ANY, OriginCheck
from dodona.server.routes.api import STREAM, api_routes, explore_routes, udpipe_routes
from dodona.server.routes.pages import page_routes
from dodona.server.service import Service
from dodona.server.token_check import TokenCheck


def make_app(
    models: Models,
    limits: Limits | None = None,
    *,
    cors: Sequence[str] = (),
    hosts: Collection[str] = (ANY,),
    tokens: Collection[str] = (),
    proxies: Collection[str] = (),
    log: Log = no_log,
) -> Starlette:
    """Return an ASGI application that serves the models.

    `cors` lists the origins of other web pages that may send requests, `hosts` the host names of
    the server. By default any host name is accepted, since only the caller knows the right ones.
    With `tokens`, clients must know one of them. Requests of `proxies` (addresses) come from whom
    they say.
    """
    service = Service(models, limits or Limits())
    routes = [*udpipe_routes, *api_routes, *explore_routes, *page_routes]
    middleware = [
        *([Middleware(ForwardedFor, proxies=proxies)] if proxies else []),
        Middleware(
            RequestLog,
            metrics=service.metrics,
            paths=frozenset(route.path for route in routes),
            log=log,
        ),
        Middleware(
            OriginCheck,
            hosts=frozenset(hosts),
            cors=frozenset(cors),
            working={route.path for route in routes if "POST" in (route.methods or ())},
        ),
        *([Middleware(TokenCheck, tokens=tokens)] if tokens else []),
        Middleware(Compression),
        Middleware(HoldMemory, memory=service.memory, limits=service.limits),
        Middleware(RequestTimeout, limits=service.limits, streams=frozenset({STREAM})),
    ]
    if cors:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=cors,
                allow_headers=["Authorization", "Content-Type"],
                allow_methods=["GET", "POST"],
            )
        )
    middleware.append(Middleware(Dispatch, routes=routes))
    app = Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers=dict.fromkeys((Refused, HTTPException, Exception), answer_error),
        lifespan=lifespan,
    )
    app.state.service = service
    return app


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Release the threads and processes when the server stops."""
    yield
    app.state.service.close()


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer a refused request, or one on which the server failed; the log has the traceback."""
    if isinstance(error, HTTPException):  # an unknown address, or a wrong method
        error = Refused(error.status_code, error.detail, error.headers)
    elif not isinstance(error, Refused):
        error = Refused(500, "internal server error", reason="failed")
    note_refusal(request.scope, error)
    return refuse(request.url.path, error)
