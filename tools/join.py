"""Join the Cython modules of each package into one extension module.

Every Cython module brings thousands of lines of generated boilerplate to the C++ compiler.
Compiling a package as one extension, made of `include` lines, takes less than a third of the time.
A file remains a module for its reader: it imports what it uses, is imported by its own name, and
tracebacks give its line numbers. In return, the files of one package must not define a name twice;
this program reports where they do. It also rejects circular imports.

    python join.py files SOURCE TARGET               print the paths of all Cython files
    python join.py packages SOURCE TARGET [BASE...]  fill TARGET/cython and TARGET/python, and print
                                                     the extension modules, the largest first
    python join.py EXTENSION SOURCE TARGET [BASE...] print the source of one extension module

SOURCE and each BASE are folders that contain a distribution's package. The modules of SOURCE may
cimport from those of BASE, whose extensions are declared in TARGET but not printed.

The modules in each subfolder of `core`, and in each other subfolder of a distribution's package
`dist` with all that is below it, become the extension `dist._compiled.NAME`. For each module, a
generated Python file imports its public names from there.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

JOINED = "_compiled"  # the subpackage that holds a distribution's extension modules
# from MODULE (c)import NAMES; the names may be in parentheses, on several lines
IMPORT = re.compile(r"^from (dodona[\w.]*) (c?import) (\([^)]*\)|[^\n(]*)(?=\n)", re.MULTILINE)
DOCSTRING = re.compile(r'"""(?:.|\n)*?"""')
CONSTANTS = re.compile(r"^cdef enum:\n((?:    .*\n|\n)+)", re.MULTILINE)
# names that Python can see: functions, classes, constants
PUBLIC = re.compile(
    r"^(?:def|class|cpdef (?:enum )?|cdef class) ([A-Za-z]\w*)|^([A-Za-z]\w*)(?:: [^=\n]+)? = ",
    re.MULTILINE,
)
CLASSES = re.compile(r"^cdef class (\w+)", re.MULTILINE)
BASES = {"PythonBridge"}  # classes that Python code derives from
# names that only Cython can see: functions, structures, variables
HIDDEN = re.compile(
    r"^cdef (?!class|enum|extern)(?:[^\n=(]*?)(\w+)(?:\[\w*\])*(?: =|:|\(|$)", re.MULTILINE
)


@dataclass
class Module:
    """A .pyx file, a .pxd file, or both of the same name."""

    name: str  # fully qualified
    texts: dict[str, str] = field(default_factory=dict)  # by suffix

    def path(self, suffix: str) -> Path:
        """Return the path of the file with this suffix, relative to the source folder."""
        return Path(*self.name.split(".")).with_suffix(suffix)

    @property
    def needs(self) -> set[str]:
        """The modules of our distributions that this module (c)imports."""
        return {found[1] for text in self.texts.values() for found in IMPORT.finditer(text)}

    def code(self, suffix: str) -> str:
        """Return a file's text without docstrings; line numbers stay the same."""
        return DOCSTRING.sub(lambda found: "\n" * found[0].count("\n"), self.texts.get(suffix, ""))

    @property
    def public(self) -> list[str]:
        """The names that Python can see."""
        return sorted({found[found.lastindex or 1] for found in PUBLIC.finditer(self.code(".pyx"))})

    def defined(self) -> Iterator[tuple[str, str]]:
        """Yield every name that the module defines, with its file and line."""
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


def package_of(name: str) -> str:
    """Return the package that a module is compiled with."""
    parts = name.split(".")
    return ".".join(parts[: 3 if parts[1] == "core" else 2])


def extension(package: str) -> str:
    """Return the extension module that a package is compiled to."""
    distribution, *parts = package.split(".")
    return f"{distribution}.{JOINED}.{'_'.join(parts)}"


def read_modules(source: Path) -> dict[str, Module]:
    """Read every module below a folder, by name; Python modules too, as they may close a cycle."""
    modules: dict[str, Module] = {}
    for path in sorted(source.glob("dodona*/**/*")):
        if path.suffix in (".py", ".pyx", ".pxd"):
            name = ".".join(path.relative_to(source).with_suffix("").parts)
            text = path.read_text(encoding="utf-8")
            modules.setdefault(name, Module(name)).texts[path.suffix] = text
    return modules


def in_order(modules: dict[str, Module], names: list[str]) -> list[Module]:
    """Return the modules of these names, each after those that it needs, directly or not."""
    ordered: dict[str, Module] = {}
    path: list[str] = []  # of imports, from the module being visited

    def visit(name: str) -> None:
        if name in path:
            sys.exit(f"circular import: {', '.join(path[path.index(name) :])}")
        if name not in ordered:
            path.append(name)
            for needed in sorted(modules[name].needs & modules.keys()):
                visit(needed)
            ordered[path.pop()] = modules[name]

    for name in names:
        visit(name)
    return [module for name, module in ordered.items() if name in names]


def check_names(package: list[Module]) -> None:
    """Exit with an error if two modules of a package define the same name."""
    owners: dict[str, tuple[Module, str]] = {}
    for module in package:
        for name, location in module.defined():
            owner, first = owners.setdefault(name, (module, location))
            if owner is not module:
                sys.exit(
                    f"{location}: {name!r} is also defined at {first}; the modules of a package "
                    "are compiled as one, so rename one of them"
                )


def rewrite_imports(text: str, package: str, compiled: set[str]) -> str:
    """Make the imports of a file refer to extension modules; line numbers stay the same."""

    def change(found: re.Match[str]) -> str:
        module, kind, names = found.groups()
        if module not in compiled:
            return found[0]
        if package_of(module) == package:
            return "\n" * found[0].count("\n")
        if kind == "cimport":
            return f"from {extension(package_of(module))} cimport {names}"
        return found[0]

    return IMPORT.sub(change, text)


def facade(module: Module) -> str:
    """Return the Python file of a module: its docstring and its public names."""
    opening = re.match(r'\s*("""(?:.|\n)*?""")', module.texts[".pyx"])
    docstring = ast.literal_eval(opening[1]) if opening else ""
    names = ", ".join(module.public)
    return f"{docstring!r}\n\nfrom {extension(package_of(module.name))} import {names}\n"


def write(path: Path, text: str) -> None:
    """Write a file unless it has this text already: an unchanged file is not compiled again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def includes(ordered: list[Module], suffix: str) -> str:
    """Return the include lines for the modules that have a file with this suffix."""
    paths = (module.path(suffix) for module in ordered if suffix in module.texts)
    return "".join(f'include "{path.as_posix()}"\n' for path in paths)


def remove_stale(sources: list[Path], target: Path) -> None:
    """Delete what an earlier run made from files that no longer exist."""
    for path in target.rglob("*.p*"):
        kind, *parts = path.relative_to(target).parts
        origin = Path(*parts) if kind == "cython" else Path(*parts).with_suffix(".pyx")
        exists = any((source / origin).exists() for source in sources)
        if path.is_file() and JOINED not in parts and not exists:
            path.unlink()


def join(package: str, ordered: list[Module], compiled: set[str], target: Path) -> None:
    """Write an extension's declarations, the files it includes, and its modules' Python files."""
    check_names(ordered)
    for module in ordered:
        for suffix, text in module.texts.items():
            write(target / "cython" / module.path(suffix), rewrite_imports(text, package, compiled))
        if module.public:
            write(target / "python" / module.path(".py"), facade(module))
    declarations = Module(extension(package)).path(".pxd")
    write(target / "cython" / declarations, includes(ordered, ".pxd"))


def forbid_new(ordered: list[Module]) -> str:
    """Return lines that forbid `__new__` of every class; see `core/base/bare_objects.pxd`."""
    names = [name for module in ordered for name in CLASSES.findall(module.code(".pyx"))]
    calls = "".join(f"forbid_new({name})\n" for name in names if name not in BASES)
    return f"from dodona.core.base.bare_objects cimport forbid_new\n{calls}" if calls else ""


def declared(modules: dict[str, Module], names: list[str]) -> str:
    """Return a digest of all declarations that modules (c)import, directly or not.

    Cython reports only direct dependencies to the build. The digest is part of an extension's
    source, so that the extension is compiled again when a declaration of another package changes;
    otherwise it would use outdated struct layouts.
    """
    seen: dict[str, None] = dict.fromkeys(names)
    for name in (waiting := [*names]):
        for needed in sorted(modules[name].needs & modules.keys() - seen.keys()):
            seen[needed] = None
            waiting.append(needed)
    texts = (modules[name].texts.get(".pxd", "") for name in sorted(seen))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def main(command: str, source: Path, target: Path, *bases: Path) -> None:
    """Run one command; see the module's docstring."""
    own = read_modules(source)
    modules = {name: module for base in bases for name, module in read_modules(base).items()} | own
    packages: dict[str, list[str]] = {}
    for name, module in modules.items():
        if module.texts.keys() != {".py"}:
            packages.setdefault(package_of(name), []).append(name)
    if command == "files":
        files = (
            modules[name].path(suffix).as_posix()
            for names in packages.values()
            for name in names
            for suffix in modules[name].texts
        )
        print(*files)
        return
    compiled = {
        name
        for names in packages.values()
        if any(".pyx" in modules[name].texts for name in names)
        for name in names
    }
    if command == "packages":
        remove_stale([source, *bases], target)

    def size(package: str) -> int:
        texts = (text for name in packages[package] for text in modules[name].texts.values())
        return sum(map(len, texts))

    # the largest first, so that no processor idles at the end of the build
    for package in sorted(packages, key=size, reverse=True):
        names = packages[package]
        if names[0] not in compiled:  # declarations only: copied as they are
            for name in names:
                path = modules[name].path(".pxd")
                write(target / "cython" / path, modules[name].texts[".pxd"])
        elif command == "packages":
            join(package, in_order(modules, names), compiled, target)
            if names[0] in own:
                print(extension(package))
        elif command == extension(package):
            print(f"# declarations {declared(modules, names)}")
            ordered = in_order(modules, names)
            print(includes(ordered, ".pyx") + forbid_new(ordered), end="")


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
