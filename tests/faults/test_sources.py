"""Patterns that sources must not contain: a failed allocation would crash or go unnoticed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "dodona"
FUNCTION = re.compile(r"^( *)cdef (?:inline )?[^\n=]*?(\w+)\([^:]*?\)([^()\n]*):\n", re.MULTILINE)
GROWS = re.compile(
    r"\.(?:push_back|emplace_back|resize|reserve|insert)\(|\.assign\((?!\S*\.size\(\),)"
)
ASSIGN = re.compile(r"([\w.\[\]]+)\.assign\(([^,()]+(?:\(\))?),\s*([^()]*(?:\(\)[^()]*)*)\)")
# their vectors have had all the room that they need from the start
ROOMY = {"touch", "merge"}


def functions(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield name, clauses and body of each C function."""
    text = path.read_text(encoding="utf-8")
    for found in FUNCTION.finditer(text):
        inside = re.compile(rf"(?:{found[1]} +[^\n]*\n|\n)*")
        body = inside.match(text, found.end())
        assert body is not None
        yield found[2], found[3], body[0]


def sources() -> list[Path]:
    return [*PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.pxd")]


def test_nothing_that_asks_for_memory_hides_its_errors() -> None:
    n_seen = 0
    for path in sources():
        for name, clauses, body in functions(path):
            n_seen += 1
            if "noexcept" in clauses and name not in ROOMY:
                assert not GROWS.search(body), f"{path}: {name} is noexcept"
    assert n_seen > 400


def test_no_vector_is_copied_where_nobody_catches_the_error() -> None:
    """Returning a vector, or making one from a list, is a copy that may fail."""
    for path in sources():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^ *cdef (?:inline )?vector\[.*\] \w+\(", text, re.MULTILINE), path
        assert not re.search(r"^ *cdef vector\[.*\] \w+ = ", text, re.MULTILINE), path
        assert ".push_back([" not in text, path


def test_no_form_of_assign_hides_its_errors() -> None:
    """Cython declares `assign(n, x)` of a vector without `except +`: bad_alloc would abort.

    Two pointers, or as many elements as there are, are fine; else `clear` and `resize`.
    """
    n_seen = 0
    for path in sources():
        for found in ASSIGN.finditer(path.read_text(encoding="utf-8")):
            n_seen += 1
            vector, first, second = found.groups()
            is_refill = first == f"{vector}.size()"
            assert is_refill or second.startswith(f"{first} + "), f"{path}: {found[0]}"
    assert n_seen > 10


def test_no_loop_copies_elements_that_own_memory() -> None:
    """`for x in vector` copies each element: MemoryError for a table would be an abort."""
    for path in sources():
        text = path.read_text(encoding="utf-8")
        owners = re.findall(r"cdef vector\[(?:vector\[.*\]|Table|Matrix|Rows)\] (\w+)", text)
        module = path.with_suffix(".pyx").read_text(encoding="utf-8") if owners else ""
        for owner in owners:
            assert not re.search(rf" in self\.{owner}\b(?![.\[])", module), (path, owner)
