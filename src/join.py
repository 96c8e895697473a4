"""Join the compiled modules of a room into one, which builds in less than a third of the time.

Whatever a module of Cython says, it brings thousands of lines of machinery to the C++ compiler. So
the modules of a room are compiled as one extension, which is made of `include` lines. To whoever
reads it, a file stays a module: it imports what it uses, is imported by its own name, and errors
name its lines. What follows is that files of one room do not define a name twice; this says where
they do. It also refuses modules that import each other in a circle.

    python join.py files SOURCE TARGET              prints the files of Cython
    python join.py rooms SOURCE TARGET              fills TARGET/cython and TARGET/python, and
                                                    prints the extension modules, the
                                                    longest to compile first
    python join.py EXTENSION SOURCE TARGET          prints the source of one of them

A room is a folder of `core`, or else a folder of the package with all that is below it. Its
extension is `dodona._compiled.ROOM`; for each of its modules, a Python file takes the public names
from there.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = "dodona"
JOINED = f"{PACKAGE}._compiled"  # where the extension modules are, one a room
# from MODULE import or cimport NAMES; the names may stand in parentheses, on several lines
IMPORT = re.compile(rf"^from ({PACKAGE}[\w.]*) (c?import) (\([^)]*\)|[^\n(]*)(?=\n)", re.MULTILINE)
DOCSTRING = re.compile(r'"""(?:.|\n)*?"""')
CONSTANTS = re.compile(r"^cdef enum:\n((?:    .*\n|\n)+)", re.MULTILINE)
# what Python sees of a module: functions, classes, constants
PUBLIC = re.compile(
    r"^(?:def|class|cpdef (?:enum )?|cdef class) ([A-Za-z]\w*)|^([A-Za-z]\w*)(?:: [^=\n]+)? = ",
    re.MULTILINE,
)
# and what only Cython does: functions, structures, variables
HIDDEN = re.compile(
    r"^cdef (?!class|enum|extern)(?:[^\n=(]*?)(\w+)(?:\[\w*\])*(?: =|:|\(|$)", re.MULTILINE
)


@dataclass
class Module:
    """One .pyx file, one .pxd file, or both of the same name."""

    name: str  # in full, with dots
    texts: dict[str, str] = field(default_factory=dict)  # by suffix

    def path(self, suffix: str) -> Path:
        """Where its file of that kind is, from the folder of the package on."""
        return Path(*self.name.split(".")).with_suffix(suffix)

    @property
    def needs(self) -> set[str]:
        """The modules of ours that it (c)imports."""
        return {found[1] for text in self.texts.values() for found in IMPORT.finditer(text)}

    def code(self, suffix: str) -> str:
        """A file without its docstrings, every line with the number that it has."""
        return DOCSTRING.sub(lambda found: "\n" * found[0].count("\n"), self.texts.get(suffix, ""))

    @property
    def public(self) -> list[str]:
        """Its names that Python can see."""
        return sorted({found[found.lastindex or 1] for found in PUBLIC.finditer(self.code(".pyx"))})

    def defined(self) -> Iterator[tuple[str, str]]:
        """Every name that it defines, with the file and line where it does."""
        for suffix in self.texts:
            text = self.code(suffix)
            for pattern in (PUBLIC, HIDDEN):
                for found in pattern.finditer(text):
                    line = text.count("\n", 0, found.start()) + 1
                    yield found[found.lastindex or 1], f"{self.path(suffix)}:{line}"
            for block in CONSTANTS.finditer(text):
                line = text.count("\n", 0, block.start()) + 1
                for names in re.findall(r"^    (\w+(?:, \w+)*)", block[1], re.MULTILINE):
                    yield from ((name, f"{self.path(suffix)}:{line}") for name in names.split(", "))


def room_of(name: str) -> str:
    """The room that a module belongs to, in full."""
    parts = name.split(".")
    return ".".join(parts[: 3 if parts[1] == "core" else 2])


def extension(room: str) -> str:
    """The module that a room is compiled to."""
    return f"{JOINED}.{'_'.join(room.split('.')[1:])}"


def read_modules(source: Path) -> dict[str, Module]:
    """Every module below the folder, by name; those of Python, too, since they lead to others."""
    modules: dict[str, Module] = {}
    for path in sorted((source / PACKAGE).rglob("*")):
        if path.suffix in (".py", ".pyx", ".pxd"):
            name = ".".join(path.relative_to(source).with_suffix("").parts)
            text = path.read_text(encoding="utf-8")
            modules.setdefault(name, Module(name)).texts[path.suffix] = text
    return modules


def in_order(modules: dict[str, Module], names: list[str]) -> list[Module]:
    """The modules of these names, each after those it needs, be it through others."""
    ordered: dict[str, Module] = {}
    way: list[str] = []  # from a name to what it needs

    def visit(name: str) -> None:
        if name in way:
            sys.exit(f"{', '.join(way[way.index(name) :])} import each other in a circle")
        if name not in ordered:
            way.append(name)
            for needed in sorted(modules[name].needs & modules.keys()):
                visit(needed)
            ordered[way.pop()] = modules[name]

    for name in names:
        visit(name)
    return [module for name, module in ordered.items() if name in names]


def check_names(room: list[Module]) -> None:
    """Refuse a name that two modules define."""
    owners: dict[str, tuple[Module, str]] = {}
    for module in room:
        for name, place in module.defined():
            owner, first = owners.setdefault(name, (module, place))
            if owner is not module:
                sys.exit(
                    f"{place}: {name!r} is also defined at {first}, and a room is compiled as one"
                )


def rewrite_imports(text: str, room: str, compiled: set[str]) -> str:
    """The text with imports that hold once rooms are joined; every line keeps its number."""

    def change(found: re.Match[str]) -> str:
        module, kind, names = found.groups()
        if module not in compiled:
            return found[0]
        if room_of(module) == room:
            return "\n" * found[0].count("\n")
        return (
            f"from {extension(room_of(module))} {kind} {names}" if kind == "cimport" else found[0]
        )

    return IMPORT.sub(change, text)


def facade(module: Module) -> str:
    """The Python file of a module: its docstring and its public names."""
    opening = re.match(r'\s*("""(?:.|\n)*?""")', module.texts[".pyx"])
    told = ast.literal_eval(opening[1]) if opening else ""
    names = ", ".join(module.public)
    return f"{told!r}\n\nfrom {extension(room_of(module.name))} import {names}\n"


def write(path: Path, text: str) -> None:
    """Write a file unless it says so already: what did not change is not built again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def includes(ordered: list[Module], suffix: str) -> str:
    """The source of an extension."""
    paths = (module.path(suffix) for module in ordered if suffix in module.texts)
    return "".join(f'include "{path.as_posix()}"\n' for path in paths)


def remove_stale(source: Path, target: Path) -> None:
    """Delete what an earlier run made of files that have gone."""
    for path in target.rglob("*.p*"):
        kind, *place = path.relative_to(target).parts
        origin = source.joinpath(*place)
        if kind == "python":
            origin = origin.with_suffix(".pyx")
        if path.is_file() and JOINED.split(".")[1] not in place and not origin.exists():
            path.unlink()


def join(room: str, ordered: list[Module], compiled: set[str], target: Path) -> None:
    """Write the declarations of an extension, what it includes, and the modules' Python files."""
    check_names(ordered)
    for module in ordered:
        for suffix, text in module.texts.items():
            write(target / "cython" / module.path(suffix), rewrite_imports(text, room, compiled))
        if module.public:
            write(target / "python" / module.path(".py"), facade(module))
    declarations = Module(extension(room)).path(".pxd")
    write(target / "cython" / declarations, includes(ordered, ".pxd"))


def declared(modules: dict[str, Module], names: list[str]) -> str:
    """A digest of all declarations that modules see, be it through others.

    Cython does not tell the build of declarations that those of a room lead to. If they change, so
    does the source of the extension, and it is built again: otherwise it would read structures of
    other rooms as they were.
    """
    seen: dict[str, None] = dict.fromkeys(names)
    for name in (waiting := [*names]):
        for needed in sorted(modules[name].needs & modules.keys() - seen.keys()):
            seen[needed] = None
            waiting.append(needed)
    texts = (modules[name].texts.get(".pxd", "") for name in sorted(seen))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def n_letters(modules: dict[str, Module], names: list[str]) -> int:
    """How much there is to compile."""
    return sum(len(text) for name in names for text in modules[name].texts.values())


def main(what: str, source: Path, target: Path) -> None:
    modules = read_modules(source)
    rooms: dict[str, list[str]] = {}
    for name, module in modules.items():
        if module.texts.keys() != {".py"}:
            rooms.setdefault(room_of(name), []).append(name)
    if what == "files":
        print(
            *(
                modules[name].path(suffix).as_posix()
                for names in rooms.values()
                for name in names
                for suffix in modules[name].texts
            )
        )
        return
    compiled = {
        name
        for names in rooms.values()
        if any(".pyx" in modules[name].texts for name in names)
        for name in names
    }
    if what == "rooms":
        remove_stale(source, target)
    # the longest first, so that at the end of the build no core waits for another
    for room, names in sorted(rooms.items(), key=lambda item: -n_letters(modules, item[1])):
        if names[0] not in compiled:  # declarations only: each file as it is
            for name in names:
                path = modules[name].path(".pxd")
                write(target / "cython" / path, modules[name].texts[".pxd"])
        elif what == "rooms":
            join(room, in_order(modules, names), compiled, target)
            print(extension(room))
        elif what == extension(room):
            print(f"# declarations {declared(modules, names)}")
            print(includes(in_order(modules, names), ".pyx"), end="")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
