"""Generated parts of pages: figures, settings, templates, systems, the API, files, dodona(1).

    python -m tools.pages           lists the pages whose generated parts are out of date
    python -m tools.pages --write   brings them up to date

A generated part stands between `<!-- NAME -->` and `<!-- end -->` and is committed, so that pages
are readable as they lie in the repository. NAME is `figures:ENTRY` (docs/figures.toml),
`file:PATH`, or one of `settings`, `templates`, `systems`, `systems-table`, `api` and `wheels`.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import dodona
from dodona.core.features.templates import load_templates, parse_templates, template_names
from dodona.core.transitions.registry import find_system
from dodona.models.index import INDEX
from dodona.records import flat_fields
from tools import figures, man

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^<!-- ([\w:./-]+) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
JOINED_WORDS = {"front": "s0, b0", "stack": "s1, s0", "hybrid": "s0, b0 and s1, s0"}
KINDS = {".py": "py", ".yaml": "yaml"}  # of fenced code; `py` is not run by the tests
# documented besides the public names of `dodona`
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
    "dodona.enhancing.enhancer.Enhancer",
    "dodona.enhancing.training.train_enhancer",
    "dodona.synthetic.generator.random_tree",
    "dodona.synthetic.generator.synthetic_treebank",
)
EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def settings() -> str:
    """Return a table of every training setting with its default, choices and meaning."""
    rows = ["| setting | default | meaning |", "|---|---|---|"]
    for setting in flat_fields(dodona.Settings):
        choices = setting.metadata["choices"]
        among = f" ({', '.join(f'`{choice}`' for choice in choices)})" if choices else ""
        meaning = setting.metadata["help"] + among
        default = f"`{setting.default}`" if setting.default != "" else ""
        rows.append(f"| `{setting.name}` | {default} | {meaning} |")
    return "\n".join(rows)


def templates() -> str:
    """Return a table of the template sets that ship, described by their first lines."""
    rows = ["| name | templates | description |", "|---|---|---|"]
    for name in template_names():
        text = load_templates(name)
        about = text.splitlines()[0].lstrip("# ")
        rows.append(f"| `{name}` | {len(parse_templates(text))} | {about} |")
    return "\n".join(rows)


def systems_table(names: Iterable[str] = ()) -> str:
    """Return a table with one row for each of these transition systems, or for all that ship."""
    rows = ["| name | builds | arcs join | artificial root | costs |", "|---|---|---|---|---|"]
    for name in names or shipped_systems():
        kind = find_system(name)
        *others, last = kind.roots
        roots = f"{', '.join(others)} or {last}" if others else last
        cells = f"`{name}`", kind.builds, JOINED_WORDS[kind.joins], roots, kind.exactness
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def shipped_systems() -> list[str]:
    """Return the names of the transition systems of the package; callers may register others."""
    return [name for name in dodona.systems() if find_system(name).__module__.startswith("dodona.")]


def systems() -> str:
    """Return the docstrings of the transition systems that ship."""
    parts = (f"### `{name}`\n\n{text_of(find_system(name))}" for name in shipped_systems())
    return "\n\n".join(parts)


def api() -> str:
    """Return the signature and docstring of every public name."""
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
    """Return the heading, signature and docstring of a name; for a class, of its members too."""
    parts = [f"## `{path}`", code(path.rpartition(".")[2] + signature(thing)), text_of(thing)]
    if inspect.isclass(thing):
        names = [field.name for field in fields(thing)] if is_dataclass(thing) else []
        names += getattr(thing, "_fields", ())
        for name, member in vars(thing).items():
            is_method = callable(member) or isinstance(member, (classmethod, staticmethod))
            is_member = is_method or hasattr(member, "__get__")  # not the default of a field
            if name.startswith("_") or name in names or not is_member or not inspect.getdoc(member):
                continue
            shown = signature(getattr(thing, name)) if is_method else ""
            parts.append(f"**`{name}{shown}`**\n\n{text_of(member)}")
    return "\n\n".join(part for part in parts if part)


class Plain(str):
    """An annotation shown as it was written, without quotes."""

    def __repr__(self) -> str:
        return str(self)


def annotation(found: Any) -> Any:
    """Return an annotation in a form that signatures show without quotes."""
    written = getattr(found, "__forward_arg__", found)
    return Plain(written) if isinstance(written, str) else found


def signature(thing: Any) -> str:
    """Return the signature of a callable; compiled classes have none."""
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
    """Return a docstring as Markdown, with its examples as fenced code."""
    return EXAMPLE.sub(lambda match: code(match[0], "pycon"), inspect.getdoc(thing) or "")


def code(text: str, kind: str = "python") -> str:
    """Return fenced code."""
    return f"```{kind}\n{text}\n```"


def wheels() -> str:
    """Return a table of the wheels in `models/`, as its index lists them."""
    rows = ["| model | language | licence | MB | file |", "|---|---|---|--:|---|"]
    index = json.loads((ROOT / "models" / INDEX).read_text(encoding="utf-8"))
    for one in index["models"]:
        cells = f"`{one['name']}`", one["language"], one["licence"], f"{one['size'] / 1e6:.1f}"
        rows.append(f"| {' | '.join(cells)} | `models/{one['file']}` |")
    return "\n".join(rows)


def file(path: str) -> str:
    """Return the content of a file of the repository as fenced code."""
    found = ROOT / path
    return code(found.read_text(encoding="utf-8").rstrip("\n"), KINDS.get(found.suffix, ""))


SOURCES = {
    "settings": settings,
    "templates": templates,
    "systems": systems,
    "systems-table": systems_table,
    "api": api,
    "wheels": wheels,
}


def generated(name: str) -> str | None:
    """Return what belongs between the marks of this name; None where another tool writes it."""
    kind, _, argument = name.partition(":")
    if kind == "figures":
        return figures.table(argument)
    if kind == "file":
        return file(argument)
    if name not in SOURCES:
        return None
    # docstrings are formatted where they are written
    return f"<!-- fmt: off -->\n\n{SOURCES[name]()}\n\n<!-- fmt: on -->"


def updated(text: str) -> str:
    """Return the text of a page with its generated parts up to date."""

    def replace(match: re.Match[str]) -> str:
        found = generated(match[1])
        return match[0] if found is None else f"<!-- {match[1]} -->\n\n{found}\n\n<!-- end -->"

    return BLOCK.sub(replace, text)


def pages() -> Iterator[Path]:
    """Yield the Markdown pages that may have generated parts."""
    yield ROOT / "README.md"
    yield ROOT / "models" / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def outdated() -> dict[Path, str]:
    """Return the files whose generated parts are out of date, each with its right content."""
    found = {page: updated(page.read_text(encoding="utf-8")) for page in pages()}
    found[figures.PLOT] = figures.plot()
    found[man.PAGE] = man.make_man_page()
    return {
        path: text
        for path, text in found.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }


def main() -> None:
    """List or write what is out of date."""
    found = outdated()
    for path, text in found.items():
        print(path.relative_to(ROOT))
        if "--write" in sys.argv:
            path.write_text(text, encoding="utf-8", newline="\n")
    sys.exit(1 if found and "--write" not in sys.argv else 0)


if __name__ == "__main__":
    main()
