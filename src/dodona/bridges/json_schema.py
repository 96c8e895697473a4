"""The JSON schema of documents and sentences: `to_json`, `--output json` and the server.

It is published as docs/reference/document.schema.json, which `python -m tools.pages` writes.
"""

from __future__ import annotations

from typing import Any

from dodona.treebank.word import CONFIDENCES

TEXT = {"type": "string"}
PAIRS = {
    "description": "Name=Value|… as an object; a string if names are repeated.",
    "anyOf": [{"type": "object", "additionalProperties": TEXT}, TEXT],
}
OFFSET = {"type": ["integer", "null"], "minimum": 0, "description": "In characters of the text."}
PROBABILITY = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deps", "misc")


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    """Return the schema of an object with no other properties than these."""
    return {
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_COLUMNS = {name: PAIRS if name in ("feats", "misc") else TEXT for name in COLUMNS}
WORD = closed(
    ["id", *COLUMNS, "head", "deprel", "start", "end"],
    id={"type": "integer", "minimum": 1},
    **_COLUMNS,
    head={
        "type": ["integer", "null"],
        "minimum": 0,
        "description": "Id of the head; 0 is the root, null is unknown.",
    },
    deprel=TEXT,
    start=OFFSET,
    end=OFFSET,
    **dict.fromkeys(CONFIDENCES, PROBABILITY),
)
TOKEN = closed(
    ["first", "last", "form", "misc"],
    first={"type": "integer", "minimum": 1, "description": "Id of the first word."},
    last={"type": "integer", "minimum": 1, "description": "Id of the last word."},
    form=TEXT,
    misc=PAIRS,
)
EMPTY_NODE = closed(
    ["id", *COLUMNS], id={"type": "string", "pattern": r"^[0-9]+\.[1-9][0-9]*$"}, **_COLUMNS
)
SENTENCE = closed(
    ["comments", "text", "words"],
    comments={**_list(TEXT), "description": "Lines that begin with '#'."},
    text=TEXT,
    words=_list({"$ref": "#/$defs/word"}),
    tokens={**_list({"$ref": "#/$defs/token"}), "description": "Multiword tokens, if any."},
    empty_nodes={
        **_list({"$ref": "#/$defs/empty_node"}),
        "description": "Nodes of enhanced graphs that are no words, if any.",
    },
)
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A document of Dodona",
    "description": "doc.to_json(); a line of `dodona parse --output json` is one of `sentences`.",
    **closed(["text", "sentences"], text=TEXT, sentences=_list({"$ref": "#/$defs/sentence"})),
    "$defs": {"sentence": SENTENCE, "word": WORD, "token": TOKEN, "empty_node": EMPTY_NODE},
}
