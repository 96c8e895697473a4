"""Compressed answers (gzip) for clients that accept them."""

from __future__ import annotations

import re
import zlib

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dodona.server.headers import find_header

MIN_BYTES = 4096  # of an answer; less fits into few packets anyway
LEVEL = 1  # 3 times smaller at 60 MB/s; level 6 takes 3 times as long for a tenth less
# 32 kB of memory for each answer in progress, instead of 260 kB
WINDOW, MEMORY = 16 + 12, 5  # in zlib's terms; 16 stands for gzip
COMPRESSIBLE = ("application/json", "text/", "image/svg+xml")

_REFUSED = re.compile(r"\s*;\s*q=0(\.0*)?\s*")


class Compression:
    """Middleware that compresses long answers; pieces of streams are sent without delay."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and accepts_gzip(find_header(scope, b"accept-encoding")):
            await self._app(scope, receive, _Compressed(send).send)
        else:
            await self._app(scope, receive, send)


class _Compressed:
    """An answer that is compressed if it turns out to be long."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._packer: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        body, has_more = message.get("body", b""), message.get("more_body", False)
        if self._start is not None:
            start, self._start = self._start, None
            headers = MutableHeaders(raw=start["headers"])
            if _is_worth_it(headers, len(body), has_more):
                self._packer = zlib.compressobj(LEVEL, zlib.DEFLATED, WINDOW, MEMORY)
                del headers["content-length"]
                headers["content-encoding"] = "gzip"
                headers.add_vary_header("Accept-Encoding")
            await self._send(start)
        if self._packer is not None:
            body = self._packer.compress(body)
            body += self._packer.flush(zlib.Z_SYNC_FLUSH if has_more else zlib.Z_FINISH)
            message = {**message, "body": body}
        await self._send(message)


def _is_worth_it(headers: MutableHeaders, n_bytes: int, has_more: bool) -> bool:
    if "content-encoding" in headers:
        return False
    n_bytes = int(headers.get("content-length", n_bytes))
    kind = headers.get("content-type", "")
    return (has_more or n_bytes >= MIN_BYTES) and kind.startswith(COMPRESSIBLE)


def accepts_gzip(accepted: str | None) -> bool:
    """Return whether an Accept-Encoding header allows gzip.

    >>> accepts_gzip("br, gzip;q=0.5"), accepts_gzip("gzip;q=0"), accepts_gzip(None)
    (True, False, False)
    """
    for coding in accepted.lower().split(",") if accepted else ():
        name, semicolon, rest = coding.partition(";")
        if name.strip() in ("gzip", "*"):
            return not _REFUSED.fullmatch(semicolon + rest)
    return False
