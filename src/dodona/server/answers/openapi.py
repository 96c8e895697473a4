"""OpenAPI 3.1 description of all routes, made from the descriptions that also check requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dodona.server.answers.response_schemas import JSON_OBJECT, SCHEMAS, TEXT, refer
from dodona.server.requests import bodies, explorer_request, parse_request, process_request
from dodona.server.requests.json_fields import Field

HTML, FORM, MULTIPART = "text/html", "application/x-www-form-urlencoded", "multipart/form-data"
TOKEN = {"token": {"type": "http", "scheme": "bearer", "description": "If --token is given."}}
REASONS = {
    "400": "The request is malformed; the message says what is wrong and where.",
    "401": "The request has no token, or a wrong one; see --token.",
    "403": "The request comes from another web page, which --cors does not allow.",
    "408": "The request did not arrive in time.",
    "413": "The request is too large, or has too many words.",
    "415": "The request has a wrong Content-Type, or is compressed.",
    "421": "The name in Host is not allowed; see --allowed-host.",
    "503": "The server is busy, or the request took too long; retry after Retry-After seconds.",
}


def _content(schema: Mapping[str, Any], kind: str = "application/json") -> dict[str, Any]:
    return {kind: {"schema": schema}}


PLAIN = _content(TEXT, "text/plain")
ERROR = _content(refer("Error"))


def _answers(content: dict[str, Any], error: dict[str, Any], statuses: Iterable[str]) -> Any:
    refused = {s: {"description": REASONS[s], "content": error} for s in statuses}
    return {"200": {"description": "The answer.", "content": content}, **refused}


def _get(summary: str, content: dict[str, Any], statuses: Iterable[str] = ("401", "421")) -> Any:
    return {"get": {"summary": summary, "responses": _answers(content, PLAIN, statuses)}}


def _body(fields: Mapping[str, Field], required: Iterable[str] = ()) -> dict[str, Any]:
    """Return the schema of a request in JSON with these fields."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {name: field.description for name, field in fields.items()},
        "additionalProperties": False,
    }


def _post(summary: str, body: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": body},
            "responses": _answers(content, ERROR, REASONS),
        }
    }


def _explored(summary: str, answer: str = "") -> dict[str, Any]:
    schema = refer(answer) if answer else JSON_OBJECT
    return _post(summary, _content(refer("ExploreRequest")), _content(schema))


def _process() -> dict[str, Any]:
    """Describe UDPipe's /process: a form, or parameters in the address."""
    names = process_request.PARAMETERS
    form = {
        "type": "object",
        "required": ["data"],
        "properties": {name: {**TEXT, "description": about} for name, about in names.items()},
    }
    parameters = [
        {"name": name, "in": "query", "description": about, "schema": TEXT}
        for name, about in names.items()
    ]
    answers = _answers(_content(refer("Processed")), PLAIN, REASONS)
    summary = "Tokenize, tag and parse, as UDPipe's service does."
    return {
        "get": {"summary": summary, "parameters": parameters, "responses": answers},
        "post": {
            "summary": summary,
            "requestBody": {
                "required": True,
                "content": _content(form, FORM) | _content(form, MULTIPART),
            },
            "responses": answers,
        },
    }


def _udpipe() -> dict[str, Any]:
    models = _get("The models, as UDPipe's service lists them.", _content(refer("UdpipeModels")))
    models["post"] = models["get"]
    return {"/models": models, "/process": _process()}


_STREAM = _post(
    "Parse a stream of any size; the answer is sent meanwhile.", PLAIN, _content(TEXT, "text/plain")
)
_STREAM["post"]["parameters"] = [
    {"name": "model", "in": "query", "schema": parse_request.FIELDS["model"].description},
    {"name": "input", "in": "query", "schema": {"enum": list(bodies.INPUTS)}},
]
_PATHS: dict[str, Any] = {
    "/api/models": _get("The models; the first is the default.", _content(refer("Models"))),
    "/api/parse": _post(
        "Parse text, words or CoNLL-U.", _content(refer("ParseRequest")), _content(refer("Parse"))
    ),
    "/api/parse.conllu": _STREAM,
    "/api/systems": _get("The transition systems and their options.", _content(refer("Systems"))),
    "/api/explore": _explored("Show a state with its actions and costs.", "State"),
    "/api/explore/derivation": _explored("List the actions of an oracle or a model.", "Derivation"),
    "/api/explore/beam": _explored("Show the hypotheses of beam search."),
    "/api/explore/why": _explored("Explain the cost of an action."),
    "/api/explore/tree": _explored("Draw a tree, and return it as CoNLL-U.", "Drawing"),
    "/api/explore/slide": _explored("Draw a state, or a film of states.", "Drawing"),
    "/api/explore/match": _explored("Find a pattern in sentences.", "Matches"),
    **_udpipe(),
    "/health": _get("Whether the server is running.", _content(refer("Health")), ["421"]),
    "/ready": _get("Whether it takes new requests.", _content(refer("Ready")), ["421", "503"]),
    "/metrics": _get("Counters for Prometheus.", PLAIN),
    "/api/openapi.json": _get("This description.", _content(JSON_OBJECT)),
    "/api": _get("This description, for people.", _content(TEXT, HTML)),
    "/": _get("The parse page.", _content(TEXT, HTML)),
    "/explore": _get("The explorer.", _content(TEXT, HTML)),
    "/help": _get("A short manual.", _content(TEXT, HTML)),
}


def describe(explored: Iterable[str], prefixes: Iterable[str]) -> dict[str, Any]:
    """Return the description; `explored` are the explorer's addresses, `prefixes` UDPipe's.

    An address of the explorer that is not described above is described in general.
    """
    paths = dict(_PATHS)
    for path in explored:
        paths.setdefault(path, _explored("Answer a request of the explorer's page."))
    for prefix in prefixes:
        paths |= {prefix + path: methods for path, methods in _udpipe().items()}
    requests = {
        "ParseRequest": _body(parse_request.FIELDS)
        | {"description": "One of text, conllu and tokens."},
        "ExploreRequest": _body(explorer_request.FIELDS, ["sentence"]),
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Dodona",
            "version": "1",
            "description": "Dependency parsing, and UDPipe's REST interface.",
        },
        "paths": paths,
        "components": {"schemas": SCHEMAS | requests, "securitySchemes": TOKEN},
    }
