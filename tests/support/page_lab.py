"""The pages behind a real server: a model of the invented language, a stand-in for parsing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import dodona
from dodona.drawing.svg import Arc, draw
from dodona.explorer.typed import read_typed
from dodona.server.routes.explore import explore_routes
from dodona.server.routes.pages import page_routes
from support.small import train, treebank

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


async def models(request: Request) -> Response:
    found = [{"name": "invented", "parts": ["parser"], "system": "arc-eager"}]
    return JSONResponse(found if request.app.state.find_parser else [])


async def parse(request: Request) -> Response:
    """What the server will do: here, words apart, a sentence a line."""
    asked = await request.json()
    if "error" in asked["text"]:
        return JSONResponse({"error": "input:1: this is no sentence"}, status_code=400)
    parser = request.app.state.find_parser(asked["model"])
    parsed = [parser.parse(sentence) for sentence in read_typed(asked["text"])]
    assert asked["svg"] is True
    sentences = [
        {"text": " ".join(s.forms), "svg": picture(s, asked["width"]), "words": words(s)}
        for s in parsed
    ]
    conllu = "".join(bytes(sentence).decode() for sentence in parsed)
    return JSONResponse({"model": asked["model"], "conllu": conllu, "sentences": sentences})


def picture(sentence: dodona.Sentence, width: float) -> str:
    columns = zip(sentence.heads, sentence.deprels, strict=True)
    arcs = [Arc(head or 0, label, word) for word, (head, label) in enumerate(columns, start=1)]
    return draw(sentence.forms, arcs, tags=sentence.upos, width=width, standalone=False)


def words(sentence: dodona.Sentence) -> list[dict[str, object]]:
    columns = [sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats]
    columns += [sentence.heads, sentence.deprels, sentence.deps, sentence.misc]  # type: ignore[list-item]
    rows = enumerate(zip(*columns, strict=True), start=1)
    return [{"id": i, **dict(zip(COLUMNS, row, strict=True))} for i, row in rows]


def application(*, with_model: bool = True) -> Starlette:
    routes = [Route("/api/models", models), Route("/api/parse", parse, methods=["POST"])]
    app = Starlette(routes=[*page_routes, *explore_routes, *routes])
    app.state.find_parser = None
    if with_model:
        parsers = {"invented": train(treebank(80, 1, 0.0), root="first")}
        app.state.find_parser = parsers.__getitem__
    return app


@contextmanager
def running(app: Starlette) -> Iterator[str]:
    """The address of the application, while it runs."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
