"""JSON Schemas of the answers."""

from __future__ import annotations

from typing import Any

from dodona.bridges.json_schema import EMPTY_NODE, TOKEN, WORD
from dodona.bridges.json_schema import SENTENCE as SCHEMA_OF_SENTENCE
from dodona.settings import CONSTRAINTS

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
JSON_OBJECT = {"type": "object"}
FLAG = {"type": "boolean"}


def refer(name: str) -> dict[str, Any]:
    """Return a reference to one of the schemas.

    >>> refer("Word")
    {'$ref': '#/components/schemas/Word'}
    """
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _picture(about: str) -> dict[str, Any]:
    return {"type": ["string", "null"], "description": about}


# those of every other JSON, with pictures
_SENTENCE = _object(
    ["comments", "text", "words"],
    **SCHEMA_OF_SENTENCE["properties"]
    | {"words": _list(refer("Word")), "tokens": _list(refer("Token"))}
    | {"empty_nodes": _list(refer("EmptyNode"))},
    svg=_picture("Picture of the tree, if asked for; null for very long sentences."),
    graph_svg=_picture("Picture of the graph, if asked for; null if it is missing or too large."),
)
_MODEL = _object(
    ["name", "parts", "system", "constraints", "language"],
    name=TEXT,
    parts=_list(TEXT),
    system=TEXT,
    constraints={"enum": list(CONSTRAINTS)},
    language={"type": ["string", "null"], "description": "Language code, if known."},
)
_STATE = _object(
    ["forms", "stack", "buffer", "arcs", "choices", "is_final", "svg"],
    forms=_list(TEXT),
    **dict.fromkeys(("stack", "buffer"), _list(NUMBER)),
    arcs=_list({"type": "array", "description": "Head, relation, dependent."}),
    choices=_list(JSON_OBJECT | {"description": "An action with its cost and its score."}),
    is_final=FLAG,
    svg=TEXT,
)
SCHEMAS: dict[str, Any] = {
    "Error": _object(["error"], error=TEXT),
    "Health": _object(["status", "models"], status={"const": "ok"}, models=_list(TEXT)),
    "Ready": _object(["status"], status={"const": "ready"}),
    "Model": _MODEL,
    "Models": _list(refer("Model")),
    "UdpipeModels": _object(["models", "default_model"], models=JSON_OBJECT, default_model=TEXT),
    "Processed": _object(
        ["model", "acknowledgements", "result"],
        model=TEXT,
        acknowledgements=_list(TEXT),
        result=TEXT,
    ),
    "Parse": _object(["model"], model=TEXT, conllu=TEXT, sentences=_list(refer("Sentence"))),
    "Sentence": _SENTENCE,
    "Word": WORD,
    "Token": TOKEN,
    "EmptyNode": EMPTY_NODE,
    "Systems": _list(_object(["name", "moves"], name=TEXT, moves=_list(JSON_OBJECT))),
    "State": _STATE,
    "Derivation": _object(["path"], path=_list(TEXT)),
    "Drawing": _object(["svg"], svg=TEXT, conllu=TEXT),
    "Matches": _object(
        ["names", "matches"], names=JSON_OBJECT, matches=_list(_list(_list(NUMBER)))
    ),
}
