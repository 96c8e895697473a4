"""What the documentation says, run: code in Markdown files, and the examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dodona
import dodona_papers
from dodona.synthetic.generator import write_treebank

ROOT = Path(__file__).parent.parent
PAGES = [
    path
    for path in [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    if re.search("^```(py|console)", path.read_text(encoding="utf-8"), re.MULTILINE)
]
BLOCK = re.compile(r"^```(python|pycon|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS


def modules() -> list[str]:
    """Every module of both installed packages, compiled ones included."""
    found = [
        *pkgutil.walk_packages(dodona.__path__, "dodona."),
        *pkgutil.walk_packages(dodona_papers.__path__, "dodona_papers."),
    ]
    return ["dodona", *(module.name for module in found if not module.name.endswith("__main__"))]


def blocks(path: Path) -> list[tuple[int, str, str]]:
    """Line, kind and code of a page's Python blocks."""
    text = path.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start()) + 2, match[1], match[2])
        for match in BLOCK.finditer(text)
    ]


def needs_what_is_not_here(code: str) -> bool:
    """Whether the code imports an extra, as it says itself, that is not installed."""
    extras = re.findall(r"\bimport (\w+)  # pip install \"dodona\[", code)
    return any(importlib.util.find_spec(name) is None for name in extras)


def run_examples(test: doctest.DocTest, *, keep: bool = False) -> None:
    """Run a doctest and fail with what it printed."""
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(
        test, out=said.append, clear_globs=not keep
    )
    assert not failed, "".join(said)


def run_commands(code: str) -> None:
    """Run what stands behind `$`, and compare what it prints with the lines that follow."""
    if sys.platform == "win32":
        return  # pages are written for other shells
    scripts = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for block in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        command, _, expected = block.partition("\n")
        done = subprocess.run(command, shell=True, capture_output=True, env=scripts)
        assert done.returncode == 0, f"{command}: {done.stderr.decode()}"
        found = done.stdout.decode().rstrip() + "\n"
        expected = expected.rstrip() + "\n"
        assert doctest.OutputChecker().check_output(expected, found, OPTIONS), (command, found)


@pytest.fixture
def treebank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that the pages name, in the folder where they run."""
    monkeypatch.chdir(tmp_path)
    for seed, part in enumerate(["train", "dev", "test"], start=1):
        write_treebank(f"{part}.conllu", 60, seed)


@pytest.mark.usefixtures("treebank", "own_systems")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_code_of_a_page_runs_from_top_to_bottom(path: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for line, kind, code in blocks(path):
        if needs_what_is_not_here(code):
            continue
        if kind == "python":
            # as many lines above it as in the page, so that a traceback tells the page's line
            exec(compile("\n" * (line - 1) + code, str(path), "exec"), names)
        elif kind == "console":
            run_commands(code)
        else:
            test = doctest.DocTestParser().get_doctest(code, names, path.name, str(path), line - 1)
            test.globs = names  # not the copy that the parser made: blocks share their names
            run_examples(test, keep=True)


def test_the_readme_has_code_of_both_kinds() -> None:
    assert {kind for _, kind, _ in blocks(ROOT / "README.md")} == {"python", "pycon"}


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module_hold(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))  # what it needs is an extra that is not there
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        run_examples(test)


@pytest.mark.parametrize("name", ["dodona._compiled.treebank", "dodona._compiled.core_transitions"])
def test_examples_are_found_in_compiled_modules(name: str) -> None:
    module: ModuleType = importlib.import_module(name)
    assert not str(module.__file__).endswith(".py")
    assert any(test.examples for test in doctest.DocTestFinder().find(module))


def test_the_demo_does_what_it_says(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "demo.py"), str(tmp_path)]
    utf8 = os.environ | {"PYTHONIOENCODING": "utf-8"}  # also where the console has another
    shown = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env=utf8)
    scores = dodona.evaluate(tmp_path / "test.conllu", tmp_path / "parsed.conllu")
    assert f"LAS {scores.las:.2f}" in shown.stdout
    assert scores.las > 90
    assert "●" in shown.stdout  # a tree
    assert dodona.load(tmp_path / "demo.dodona").record["best_epoch"]
    assert "What to type next" in shown.stdout
