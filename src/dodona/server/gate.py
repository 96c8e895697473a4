"""Who may ask: requests that were meant for this server, and not those of foreign web pages.

A browser lets any page send simple requests to any address, and a page can have its own name lead
to this machine (DNS rebinding), so that what it asks looks like its own. The first is told by what
browsers say of a request's origin, the second by the name in `Host`, which is then not ours.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from dodona.server.errors import CLOSE, Refused, refuse

ANY = "*"
ANY_ADDRESS = "0.0.0.0"  # stands for all addresses in numbers, which no foreign page can have
LOCAL = ("localhost", "127.0.0.1", "::1")
OWN = ("same-origin", "none")  # Sec-Fetch-Site: a page of ours, or a person


class Gate:
    """Lets pass what is for us; `hosts` are the names that we have, `cors` the origins allowed."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        cors: Collection[str],
        working: Collection[str],
    ) -> None:
        self._app, self._hosts, self._cors, self._working = app, hosts, cors, working

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            try:
                self._check_host(headers.get("host"))
                if scope["path"] in self._working and scope["method"] != "OPTIONS":
                    self._check_origin(headers)
            except Refused as refused:
                await refuse(scope["path"], refused)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check_host(self, host: str | None) -> None:
        """A name that we have; clients older than the header are no browsers."""
        if host is None or ANY in self._hosts:
            return
        name = host_name(host)
        if name not in self._hosts and not (ANY_ADDRESS in self._hosts and is_address(name)):
            shown = f"{name[:100]!r}" if name.isprintable() else "that name"
            why = f"this server is not called {shown}; to have it so: --allowed-host NAME"
            raise Refused(421, why, CLOSE)

    def _check_origin(self, headers: Headers) -> None:
        """A page of ours, or one that is allowed; what comes from no page says nothing of one."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if ANY in self._cors or origin in self._cors:
            return
        if site is None:  # an old browser, or none
            is_own = origin is None or origin.partition("://")[2] == headers.get("host")
        else:
            is_own = site in OWN
        if not is_own:
            raise Refused(403, "web pages from elsewhere may not ask here; see --cors", CLOSE)


def host_name(host: str) -> str:
    """The name in a Host header, without the port.

    >>> host_name("LOCALHOST:8000"), host_name("[::1]:8000"), host_name("::1")
    ('localhost', '::1', '::1')
    """
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name if name.count(":") > 1 else name.partition(":")[0].rstrip(".")


def is_address(name: str) -> bool:
    """Whether it is a number and no name.

    >>> is_address("192.168.1.5"), is_address("oak.example")
    (True, False)
    """
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def own_hosts(bound: str, allowed: Collection[str]) -> frozenset[str]:
    """The names of a server that listens on an address: of this machine, that address, and more.

    >>> sorted(own_hosts("192.168.1.5", ["Oak.example"]))
    ['127.0.0.1', '192.168.1.5', '::1', 'localhost', 'oak.example']
    """
    own = {*LOCAL, bound, *map(host_name, allowed)}
    if bound in (ANY_ADDRESS, "::"):  # all addresses of the machine, whatever they are
        own |= {ANY_ADDRESS, host_name(socket.gethostname())}
    return frozenset(own)
