"""Imports run downwards only: ARCHITECTURE.md says how, this reads it off the sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "dodona"
FACADE = "__init__"  # `import dodona`: the public names

# From the ground up; a part may import those of its own layer and of the layers below.
LAYERS = (
    {"core", "drawing"},
    {"treebank"},
    {"container", "settings", "checkpoint", "parser", "training", "evaluation", "experiments"}
    | {"batches", "clusters", "preparation", "svm", "tag_sources", "tagger", "tagger_training"}
    | {"bridges", "doc", "lemma_learning", "models", "segmenter", "segmenter_rules"}
    | {"graph_preparation", "graph_training", "maxent", "segmenter_training", "weights"},
    {"pipeline", FACADE},
    {"show", "server", "cli", "spacy_component"},
)

# a line of Cython: from … import or cimport, or a plain (c)import
CYTHON_FROM = re.compile(r"^\s*from\s+([\w.]+)\s+c?import\s+\(?\s*(\w+)", re.MULTILINE)
CYTHON_IMPORT = re.compile(r"^\s*c?import\s+([\w.]+)", re.MULTILINE)


def part_of(path: Path) -> str:
    """The part of the house a file belongs to: its folder, or itself."""
    return path.relative_to(PACKAGE).parts[0].split(".")[0]


PARTS = sorted({part_of(path) for path in PACKAGE.rglob("*.py")} - {"__main__"})


def absolute(path: Path, module: str) -> str:
    """`..x` in a file, as a full name."""
    dots = len(module) - len(module.lstrip("."))
    if not dots:
        return module
    package = ["dodona", *path.relative_to(PACKAGE).parts[:-1]]
    return ".".join([*package[: len(package) - dots + 1], *filter(None, [module[dots:]])])


def imported(path: Path) -> Iterator[str]:
    """Every module a file names, wherever in the file it does."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        for module, name in CYTHON_FROM.findall(text):
            yield f"{absolute(path, module)}.{name}"
        yield from CYTHON_IMPORT.findall(text)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = absolute(path, "." * node.level + (node.module or ""))
            yield from (f"{module}.{name.name}" for name in node.names)


def parts_imported(path: Path) -> set[str]:
    """The parts of the house a file needs; a public name of `dodona` stands for all of it."""
    found = set()
    for module in imported(path):
        package, _, rest = f"{module}.".partition(".")
        if package == "dodona":
            part = rest.split(".")[0]
            found.add(part if part in PARTS else FACADE)
    return found


def sources() -> list[Path]:
    kinds = {".py", ".pyx", ".pxd"}
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in kinds)


def needs() -> dict[str, set[str]]:
    """For every part, the other parts it imports."""
    graph: dict[str, set[str]] = {part: set() for part in PARTS}
    for path in sources():
        if part_of(path) in graph:
            graph[part_of(path)] |= parts_imported(path) - {part_of(path)}
    return graph


def layer(part: str) -> int:
    return next(i for i, parts in enumerate(LAYERS) if part in parts)


def test_every_part_has_a_layer() -> None:
    assert set(PARTS) <= set().union(*LAYERS), "name the new part in LAYERS and ARCHITECTURE.md"


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_downwards(path: Path) -> None:
    if part_of(path) == "__main__":
        pytest.skip("python -m dodona only calls the command line")
    upwards = {part for part in parts_imported(path) if layer(part) > layer(part_of(path))}
    assert not upwards, f"{part_of(path)} stands below {', '.join(sorted(upwards))}"


def test_no_part_needs_itself_in_a_circle() -> None:
    graph = needs()
    while free := {part for part, needed in graph.items() if not needed & graph.keys()}:
        graph = {part: needed for part, needed in graph.items() if part not in free}
    assert not graph, f"these parts import each other in a circle: {', '.join(graph)}"


@pytest.mark.parametrize("part", sorted(LAYERS[0]))
def test_the_ground_floor_imports_nothing_of_ours(part: str) -> None:
    assert needs()[part] == set()


def test_imports_are_found_in_every_kind_of_file() -> None:
    """The readers above, against imports that are known to be there."""
    assert "core" in parts_imported(PACKAGE / "treebank" / "vocabulary.pyx")
    assert "core" in parts_imported(PACKAGE / "treebank" / "encoding.pyx")
    assert "container" in parts_imported(PACKAGE / "parser.py")
    assert parts_imported(PACKAGE / "core" / "greedy.pxd") == {"core"}
    assert parts_imported(PACKAGE / "__init__.py") >= {"core", "parser", "pipeline"}
