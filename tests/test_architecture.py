"""Imports run downwards only, module by module: what ARCHITECTURE.md says, read off the sources."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "dodona"
PAPERS = ROOT / "papers" / "src" / "dodona_papers"

# From the ground up. A layer is a folder (of `core`, each of its folders), or a module at the root
# of the package. What stands on a floor may import its own layer, and those on the floors below.
FLOORS = (
    {"errors", "logs", "records"},
    {"core.base", "drawing", "extras", "storage.atomic"},
    {"core.weights", "core.transitions", "core.clustering", "storage.container"},
    {"core.features", "core.segmenting"},
    {"core.network"},
    {"core.search", "core.tagging"},
    {"core.learning"},
    {"treebank"},
    {"storage", "synthetic", "bridges", "settings", "query", "validation"},
    {"doc", "batches", "evaluation", "training", "models"},
    {"segmentation", "clustering"},
    {"tagging"},
    {"parsing"},
    {"training.neural"},
    {"pipeline"},
    {"distilling"},
    {"dodona"},  # the public names
    {"explorer", "arrow"},
    {"server", "spacy_component"},
    {"server.requests"},
    {"server.answers"},
    {"server.routes"},
    {"server.app"},
    {"cli"},
    {"papers"},  # a distribution of its own
)
MOST_LOOSE_MODULES = 10
MOST_MODULES = 25

# in Cython: from … import or cimport; the names may stand on several lines
CYTHON_FROM = re.compile(r"^\s*from\s+([\w.]+)\s+c?import\s+(\([^)]*\)|[^\n(]*)", re.MULTILINE)
CYTHON_IMPORT = re.compile(r"^\s*c?import\s+([\w.]+)", re.MULTILINE)


def name_of(path: Path) -> str:
    """The module that a file is, or a part of: `x.pyx` and `x.pxd` are one."""
    package = PAPERS if PAPERS in path.parents else PACKAGE
    name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
    return name.removesuffix(".__init__")


@cache
def files() -> dict[str, list[Path]]:
    """The files of every module; stubs only name types, also of modules above."""
    found: dict[str, list[Path]] = {}
    for path in sorted([*PACKAGE.rglob("*.p*"), *PAPERS.rglob("*.p*")]):
        if path.suffix in {".py", ".pyx", ".pxd"}:
            found.setdefault(name_of(path), []).append(path)
    return found


def named(path: Path) -> Iterator[str]:
    """Every module or name in a module that a file imports, wherever in the file it does."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in {".pyx", ".pxd"}:
        for module, names in CYTHON_FROM.findall(text):
            yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))
        yield from CYTHON_IMPORT.findall(text)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import; name the module in full"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def imported(module: str) -> set[str]:
    """The modules of ours that a module imports; a name stands for the module that has it."""
    found = set()
    for path in files()[module]:
        for name in named(path):
            while name and name not in files():
                name = name.rpartition(".")[0]
            found.add(name)
    return found - {module, ""}


@cache
def imports() -> Mapping[str, set[str]]:
    return {module: imported(module) for module in files()}


def layer_of(module: str) -> str:
    """The folder, or the folder of the core, or the module at the root, that this belongs to."""
    if module.split(".")[0] == PAPERS.name:
        return "papers"
    parts = module.split(".")[1:] or [module]
    two = ".".join(parts[:2])
    return two if parts[0] == "core" or two in set().union(*FLOORS) else parts[0]


def floor_of(layer: str) -> int:
    return next(i for i, floor in enumerate(FLOORS) if layer in floor)


def own_modules() -> list[str]:
    """All but the packages that only hold rooms, and the doors of compiled ones."""
    return sorted(files().keys() - {"dodona.core", "dodona._compiled", "dodona_papers._compiled"})


def test_every_layer_has_a_floor() -> None:
    missing = {layer_of(module) for module in own_modules()} - set().union(*FLOORS)
    assert not missing, "name the new layer in FLOORS and ARCHITECTURE.md"
    assert set().union(*FLOORS) == {layer_of(module) for module in own_modules()}, "dead layers"


@pytest.mark.parametrize("module", own_modules())
def test_imports_run_downwards(module: str) -> None:
    mine = layer_of(module)
    for needed in imports()[module] - {"dodona._compiled"}:
        theirs = layer_of(needed)
        assert mine == theirs or floor_of(theirs) < floor_of(mine), f"{module} imports {needed}"


def test_no_module_needs_itself_in_a_circle() -> None:
    graph = dict(imports())
    while free := {module for module, needed in graph.items() if not needed & graph.keys()}:
        graph = {module: needed for module, needed in graph.items() if module not in free}
    # what is left also has the modules that lead into a circle: take off those that nobody needs
    while idle := graph.keys() - set().union(*graph.values()):
        graph = {module: needed for module, needed in graph.items() if module not in idle}
    circle = {module: sorted(needed & graph.keys()) for module, needed in graph.items()}
    assert not circle


def test_the_core_knows_nothing_of_ours_from_above() -> None:
    for module in own_modules():
        if module.startswith("dodona.core."):
            above = imports()[module] - {"dodona.errors"}
            assert all(needed.startswith("dodona.core.") for needed in above), module


def test_rooms_are_small() -> None:
    # a folder is a room of its own, not a module of the one around it
    modules = (m for m, paths in files().items() if paths[0].stem != "__init__")
    rooms = Counter(module.rpartition(".")[0] for module in modules)
    loose = sorted(
        path.name for path in PACKAGE.iterdir() if path.suffix in {".py", ".pyx", ".pxd"}
    )
    assert len(loose) <= MOST_LOOSE_MODULES, loose
    del rooms[PACKAGE.name]  # rooms of its own, but for the loose ones
    assert all(count <= MOST_MODULES for count in rooms.values()), rooms.most_common(3)


@pytest.mark.parametrize(
    ("module", "needed"),
    [
        ("dodona.treebank.encoding.vocabulary", "dodona.core.features.words"),  # .pyx
        ("dodona.core.search.search", "dodona.core.features.corpus"),  # .pxd
        ("dodona.core.features.features", "dodona.core.features.templates"),  # Python from Cython
        ("dodona.parsing.parser", "dodona.storage.container"),
        ("dodona.parsing.tag_sources", "dodona.tagging.tagger_training"),
        ("dodona", "dodona.pipeline.trainers"),  # for type checkers alone
        ("dodona.treebank", "dodona.treebank.views"),  # in a function
    ],
)
def test_imports_are_found_in_every_kind_of_file(module: str, needed: str) -> None:
    assert needed in imports()[module]
