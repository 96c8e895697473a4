"""The pages: parsing at /, the explorer, a short manual, and what they need under /static/.

The files are read once; an ETag lets browsers reuse them. The Content-Security-Policy allows
nothing from other servers. Other pages may show the explorer in a frame by /explore?embed=1: it has
no secrets and acts in nobody's name, so clickjacking gains nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dodona.drawing.svg import STYLE
from dodona.server.answers.api_page import write_page
from dodona.server.routes.api import DESCRIPTION

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
# blob: lets a page download its own drawings
POLICY = "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'self'"
HEADERS = {  # in addition to those of all answers
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",  # revalidate each time, by the ETag
}
FRAMED = {"Content-Security-Policy": f"{POLICY}; frame-ancestors *", "Cache-Control": "no-cache"}
EMBEDDABLE = "explore.html"
PAGES = {"/": "index.html", "/explore": "explore.html", "/help": "help.html"}
FOLDER = files("dodona.server").joinpath("pages")
STATIC = {
    file.name: file.read_bytes() for file in FOLDER.iterdir() if not file.name.endswith(".html")
} | {"picture.css": STYLE.encode()}  # for pictures that are downloaded


def read_page(name: str) -> bytes:
    """Return a page with the version of the package in its footer."""
    return FOLDER.joinpath(name).read_bytes().replace(b"VERSION", version("dodona").encode())


def serve(name: str, content: bytes) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that serves one file."""
    etag = f'"{sha256(content).hexdigest()[:32]}"'
    kind = TYPES[name.rpartition(".")[2]]

    async def respond(request: Request) -> Response:
        is_framed = name == EMBEDDABLE and request.query_params.get("embed") == "1"
        headers = {**(FRAMED if is_framed else HEADERS), "ETag": etag}
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return respond


page_routes = [
    Route("/api", serve("api.html", write_page(DESCRIPTION).encode())),
    *(Route(path, serve(name, read_page(name))) for path, name in PAGES.items()),
    *(Route(f"/static/{name}", serve(name, content)) for name, content in STATIC.items()),
]
