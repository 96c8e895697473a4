"""A page that shows the OpenAPI description to people, without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any


def write_page(description: dict[str, Any]) -> str:
    """Return the page.

    >>> get = {"summary": "Whether <it> runs.", "responses": {}}
    >>> about = {"title": "Dodona", "description": "Parsing."}
    >>> page = write_page({"info": about, "paths": {"/health": {"get": get}}, "components": {}})
    >>> '<h2 id="get-health">GET /health</h2>' in page, "Whether &lt;it&gt; runs." in page
    (True, True)
    """
    schemas = description["components"].get("schemas", {})
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Dodona: interface</title>',
        '<meta name="viewport" content="width=device-width">',
        '<link rel="stylesheet" href="/static/style.css"></head><body><main>',
        f"<h1>{escape(description['info']['title'])}: interface</h1>",
        f"<p>{escape(description['info']['description'])} ",
        'For programs: <a href="/api/openapi.json">OpenAPI</a>.</p><ul>',
    ]
    operations = [
        (path, method, found)
        for path, methods in description["paths"].items()
        for method, found in methods.items()
    ]
    for path, method, found in operations:
        name = f"{method.upper()} {escape(path)}"
        parts.append(f'<li><a href="#{_id(path, method)}">{name}</a>: {escape(found["summary"])}')
    parts.append("</ul>")
    for path, method, found in operations:
        parts.append(f'<h2 id="{_id(path, method)}">{method.upper()} {escape(path)}</h2>')
        parts += _operation(found, schemas)
    return "\n".join((*parts, "</main></body></html>\n"))


def _id(path: str, method: str) -> str:
    return f"{method}{path.replace('/', '-')}".rstrip("-")


def _operation(found: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    yield f"<p>{escape(found['summary'])}</p>"
    parameters = {
        item["name"]: {"description": item.get("description", ""), **item["schema"]}
        for item in found.get("parameters", ())
    }
    yield from _table("Parameters", parameters)
    bodies = found.get("requestBody", {}).get("content", {})
    for kind, content in bodies.items():
        schema = _resolve(content["schema"], schemas)
        yield from _table(f"Body: {kind}", schema.get("properties", {}))
    for status, answer in found["responses"].items():
        kinds = ", ".join(answer["content"])
        yield f"<p><b>{status}</b> {escape(answer['description'])} ({escape(kinds)})</p>"
        if status == "200":
            for content in answer["content"].values():
                schema = _resolve(content["schema"], schemas)
                schema = _resolve(schema.get("items", schema), schemas)
                yield from _table("", schema.get("properties", {}))


def _table(title: str, fields: dict[str, Any]) -> Iterator[str]:
    if fields:
        yield f"<table><caption>{escape(title)}</caption>"
        yield "<tr><th>field<th>type<th>meaning</tr>"
        for name, schema in fields.items():
            about = escape(schema.get("description", ""))
            yield f"<tr><td><code>{escape(name)}</code><td>{escape(_type(schema))}<td>{about}</tr>"
        yield "</table>"


def _resolve(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = schemas.get(name, schema)
    return found


def _type(schema: dict[str, Any]) -> str:
    """Return the type of a field in words.

    >>> _type({"enum": ["text", "conllu"]}), _type({"type": "array", "items": {"type": "string"}})
    ('text, conllu', 'list of string')
    """
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {'type': 'any'}))}"
    kind = schema.get("type", "any")
    return kind if isinstance(kind, str) else " or ".join(kind)
