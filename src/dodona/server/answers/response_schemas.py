"""JSON Schemas of the answers."""

from __future__ import annotations

from typing import Any

from dodona.settings import CONSTRAINTS
from dodona.treebank.word import CONFIDENCES

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
JSON_OBJECT = {"type": "object"}
FLAG = {"type": "boolean"}
PROBABILITY = {
    "type": ["number", "null"],
    "minimum": 0,
    "maximum": 1,
    "description": "If asked for; null for a tag that was given.",
}


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
    words=_list(refer("Word")),
    tokens=_list(JSON_OBJECT) | {"description": "The multiword tokens, if there are any."},
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
    "Word": _WORD,
    "Systems": _list(_object(["name", "moves"], name=TEXT, moves=_list(JSON_OBJECT))),
    "State": _STATE,
    "Derivation": _object(["path"], path=_list(TEXT)),
    "Drawing": _object(["svg"], svg=TEXT, conllu=TEXT),
    "Matches": _object(
        ["names", "matches"], names=JSON_OBJECT, matches=_list(_list(_list(NUMBER)))
    ),
}
