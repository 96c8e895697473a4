"""Checks against requests that other web pages make through a visitor's browser.

A browser lets any page send simple requests to any address. The `Origin` and `Sec-Fetch-Site`
headers show those. A page can also point its own host name at this machine (DNS rebinding), which
makes its requests look same-origin; its name in `Host` is then not one of the server's.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

from dodona.server.errors import CLOSE, Refused, note_refusal, refuse
from dodona.server.headers import find_header

ANY = "*"
ANY_ADDRESS = "0.0.0.0"  # stands for all IP addresses, which cannot be rebound
LOCAL = ("localhost", "127.0.0.1", "::1")
OWN = ("same-origin", "none")  # Sec-Fetch-Site of our own pages, and of typed addresses


class OriginCheck:
    """Middleware that refuses unknown hosts, and foreign origins on the `working` addresses."""

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], cors: Collection[str], working: Collection[str]
    ) -> None:
        self._app, self._hosts, self._cors, self._working = app, hosts, cors, working

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                self._check_host(find_header(scope, b"host"))
                if scope["path"] in self._working and scope["method"] != "OPTIONS":
                    self._check_origin(scope)
            except Refused as refused:
                note_refusal(scope, refused)
                await refuse(scope["path"], refused)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check_host(self, host: str | None) -> None:
        """Refuse an unknown host; a request without the header comes from no browser."""
        if host is None or ANY in self._hosts:
            return
        name = host_name(host)
        if name not in self._hosts and not (ANY_ADDRESS in self._hosts and is_address(name)):
            shown = f"{name[:100]!r}" if name.isprintable() else "that name"
            why = f"this server is not called {shown}"
            why += "; start it with --allowed-host NAME to allow it"
            raise Refused(421, why, CLOSE, reason="host")

    def _check_origin(self, scope: Scope) -> None:
        """Refuse a page of a foreign origin; requests that come from no page have no origin."""
        site, origin = find_header(scope, b"sec-fetch-site"), find_header(scope, b"origin")
        if ANY in self._cors or origin in self._cors:
            return
        if site is None:  # an old browser, or no browser
            is_own = origin is None or origin.partition("://")[2] == find_header(scope, b"host")
        else:
            is_own = site in OWN
        if not is_own:
            why = "requests from other web pages are not allowed; see --cors"
            raise Refused(403, why, CLOSE, reason="origin")


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port.

    >>> host_name("LOCALHOST:8000"), host_name("[::1]:8000"), host_name("::1")
    ('localhost', '::1', '::1')
    """
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name if name.count(":") > 1 else name.partition(":")[0].rstrip(".")


def is_address(name: str) -> bool:
    """Return whether a host is an IP address.

    >>> is_address("192.168.1.5"), is_address("oak.example")
    (True, False)
    """
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def own_hosts(bound: str, allowed: Collection[str]) -> frozenset[str]:
    """Return the host names of a server bound to an address: local ones, `bound`, and `allowed`.

    >>> sorted(own_hosts("192.168.1.5", ["Oak.example"]))
    ['127.0.0.1', '192.168.1.5', '::1', 'localhost', 'oak.example']
    """
    own = {*LOCAL, bound, *map(host_name, allowed)}
    if bound in (ANY_ADDRESS, "::"):  # all addresses of the machine
        own |= {ANY_ADDRESS, host_name(socket.gethostname())}
    return frozenset(own)
