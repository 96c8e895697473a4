"""Headers of a request, as ASGI passes them."""

from __future__ import annotations

from starlette.types import Scope


def find_header(scope: Scope, name: bytes) -> str | None:
    """Return the value of the first header of that name, in lower case; None if there is none.

    >>> find_header({"headers": [(b"host", b"oak")]}, b"host")
    'oak'
    """
    for key, value in scope["headers"]:
        if key == name:
            found: bytes = value
            return found.decode("latin-1")
    return None
