"""OpenAPI 3.1 description of the JSON interface, written by hand; a test compares the routes."""

from __future__ import annotations

from typing import Any

from dodona.server.requests import bodies, parse_request
from dodona.settings import CONSTRAINTS
from dodona.treebank.word import CONFIDENCES


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _get(summary: str, description: str, content: dict[str, Any]) -> dict[str, Any]:
    answer = {"description": description, "content": content}
    return {"get": {"summary": summary, "responses": {"200": answer}}}


def _refusals(*statuses: str) -> dict[str, Any]:
    return {
        status: {"description": REASONS[status], "content": _json(_ref("Error"))}
        for status in statuses
    }


TEXT = {"type": "string"}
PROBABILITY = {
    "type": ["number", "null"],
    "minimum": 0,
    "maximum": 1,
    "description": "If asked for; null for a tag that was given.",
}
PLAIN = {"text/plain": {"schema": TEXT}}
MODEL = {"type": "string", "description": "Name of a model or its first parts; else the default."}
REASONS = {
    "400": "The request is malformed; the message says what is wrong and where.",
    "408": "The request did not arrive in time.",
    "403": "The request comes from another web page, which --cors does not allow.",
    "413": "The request is too large, or has too many words.",
    "415": "The request has a wrong Content-Type.",
    "421": "The name in Host is not allowed; see --allowed-host.",
    "503": "The server is busy, or the request took too long; retry after Retry-After seconds.",
}

_WORD = _object(
    ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"],
    id={"type": "integer", "minimum": 1},
    **dict.fromkeys(("form", "lemma", "upos", "xpos", "feats"), TEXT),
    head={"type": ["integer", "null"], "description": "Id of the head; 0 is the root."},
    **dict.fromkeys(("deprel", "deps", "misc"), TEXT),
    **dict.fromkeys(CONFIDENCES, PROBABILITY),
)
_SENTENCE = _object(
    ["comments", "text", "words"],
    comments=_list(TEXT),
    text=TEXT,
    words=_list(_ref("Word")),
    tokens={
        "type": "array",
        "items": {"type": "object"},
        "description": "The multiword tokens, if there are any.",
    },
    svg={
        "type": ["string", "null"],
        "description": "Picture of the tree, if asked for; null for very long sentences.",
    },
    graph_svg={
        "type": ["string", "null"],
        "description": "Picture of the graph, if asked for; null if it is missing or too large.",
    },
)
_PARSE = _object(
    [],
    text={"type": "string", "description": "Raw text, or the format given by `input`."},
    conllu={"type": "string", "description": "Sentences in CoNLL-U; their trees are ignored."},
    tokens={
        "description": "Lists of words, or one sentence per line with spaces between words.",
        "anyOf": [_list(_list(TEXT)), TEXT],
    },
    model=MODEL,
    input={"enum": list(parse_request.INPUTS), "description": "The format of `text`."},
    output={"enum": list(parse_request.OUTPUTS), "description": "The parts of the answer."},
    constraints={
        "enum": list(CONSTRAINTS),
        "description": "Rules that trees obey; default: those of the model.",
    },
    svg={"type": "boolean", "description": "Whether to draw the trees."},
    graph={
        "type": "boolean",
        "description": "Whether to make enhanced graphs, if the model can, and to draw them.",
    },
    width={"type": "number", "description": "Maximum width of the pictures in pixels."},
    confidence={"type": "boolean", "description": "Whether words say how sure the model is."},
) | {"description": "One of text, conllu and tokens.", "additionalProperties": False}

DESCRIPTION: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Dodona",
        "version": "1",
        "description": "Dependency parsing. UDPipe's REST interface is at /models and /process.",
    },
    "paths": {
        "/api/models": _get(
            "The models; the first is the default.", "Models.", _json(_list(_ref("Model")))
        ),
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
                "summary": "Parse a stream of any size; the answer is sent meanwhile.",
                "parameters": [
                    {"name": "model", "in": "query", "schema": MODEL},
                    {"name": "input", "in": "query", "schema": {"enum": list(bodies.INPUTS)}},
                ],
                "requestBody": {"required": True, "content": PLAIN},
                "responses": {
                    "200": {"description": "CoNLL-U.", "content": PLAIN},
                    **_refusals("400", "403", "408", "421", "503"),
                },
            }
        },
        "/api/openapi.json": _get("This description.", "OpenAPI.", _json({"type": "object"})),
        "/health": _get(
            "Whether the server is running.", "The server is running.", _json(_ref("Health"))
        ),
        "/metrics": _get("Counters for Prometheus.", "Text.", PLAIN),
    },
    "components": {
        "schemas": {
            "Error": _object(["error"], error=TEXT),
            "Health": _object(["status", "models"], status={"const": "ok"}, models=_list(TEXT)),
            "Model": _object(
                ["name", "parts", "system", "constraints", "language"],
                name=TEXT,
                parts=_list(TEXT),
                system=TEXT,
                constraints={"enum": list(CONSTRAINTS)},
                language={"type": ["string", "null"], "description": "Language code, if known."},
            ),
            "ParseRequest": _PARSE,
            "Parse": _object(["model"], model=TEXT, conllu=TEXT, sentences=_list(_ref("Sentence"))),
            "Sentence": _SENTENCE,
            "Word": _WORD,
        }
    },
}
