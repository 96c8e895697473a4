"""Rooms of Cython modules become one extension each: `tools/join.py`, on rooms made up here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

JOIN = Path(__file__).parent.parent / "tools" / "join.py"
STATE = '''"""States."""
cdef enum:
    NONE = -1
cdef inline int top(int depth) noexcept nogil:
    return NONE
'''
OAK = '''"""Oaks

x = 1 in a docstring is no name of the module.
"""
from dodona.core.states.state cimport (
    top)
from dodona.core.other.leaves cimport leaf
from dodona.core.states.plain import twice

RINGS = 3


def speak(n):
    return twice(n)


cdef class Oak:
    pass


cdef int whisper() noexcept nogil:
    return top(0) + leaf()
'''
FILES = {
    "core/states/state.pxd": STATE,
    "core/states/oak.pyx": OAK,
    "core/states/plain.py": "def twice(n): return 2 * n\n",
    "core/other/leaves.pxd": "cdef int leaf() noexcept nogil\n",
    "core/other/leaves.pyx": "cdef int leaf() noexcept nogil:\n    return 1\n",
    "core/base/only.pxd": "cdef enum:\n    ONE = 1\n",
    "treebank/word.pyx": "from dodona.core.states.oak cimport Oak\n",
    "treebank/graphs/arc.pyx": "from dodona.treebank.word import what\n",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "src" / "dodona" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "src"


def join(what: str, source: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(JOIN), what, str(source), str(source.parent / "made")]
    return subprocess.run(command, capture_output=True, text=True)


def made(source: Path, name: str) -> str:
    return (source.parent / "made" / name).read_text(encoding="utf-8")


def test_a_room_is_a_folder_of_the_core_or_of_the_package_and_the_largest_comes_first(
    source: Path,
) -> None:
    assert join("packages", source).stdout.split() == [
        "dodona._compiled.core_states",
        "dodona._compiled.treebank",
        "dodona._compiled.core_other",
    ]


def test_an_extension_includes_its_modules_after_what_they_need(source: Path) -> None:
    assert join("dodona._compiled.treebank", source).stdout.splitlines()[1:] == [
        'include "dodona/treebank/word.pyx"',
        'include "dodona/treebank/graphs/arc.pyx"',
    ]
    join("packages", source)
    declared = made(source, "cython/dodona/_compiled/core_states.pxd")
    assert declared == 'include "dodona/core/states/state.pxd"\n'


def test_an_extension_changes_with_what_its_declarations_lead_to(source: Path) -> None:
    """Or it would read another room's structures as they were."""
    other, treebank = "dodona._compiled.core_other", "dodona._compiled.treebank"
    before = {name: join(name, source).stdout for name in (other, treebank)}
    declarations = source / "dodona/core/states/state.pxd"
    declarations.write_text(declarations.read_text() + "\ncdef int more\n")
    assert join(other, source).stdout == before[other]
    assert join(treebank, source).stdout != before[treebank]  # through core/states/oak


def test_lines_keep_their_numbers_and_imports_lead_to_extensions(source: Path) -> None:
    join("packages", source)
    lines = made(source, "cython/dodona/core/states/oak.pyx").split("\n")
    assert lines[4:6] == ["", ""]  # from the same room
    assert lines[6] == "from dodona._compiled.core_other cimport leaf"
    assert lines[7:] == OAK.split("\n")[7:]
    assert made(source, "cython/dodona/core/base/only.pxd") == FILES["core/base/only.pxd"]


def test_public_names_are_found_in_a_file_of_the_modules_name(source: Path) -> None:
    join("packages", source)
    text = made(source, "python/dodona/core/states/oak.py")
    assert text.endswith("\nfrom dodona._compiled.core_states import Oak, RINGS, speak\n")
    assert "x = 1 in a docstring" in text.split("\n")[0]
    assert not (source.parent / "made/python/dodona/core/states/state.py").exists()


def test_what_did_not_change_is_not_written_again(source: Path) -> None:
    join("packages", source)
    path = source.parent / "made/cython/dodona/core/states/oak.pyx"
    before = path.stat().st_mtime_ns
    join("packages", source)
    assert path.stat().st_mtime_ns == before


def test_what_was_made_of_files_that_have_gone_goes_too(source: Path) -> None:
    join("packages", source)
    (source / "dodona/core/states/oak.pyx").rename(source / "dodona/core/states/elm.pyx")
    join("packages", source)
    made_now = {path.stem for path in (source.parent / "made").rglob("states/*.p*")}
    assert made_now == {"state", "elm"}
    assert made(source, "cython/dodona/_compiled/core_states.pxd")


@pytest.mark.parametrize(
    "twice", ["def speak(): pass\n", "cdef int top(): pass\n", "cdef enum:\n    RINGS = 1\n"]
)
def test_a_name_that_two_files_of_a_room_define_is_refused(source: Path, twice: str) -> None:
    (source / "dodona/core/states/pine.pyx").write_text(twice, encoding="utf-8")
    result = join("packages", source)
    assert result.returncode != 0
    assert "pine.pyx:1" in result.stderr and "compiled as one" in result.stderr


def test_a_circle_is_refused_also_where_it_leads_through_python(source: Path) -> None:
    plain = source / "dodona/core/states/plain.py"
    plain.write_text("from dodona.core.states.oak import speak\n", encoding="utf-8")
    result = join("packages", source)
    assert result.returncode != 0
    assert "dodona.core.states.oak" in result.stderr and "circular import" in result.stderr


def test_the_files_of_cython_are_listed(source: Path) -> None:
    found = join("files", source).stdout.split()
    expected = {f"dodona/{name}" for name in FILES if not name.endswith(".py")}
    assert sorted(found) == sorted(expected)


def test_a_second_distribution_builds_upon_the_declarations_of_the_first(
    source: Path, tmp_path: Path
) -> None:
    papers = tmp_path / "papers" / "dodona_papers" / "experiments" / "elm.pyx"
    papers.parent.mkdir(parents=True)
    text = "from dodona.core.states.state cimport top\n\ndef elm():\n    return top(1)\n"
    papers.write_text(text, encoding="utf-8")
    name, folders = "dodona_papers._compiled.experiments", [tmp_path / "papers", tmp_path / "made"]

    def run(command: str) -> str:
        words = [sys.executable, JOIN, command, *folders, source]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    assert run("packages").split() == [name]
    assert made(source, "cython/dodona_papers/experiments/elm.pyx") == text.replace(
        "dodona.core.states.state", "dodona._compiled.core_states"
    )
    assert made(source, "cython/dodona/_compiled/core_states.pxd")
    facade = made(source, "python/dodona_papers/experiments/elm.py")
    assert facade.endswith(f"from {name} import elm\n")
    first = run(name)
    assert first.splitlines()[1:] == ['include "dodona_papers/experiments/elm.pyx"']
    (source / "dodona/core/states/state.pxd").write_text(STATE.replace("-1", "-2"))
    assert run(name) != first  # compiled again when a declaration of the first changes
