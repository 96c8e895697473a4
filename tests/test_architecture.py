"""Imports run downwards only, module by module: what ARCHITECTURE.md says, read off the sources."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "dodona"
PAPERS = ROOT / "papers" / "src" / "dodona_papers"

# From the bottom up. A layer is a folder (in `core`, each of its folders) or a module at the root
# of the package. It may import itself and what is listed before its own line.
LAYERS = (
    {"errors", "logs", "records"},
    {"core.base", "drawing", "extras", "storage.atomic"},
    {"core.weights", "core.transitions", "core.clustering", "storage.container"},
    {"core.features", "core.segmenting", "core.identifying"},
    {"core.network"},
    {"core.search", "core.tagging"},
    {"core.learning"},
    {"treebank"},
    {"storage", "synthetic", "bridges", "settings", "query", "validation", "glossary"},
    {"facts", "languages"},
    {"doc", "batches", "evaluation", "training", "models"},
    {"rules"},
    {"segmentation", "clustering", "enhancing"},
    {"tagging"},
    {"parsing"},
    {"training.neural"},
    {"pipeline"},
    {"distilling"},
    {"dodona"},  # the public names
    {"explorer", "arrow", "annotate"},
    {"arrow.runs"},
    {"server", "spacy_component"},
    {"server.http"},
    {"server.requests"},
    {"server.answers"},
    {"server.routes"},
    {"server.app"},
    {"server.workbench"},
    {"server.program"},
    {"server.supervisor"},
    {"cli"},
    {"__main__", "papers"},  # the command; a distribution of its own
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
    """Return the layer of a module: its folder, or the module itself at the root."""
    if module.split(".")[0] == PAPERS.name:
        return "papers"
    parts = module.split(".")[1:] or [module]
    two = ".".join(parts[:2])
    return two if parts[0] == "core" or two in set().union(*LAYERS) else parts[0]


def rank_of(layer: str) -> int:
    return next(i for i, layers in enumerate(LAYERS) if layer in layers)


def own_modules() -> list[str]:
    """Return all modules except packages that only hold others."""
    return sorted(files().keys() - {"dodona.core", "dodona._compiled", "dodona_papers._compiled"})


def test_every_layer_is_listed() -> None:
    missing = {layer_of(module) for module in own_modules()} - set().union(*LAYERS)
    assert not missing, "add the new layer to LAYERS and ARCHITECTURE.md"
    assert set().union(*LAYERS) == {layer_of(module) for module in own_modules()}, "dead layers"


@pytest.mark.parametrize("module", own_modules())
def test_imports_run_downwards(module: str) -> None:
    mine = layer_of(module)
    for needed in imports()[module] - {"dodona._compiled"}:
        theirs = layer_of(needed)
        assert mine == theirs or rank_of(theirs) < rank_of(mine), f"{module} imports {needed}"


def drawn_arrows() -> list[tuple[str, str]]:
    """Return the pairs of packages that the first diagram of ARCHITECTURE.md connects."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    _, diagram, _ = text.split("```", 2)
    chains = [line.split("-->") for line in diagram.splitlines() if "-->" in line]
    pairs = (pair for chain in chains for pair in pairwise(map(str.strip, chain)))
    return [*pairs]


def package_of(module: str) -> str:
    """Return the package of a module, as the diagram names it."""
    return layer_of(module).removeprefix("training.").split(".")[0]


@pytest.mark.parametrize(("one", "other"), drawn_arrows())
def test_an_arrow_in_the_diagram_is_an_import(one: str, other: str) -> None:
    assert any(
        package_of(module) == one and other in map(package_of, needed)
        for module, needed in imports().items()
    )


def test_no_module_imports_itself_through_others() -> None:
    graph = dict(imports())
    while free := {module for module, needed in graph.items() if not needed & graph.keys()}:
        graph = {module: needed for module, needed in graph.items() if module not in free}
    # the rest also has modules that lead into a cycle: remove those that nothing imports
    while idle := graph.keys() - set().union(*graph.values()):
        graph = {module: needed for module, needed in graph.items() if module not in idle}
    circle = {module: sorted(needed & graph.keys()) for module, needed in graph.items()}
    assert not circle


def test_the_core_imports_nothing_from_above() -> None:
    for module in own_modules():
        if module.startswith("dodona.core."):
            above = imports()[module] - {"dodona.errors"}
            assert all(needed.startswith("dodona.core.") for needed in above), module


def test_packages_are_small() -> None:
    # a folder is a package of its own, not a module of its parent
    modules = (m for m, paths in files().items() if paths[0].stem != "__init__")
    packages = Counter(module.rpartition(".")[0] for module in modules)
    loose = sorted(
        path.name for path in PACKAGE.iterdir() if path.suffix in {".py", ".pyx", ".pxd"}
    )
    assert len(loose) <= MOST_LOOSE_MODULES, loose
    del packages[PACKAGE.name]
    assert all(count <= MOST_MODULES for count in packages.values()), packages.most_common(3)


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
