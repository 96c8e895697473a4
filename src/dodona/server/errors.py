"""Requests that are refused, and how that is said: in JSON, or in plain text as UDPipe does."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse, PlainTextResponse, Response

from dodona.treebank.conllu.errors import TreebankError

CLOSE = {"Connection": "close"}  # of an answer before all was read: what is still to come is not
JSON_PATHS = "/api/"  # how addresses begin where answers are JSON, errors included


class Refused(Exception):  # noqa: N818
    """A request that is not answered: the status, and why, for the person who sent it."""

    def __init__(self, status: int, why: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.headers = headers


def bad(why: str) -> Refused:
    """The request itself is wrong."""
    return Refused(400, why)


def refuse(path: str, refused: Refused) -> Response:
    """The answer to a request to that address, which is refused.

    >>> refuse("/api/parse", bad("there is no text")).body
    b'{"error":"there is no text"}'
    >>> refuse("/process", bad("there is no text")).body
    b'there is no text\\n'
    """
    if path.startswith(JSON_PATHS):
        return JSONResponse({"error": str(refused)}, refused.status, refused.headers)
    return PlainTextResponse(f"{refused}\n", refused.status, refused.headers)


def explain(error: TreebankError) -> str:
    """What is wrong with a treebank that came in a request: where, without a file's name.

    >>> explain(TreebankError("data", 812, "expected 10 tab-separated columns, found 9"))
    'line 812: expected 10 tab-separated columns, found 9'
    """
    return error.message if error.line is None else f"line {error.line}: {error.message}"
