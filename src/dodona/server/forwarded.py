"""Addresses of clients behind proxies (`--trusted-proxy`), from `X-Forwarded-For`.

Any client can send the header, so it is read only where a trusted proxy added to it. Its last
address is the one that the proxy saw.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from dodona.server.origin_check import is_address

UNIX = "unix"  # stands for all clients of a Unix socket


class ForwardedFor:
    """Middleware that replaces the address of a trusted proxy by that of its client."""

    def __init__(self, app: ASGIApp, proxies: Collection[str]) -> None:
        self._app, self._proxies = app, frozenset(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            client = scope.get("client")
            if (UNIX if client is None else client[0]) in self._proxies:
                given = Headers(scope=scope).getlist("x-forwarded-for")
                last = given[-1].rpartition(",")[2].strip() if given else ""
                if is_address(last):
                    scope["client"] = (last, 0)
        await self._app(scope, receive, send)


def check_proxies(names: Sequence[str]) -> Sequence[str]:
    """Return the addresses of proxies, or raise an error that names what is none.

    >>> check_proxies(["proxy.example"])
    Traceback (most recent call last):
    ValueError: --trusted-proxy: 'proxy.example' is neither an IP address nor unix
    """
    for name in names:
        if name != UNIX and not is_address(name):
            raise ValueError(f"--trusted-proxy: {name!r} is neither an IP address nor {UNIX}")
    return names
