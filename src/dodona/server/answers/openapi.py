"""The JSON interface described (OpenAPI 3.1), by hand; a test holds it to the routes."""

from __future__ import annotations

from typing import Any

from dodona.server.requests import arriving, parse


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _refusals(*statuses: str) -> dict[str, Any]:
    return {
        status: {"description": REASONS[status], "content": _json(_ref("Error"))}
        for status in statuses
    }


TEXT = {"type": "string"}
MODEL = {"type": "string", "description": "Name of a model or its first words; else the default."}
REASONS = {
    "400": "Something is wrong with the request; the message says what and where.",
    "408": "The request did not arrive in time.",
    "403": "A web page from elsewhere asked, which --cors does not name.",
    "413": "The request is too large, or has too many words.",
    "415": "The request is not of the right Content-Type.",
    "421": "The server is not called by the name in Host; see --allowed-host.",
    "503": "Too much to do, or the request took too long; try again after Retry-After seconds.",
}

_WORD = _object(
    ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"],
    id={"type": "integer", "minimum": 1},
    form=TEXT,
    lemma=TEXT,
    upos=TEXT,
    xpos=TEXT,
    feats=TEXT,
    head={"type": ["integer", "null"], "description": "Id of the head; 0 is the root."},
    deprel=TEXT,
    deps=TEXT,
    misc=TEXT,
)
_SENTENCE = _object(
    ["comments", "text", "words"],
    comments=_list(TEXT),
    text=TEXT,
    words=_list(_ref("Word")),
    tokens={
        "type": "array",
        "items": {"type": "object"},
        "description": "The tokens that are several words, if there are some.",
    },
    svg={
        "type": ["string", "null"],
        "description": "The tree as a picture, if asked for; null for very long sentences.",
    },
    graph_svg={
        "type": ["string", "null"],
        "description": "The enhanced graph as a picture, if asked for; null if there is none.",
    },
)
_PARSE = _object(
    [],
    text={"type": "string", "description": "Raw text (or what `input` says)."},
    conllu={"type": "string", "description": "Sentences in CoNLL-U; their trees are ignored."},
    tokens={
        "description": "Lists of words, or a text with a sentence a line and spaces between words.",
        "anyOf": [_list(_list(TEXT)), TEXT],
    },
    model=MODEL,
    input={"enum": list(parse.INPUTS), "description": "What `text` holds."},
    output={"enum": list(parse.OUTPUTS), "description": "What to answer with."},
    svg={"type": "boolean", "description": "Draw the trees."},
    graph={"type": "boolean", "description": "Draw the enhanced graphs, too."},
    width={"type": "number", "description": "Width of the pictures in pixels; longer ones wrap."},
) | {"description": "One of text, conllu and tokens.", "additionalProperties": False}

DESCRIPTION: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Dodona",
        "version": "1",
        "description": "Dependency parsing. UDPipe's REST interface is at /models and /process.",
    },
    "paths": {
        "/api/models": {
            "get": {
                "summary": "The models; the first is the default.",
                "responses": {
                    "200": {"description": "Models.", "content": _json(_list(_ref("Model")))}
                },
            }
        },
        "/api/parse": {
            "post": {
                "summary": "Parse text, words or CoNLL-U.",
                "requestBody": {"required": True, "content": _json(_ref("ParseRequest"))},
                "responses": {
                    "200": {"description": "Trees.", "content": _json(_ref("Parse"))},
                    **_refusals("400", "403", "408", "413", "415", "421", "503"),
                },
            }
        },
        "/api/parse.conllu": {
            "post": {
                "summary": "Parse a stream of any size; the answer comes while the request goes.",
                "parameters": [
                    {"name": "model", "in": "query", "schema": MODEL},
                    {"name": "input", "in": "query", "schema": {"enum": list(arriving.INPUTS)}},
                ],
                "requestBody": {"required": True, "content": {"text/plain": {"schema": TEXT}}},
                "responses": {
                    "200": {"description": "CoNLL-U.", "content": {"text/plain": {"schema": TEXT}}},
                    **_refusals("400", "403", "408", "421", "503"),
                },
            }
        },
        "/api/openapi.json": {
            "get": {
                "summary": "This description.",
                "responses": {
                    "200": {"description": "OpenAPI.", "content": _json({"type": "object"})}
                },
            }
        },
        "/health": {
            "get": {
                "summary": "Whether the server is there.",
                "responses": {
                    "200": {"description": "It is.", "content": _json(_ref("Health"))},
                },
            }
        },
        "/metrics": {
            "get": {
                "summary": "Counters for Prometheus.",
                "responses": {
                    "200": {"description": "Text.", "content": {"text/plain": {"schema": TEXT}}}
                },
            }
        },
    },
    "components": {
        "schemas": {
            "Error": _object(["error"], error=TEXT),
            "Health": _object(["status", "models"], status={"const": "ok"}, models=_list(TEXT)),
            "Model": _object(
                ["name", "parts", "system", "language"],
                name=TEXT,
                parts=_list(TEXT),
                system=TEXT,
                language={"type": ["string", "null"], "description": "Its code, if known."},
            ),
            "ParseRequest": _PARSE,
            "Parse": _object(["model"], model=TEXT, conllu=TEXT, sentences=_list(_ref("Sentence"))),
            "Sentence": _SENTENCE,
            "Word": _WORD,
        }
    },
}
