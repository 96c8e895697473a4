"""Endpoints are found by a table; Starlette's router answers only what is not in it."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from dodona.server.dispatch import Dispatch
from dodona.server.errors import Refused


async def tell(request: Request) -> Response:
    return PlainTextResponse(f"{request.method} {request.url.path}")


async def refuse(request: Request) -> Response:
    raise Refused(413, "too many oaks")


async def router(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("the router", 404)(scope, receive, send)


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/oak", tell), Route("/api/oaks", refuse, methods=["POST"])]
    return TestClient(Dispatch(router, routes))


def test_known_addresses_do_not_reach_the_router(client: TestClient) -> None:
    assert client.get("/oak").text == "GET /oak"
    assert client.head("/oak").status_code == 200
    refused = client.post("/api/oaks")
    assert (refused.status_code, refused.json()) == (413, {"error": "too many oaks"})


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/elm"), ("POST", "/oak"), ("GET", "/oak/"), ("GET", "/api/oaks")]
)
def test_everything_else_does(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, path).text == "the router"
