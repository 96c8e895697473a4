"""A secret that clients must know (`--token`), as a bearer token or a password.

Programs send `Authorization: Bearer TOKEN`. Browsers ask their user for a name and a password: the
token is the password, with any name. /health and /ready are open, as probes know no token.
"""

from __future__ import annotations

import os
from base64 import b64decode
from binascii import Error as NotBase64Error
from collections.abc import Collection
from hmac import compare_digest
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from dodona.server.errors import CLOSE, Refused, note_refusal, refuse

VARIABLE = "DODONA_TOKEN"
OPEN = frozenset({"/health", "/ready"})
MIN_LENGTH = 8
CHALLENGE = {"WWW-Authenticate": 'Basic realm="Dodona", charset="UTF-8"', **CLOSE}
HEADER = b"authorization"


class TokenCheck:
    """Middleware that refuses requests without the token."""

    def __init__(self, app: ASGIApp, tokens: Collection[str]) -> None:
        self._app = app
        self._tokens = [token.encode() for token in tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_preflight = scope.get("method") == "OPTIONS"  # which browsers send without it
        if scope["type"] == "http" and scope["path"] not in OPEN and not is_preflight:
            found = [value for name, value in scope["headers"] if name == HEADER]
            given = password_of(found[0]) if len(found) == 1 else b""
            # all are compared, in constant time, so that the time taken reveals nothing
            if not sum(compare_digest(given, token) for token in self._tokens):
                refused = Refused(401, "the request needs a token", CHALLENGE, reason="token")
                note_refusal(scope, refused)
                await refuse(scope["path"], refused)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def password_of(authorization: bytes) -> bytes:
    """Return the token in an Authorization header; empty if there is none.

    >>> password_of(b"Bearer oak-and-dove"), password_of(b"Basic YW55OmRvdmU=")
    (b'oak-and-dove', b'dove')
    """
    kind, _, rest = authorization.partition(b" ")
    if kind.lower() == b"bearer":
        return rest.strip()
    if kind.lower() == b"basic":
        try:
            return b64decode(rest.strip(), validate=True).partition(b":")[2]
        except NotBase64Error:
            return b""
    return b""


def read_tokens(given: str | None, file: Path | None) -> list[str]:
    """Return the tokens of a flag, of a file (one per line), or of the environment.

    >>> read_tokens("dove", None)
    Traceback (most recent call last):
    ValueError: a token has at least 8 characters, without spaces
    """
    if given is not None and file is not None:
        raise ValueError("give --token or --token-file, not both")
    found = [given or os.environ.get(VARIABLE, "")] if file is None else _lines_of(file)
    tokens = [token for token in found if token]
    if file is not None and not tokens:
        raise ValueError(f"{file}: no token; write one on a line")
    if given == "" or not all(
        len(token) >= MIN_LENGTH and token.isascii() and token.split() == [token]
        for token in tokens
    ):
        raise ValueError(f"a token has at least {MIN_LENGTH} characters, without spaces")
    return tokens


def _lines_of(file: Path) -> list[str]:
    return [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
