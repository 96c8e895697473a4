"""Refused requests and their error messages: JSON, or plain text as UDPipe sends."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Scope

from dodona.treebank.conllu.errors import TreebankError

CLOSE = {"Connection": "close"}  # for answers sent before the whole request was read
JSON_PATHS = "/api/"  # prefix of the addresses with JSON answers, errors included


class Refused(Exception):  # noqa: N818
    """A refused request: the HTTP status, and why, for the person who sent it.

    `reason` is the label under which the metrics count it: the limit that the request exceeded.
    """

    def __init__(
        self,
        status: int,
        why: str,
        headers: Mapping[str, str] | None = None,
        *,
        reason: str = "request",
    ) -> None:
        super().__init__(why)
        self.status = status
        self.headers = headers
        self.reason = reason


def bad(why: str) -> Refused:
    """Return the refusal of a malformed request."""
    return Refused(400, why)


def forget(refused: Refused) -> Refused:
    """Return a refusal without what it was raised from, whose variables hold the whole request.

    An error in a cycle of references would keep a large request until Python's garbage collector
    looks for such cycles among old objects, which it seldom does.
    """
    refused.__cause__ = refused.__context__ = None
    return refused.with_traceback(None)


def refuse(path: str, refused: Refused) -> Response:
    """Return the response that refuses a request to that address.

    >>> refuse("/api/parse", bad("there is no text")).body
    b'{"error":"there is no text"}'
    >>> refuse("/process", bad("there is no text")).body
    b'there is no text\\n'
    """
    if path.startswith(JSON_PATHS):
        return JSONResponse({"error": str(refused)}, refused.status, refused.headers)
    return PlainTextResponse(f"{refused}\n", refused.status, refused.headers)


def note_refusal(scope: Scope, refused: Refused) -> None:
    """Note why a request is refused, for the metrics and the log."""
    scope.setdefault("state", {})["refused"] = refused.reason


def explain(error: TreebankError) -> str:
    """Describe an error in the treebank of a request, by line and without a file name.

    >>> explain(TreebankError("data", 812, "expected 10 tab-separated columns, found 9"))
    'line 812: expected 10 tab-separated columns, found 9'
    """
    return error.message if error.line is None else f"line {error.line}: {error.message}"
