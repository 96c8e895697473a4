"""What MkDocs fills in from the code: settings, templates, systems and the API, where pages ask.

A page asks with a line such as `{{ settings }}`.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import dodona
from dodona.core.features.templates import load_templates, parse_templates, template_names

# beside the public names of `dodona`
ALSO = (
    "dodona.query.pattern.Match",
    "dodona.validation.validator.validate",
    "dodona.drawing.svg.draw",
    "dodona.drawing.terminal.draw",
    "dodona.explorer.explore.Explorer",
    "dodona.explorer.beam.explore_beam",
    "dodona.core.features.templates.parse_templates",
    "dodona.treebank.trees.projectivity.is_projective",
    "dodona.treebank.trees.pseudoprojective.projectivise",
    "dodona.treebank.trees.pseudoprojective.deprojectivise",
    "dodona.treebank.graphs.enhanced.enhanced_graph",
    "dodona.treebank.graphs.enhanced.with_graph",
    "dodona.treebank.graphs.graphs.remove_cycles",
    "dodona.treebank.graphs.graphs.planarise",
    "dodona.treebank.graphs.graphs.deplanarise",
    "dodona.evaluation.evaluate_graphs",
    "dodona.synthetic.generator.random_tree",
    "dodona.synthetic.generator.synthetic_treebank",
)
EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def settings() -> str:
    """Every setting of training with its default, its choices and what it means."""
    rows = ["| setting | default | meaning |", "|---|---|---|"]
    for setting in fields(dodona.Settings):
        choices = setting.metadata["choices"]
        among = f" ({', '.join(f'`{choice}`' for choice in choices)})" if choices else ""
        meaning = setting.metadata["help"] + among
        rows.append(f"| `{setting.name}` | `{setting.default}` | {meaning} |")
    return "\n".join(rows)


def templates() -> str:
    """The template sets that ship, with what their first line says."""
    rows = ["| name | templates | what |", "|---|---|---|"]
    for name in template_names():
        text = load_templates(name)
        about = text.splitlines()[0].lstrip("# ")
        rows.append(f"| `{name}` | {len(parse_templates(text))} | {about} |")
    return "\n".join(rows)


def systems() -> str:
    """The transition systems, with what their classes say."""
    parts = []
    for name in dodona.systems():
        cls = type(dodona.system(name, labels=["root"]))
        parts.append(f"### `{name}`\n\n{text_of(cls)}")
    return "\n\n".join(parts)


def api() -> str:
    """Every public name."""
    parts = [
        entry(f"dodona.{name}", getattr(dodona, name))
        for name in dodona.__all__
        if name != "__version__"
    ]
    for path in ALSO:
        module, _, name = path.rpartition(".")
        parts.append(entry(path, getattr(import_module(module), name)))
    return "\n\n".join(parts)


def entry(path: str, thing: Any) -> str:
    """A heading, the signature, the docstring; for a class, its methods and properties too."""
    parts = [f"## `{path}`", code(path.rpartition(".")[2] + signature(thing)), text_of(thing)]
    if inspect.isclass(thing):
        names = [field.name for field in fields(thing)] if is_dataclass(thing) else []
        names += getattr(thing, "_fields", ())
        for name, member in vars(thing).items():
            if name.startswith("_") or name in names or not inspect.getdoc(member):
                continue
            is_method = callable(member) or isinstance(member, (classmethod, staticmethod))
            shown = signature(getattr(thing, name)) if is_method else ""
            parts.append(f"**`{name}{shown}`**\n\n{text_of(member)}")
    return "\n\n".join(part for part in parts if part)


class Plain(str):
    """An annotation that shows as it was written, without quotes."""

    def __repr__(self) -> str:
        return str(self)


def annotation(found: Any) -> Any:
    written = getattr(found, "__forward_arg__", found)
    return Plain(written) if isinstance(written, str) else found


def signature(thing: Any) -> str:
    """As Python knows it; a compiled class keeps its own to itself."""
    try:
        found = inspect.signature(thing)
    except ValueError:
        return ""
    shown = [
        parameter.replace(annotation=annotation(parameter.annotation))
        for name, parameter in found.parameters.items()
        if name != "self"
    ]
    returned = inspect.Signature.empty if inspect.isclass(thing) else found.return_annotation
    return str(found.replace(parameters=shown, return_annotation=annotation(returned)))


def text_of(thing: Any) -> str:
    """The docstring as Markdown: examples become blocks of code."""
    return EXAMPLE.sub(lambda match: code(match[0], "pycon"), inspect.getdoc(thing) or "")


def code(text: str, kind: str = "python") -> str:
    return f"```{kind}\n{text}\n```"


SOURCES = {"settings": settings, "templates": templates, "systems": systems, "api": api}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for every page."""
    for name, source in SOURCES.items():
        if (place := f"{{{{ {name} }}}}") in markdown:
            markdown = markdown.replace(place, source())
    return markdown
