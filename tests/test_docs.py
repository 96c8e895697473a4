"""Run the code of the documentation: Markdown files and examples in docstrings."""

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
# docstrings, whose examples run with their modules
GENERATED = re.compile(r"^<!-- (?:api|systems) -->$.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS


def modules() -> list[str]:
    """Return every module of the installed packages, compiled ones included."""
    found = (
        *pkgutil.walk_packages(dodona.__path__, "dodona."),
        *pkgutil.walk_packages(dodona_papers.__path__, "dodona_papers."),
    )
    return ["dodona", *(module.name for module in found if not module.name.endswith("__main__"))]


def blocks(path: Path) -> list[tuple[int, str, str]]:
    """Return line, kind and code of a page's blocks of code."""
    text = GENERATED.sub(
        lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8")
    )
    return [
        (text.count("\n", 0, match.start()) + 2, match[1], match[2])
        for match in BLOCK.finditer(text)
    ]


def needs_missing_extra(code: str) -> bool:
    """Say whether the code imports an extra, named in its comment, that is not installed."""
    extras = re.findall(r"\bimport (\w+)  # pip install \"dodona\[", code)
    return any(importlib.util.find_spec(name) is None for name in extras)


def run_examples(test: doctest.DocTest, *, keep: bool = False) -> None:
    """Run a doctest and fail with its output."""
    output: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(
        test, out=output.append, clear_globs=not keep
    )
    assert not failed, "".join(output)


def run_commands(code: str) -> None:
    """Run the commands after `$`, and compare their output with the lines that follow."""
    if sys.platform == "win32":
        return  # the pages assume a POSIX shell
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
    """Write the files that the pages name into the folder where they run."""
    monkeypatch.chdir(tmp_path)
    for seed, part in enumerate(["train", "dev", "test"], start=1):
        write_treebank(f"{part}.conllu", 60, seed)


@pytest.mark.usefixtures("treebank", "own_systems")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_code_of_a_page_runs_from_top_to_bottom(path: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for line, kind, code in blocks(path):
        if needs_missing_extra(code):
            continue
        if kind == "python":
            # blank lines above it, so that a traceback has the line number of the page
            exec(compile("\n" * (line - 1) + code, str(path), "exec"), names)
        elif kind == "console":
            run_commands(code)
        else:
            test = doctest.DocTestParser().get_doctest(code, names, path.name, str(path), line - 1)
            test.globs = names  # blocks share their names, so no copy
            run_examples(test, keep=True)


def test_the_readme_has_code_of_both_kinds() -> None:
    assert {kind for _, kind, _ in blocks(ROOT / "README.md")} == {"python", "pycon"}


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module_hold(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if "pip install" not in str(error) and error.name != "torch":  # of the extra `teachers`
            raise
        pytest.skip(str(error))  # the extra is not installed
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        run_examples(test)


@pytest.mark.parametrize("name", ["dodona._compiled.treebank", "dodona._compiled.core_transitions"])
def test_examples_are_found_in_compiled_modules(name: str) -> None:
    module: ModuleType = importlib.import_module(name)
    assert not str(module.__file__).endswith(".py")
    assert any(test.examples for test in doctest.DocTestFinder().find(module))


def test_the_demo_does_what_it_says(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "demo.py"), str(tmp_path)]
    utf8 = os.environ | {"PYTHONIOENCODING": "utf-8"}  # whatever the encoding of the console
    shown = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env=utf8)
    scores = dodona.evaluate(tmp_path / "test.conllu", tmp_path / "parsed.conllu")
    assert f"LAS {scores.las:.2f}" in shown.stdout
    assert scores.las > 90
    assert "●" in shown.stdout  # a tree
    assert dodona.load(tmp_path / "demo.dodona").record["best_epoch"]
    assert "What to type next" in shown.stdout
