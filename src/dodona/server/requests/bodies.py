"""The body of a request: not too large, not too slow."""

from __future__ import annotations

from anyio import fail_after
from starlette.requests import ClientDisconnect, Request

from dodona.server.errors import Refused
from dodona.server.limits import Limits

_CLOSE = {"Connection": "close"}  # what is still to come is not read


async def read_body(request: Request, limits: Limits) -> bytes:
    """All of it, or a clear refusal."""
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > limits.max_bytes:
        raise _too_large(limits)
    try:
        with fail_after(limits.seconds):
            return await _gather(request, limits)
    except TimeoutError:
        why = f"the request did not arrive within {limits.seconds:g} seconds"
        raise Refused(408, why, _CLOSE) from None
    except ClientDisconnect:
        raise Refused(400, "the connection was closed before the request had arrived") from None


async def _gather(request: Request, limits: Limits) -> bytes:
    chunks, size = [], 0
    async for chunk in request.stream():
        chunks.append(chunk)
        size += len(chunk)
        if size > limits.max_bytes:
            raise _too_large(limits)
    return b"".join(chunks)


def _too_large(limits: Limits) -> Refused:
    return Refused(
        413,
        f"a request of more than {limits.max_bytes:,} bytes; "
        "send less at a time, or all of it to /api/parse.conllu, which streams",
        _CLOSE,
    )
