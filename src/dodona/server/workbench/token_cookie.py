"""The secret in the address of a workbench, which its page keeps as a cookie.

`dodona annotate` prints an address with a random token. The page that is opened by it receives the
token as a cookie, which scripts cannot read and other sites cannot send; the page then removes the
token from the address. Programs send `Authorization: Bearer TOKEN`.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from hmac import compare_digest

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dodona.server.errors import CLOSE, Refused, note_refusal, refuse
from dodona.server.token_check import HEADER, password_of

PARAMETER = "token"
WHY = "open the address that dodona annotate printed: it contains a token"


def new_token() -> str:
    return secrets.token_urlsafe(24)


class TokenCookie:
    """Middleware that refuses requests without the token: as a cookie, a header or in the address.

    Cookies of one host are shared by all its ports, so the name tells apart several workbenches.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()
        self._name = f"dodona-{sha256(self._token).hexdigest()[:12]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        bearer = [value for name, value in scope["headers"] if name == HEADER]
        is_in_address = self._is_token(request.query_params.get(PARAMETER, "").encode())
        is_kept = self._is_token(request.cookies.get(self._name, "").encode())
        is_sent = self._is_token(password_of(bearer[0]) if len(bearer) == 1 else b"")
        if not is_in_address | is_kept | is_sent:
            refused = Refused(401, WHY, CLOSE, reason="token")
            note_refusal(scope, refused)
            await refuse(scope["path"], refused)(scope, receive, send)
            return

        async def keep(message: Message) -> None:
            if message["type"] == "http.response.start" and is_in_address:
                about = f"{self._name}={self._token.decode()}; HttpOnly; SameSite=Strict; Path=/"
                message.setdefault("headers", []).append((b"set-cookie", about.encode()))
            await send(message)

        await self._app(scope, receive, keep)

    def _is_token(self, given: bytes) -> bool:
        return compare_digest(given, self._token)  # in constant time
