"""Requests that are refused, and how they are told so: in JSON, or in plain text as UDPipe does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from dodona.treebank.conllu.errors import TreebankError

Endpoint = Callable[[Request], Awaitable[Response]]


class Refused(Exception):  # noqa: N818
    """A request that is not answered: the status, and why, for the person who sent it."""

    def __init__(self, status: int, why: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.headers = headers


def bad(why: str) -> Refused:
    """The request itself is wrong."""
    return Refused(400, why)


def in_json(endpoint: Endpoint) -> Endpoint:
    """Tell what is wrong as {"error": …}."""

    @wraps(endpoint)
    async def respond(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refused as refused:
            return json_error(refused)

    return respond


def in_text(endpoint: Endpoint) -> Endpoint:
    """Tell what is wrong in a line of text."""

    @wraps(endpoint)
    async def respond(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refused as refused:
            return PlainTextResponse(f"{refused}\n", refused.status, refused.headers)

    return respond


def json_error(refused: Refused) -> Response:
    """The answer to a request that is refused."""
    return JSONResponse({"error": str(refused)}, refused.status, refused.headers)


def explain(error: TreebankError) -> str:
    """What is wrong with a treebank that came in a request: where, without a file's name.

    >>> explain(TreebankError("data", 812, "expected 10 tab-separated columns, found 9"))
    'line 812: expected 10 tab-separated columns, found 9'
    """
    return error.message if error.line is None else f"line {error.line}: {error.message}"
