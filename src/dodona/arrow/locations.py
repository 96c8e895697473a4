"""Locations of files: paths on this machine, and URLs."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from errno import ELOOP, ENOENT
from fnmatch import fnmatchcase
from functools import partial
from os import strerror
from pathlib import Path
from stat import S_ISREG
from typing import TypeAlias

from pyarrow import fs

HIDDEN = (".", "_")  # how the names begin of what Spark and Arrow skip
Identity: TypeAlias = tuple[int, int]  # device and inode: the same for every spelling and link


@dataclass(frozen=True)
class Location:
    """A path in a file system; `name` is the path or URL the user gave."""

    system: fs.FileSystem = field(hash=False)
    path: str
    name: str

    @property
    def is_local(self) -> bool:
        """Return whether the path is on this machine."""
        return isinstance(self.system, fs.LocalFileSystem)

    def __truediv__(self, below: str) -> Location:
        path, name = (f"{above.rstrip('/')}/{below}" for above in (self.path, self.name))
        return Location(self.system, path, name)

    @property
    def file_name(self) -> str:
        """Return the last component of the path."""
        return self.path.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True)
class FoundFile:
    """A file, with its path relative to the folder in which it was found."""

    location: Location
    below: str
    size: int


@dataclass(frozen=True)
class Listing:
    """The files of a path, a glob pattern or a folder, and the folders searched for all files.

    `folders` holds the given folder and those that links in it lead to.
    """

    name: str
    files: list[FoundFile]
    folders: list[Location] = field(default_factory=list)


def resolve_location(name: str) -> Location:
    """Return the location of a path or a URL; fsspec opens what `pyarrow.fs` does not support.

    >>> resolve_location("in/a.parquet").is_local
    True
    """
    if "://" not in name:
        return Location(fs.LocalFileSystem(), Path(name).absolute().as_posix(), name)
    try:
        system, path = fs.FileSystem.from_uri(name)
    except (ValueError, OSError) as error:
        if "Unrecognized filesystem type" not in str(error):
            raise ValueError(f"{name}: {error}") from error
        system, path = _by_fsspec(name)
    return Location(system, path, name)


def _by_fsspec(name: str) -> tuple[fs.FileSystem, str]:
    try:
        import fsspec
    except ImportError:
        scheme = name.partition("://")[0]
        needed = f"{scheme}:// needs fsspec and its extra for {scheme}: pip install fsspec"
        raise ValueError(f"{name}: {needed}") from None
    system, path = fsspec.core.url_to_fs(name)
    if isinstance(system, fsspec.implementations.local.LocalFileSystem):
        return fs.LocalFileSystem(), path
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def list_files(name: str) -> Listing:
    """List the files of a path, a glob pattern or a folder, sorted by relative path.

    Files and folders that begin with a dot or an underscore are skipped, as in Spark and Arrow. A
    folder is listed once, even if several links lead to it.
    """
    folders: list[Location] = []
    is_there = "://" not in name and os.path.lexists(name)  # a name may look like a pattern
    if any(map(partial(_is_pattern, name), name.split("/"))) and not is_there:
        found = [*_match(name)]
    else:
        location = resolve_location(name)
        info = location.system.get_file_info(location.path)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError(ENOENT, strerror(ENOENT), name)
        if info.type == fs.FileType.File:
            return Listing(name, [FoundFile(location, location.file_name, info.size)])
        if info.type != fs.FileType.Directory:
            raise ValueError(f"{name}: neither a file nor a folder")
        folders = [location]
        if location.is_local:
            found = [*_walk(location, folders)]
        else:
            found = [*_select(location, recursive=True)]
    if not found:
        raise ValueError(f"{name}: no files found")
    return Listing(name, sorted(found, key=lambda file: file.below), folders)


def find_files(folder: Location, recursive: bool = False) -> list[str]:
    """Return the paths of the files in a folder, relative to it; none if there is no folder."""
    selector = fs.FileSelector(folder.path, allow_not_found=True, recursive=recursive)
    infos = folder.system.get_file_info(selector)
    above = folder.path.rstrip("/") + "/"
    files = (info.path for info in infos if info.type == fs.FileType.File)
    return sorted(path.removeprefix(above) for path in files)


def _is_pattern(name: str, component: str) -> bool:
    """Return whether a component of a name is a pattern; in a URL, `?` begins the parameters."""
    return any(character in component for character in ("*[" if "://" in name else "*[?"))


def _match(name: str) -> Iterator[FoundFile]:
    """Yield the files that match a glob pattern, in any file system; `**` matches all folders."""
    components = name.split("/")
    first = next(i for i, component in enumerate(components) if _is_pattern(name, component))
    above = "/".join(components[:first])
    wanted = components[first:]
    folder = resolve_location(above or ("/" if name.startswith("/") else "."))
    for file in _select(folder, recursive=len(wanted) > 1):
        if _matches(file.below.split("/"), wanted):
            yield file


def _matches(path: list[str], wanted: list[str]) -> bool:
    """Return whether the components of a path match those of a pattern.

    >>> _matches(["lang=en", "a.parquet"], ["lang=*", "*.parquet"])
    True
    >>> _matches(["a", "b", "c.txt"], ["**", "*.txt"]), _matches(["a", "c.txt"], ["*.txt"])
    (True, False)
    """
    if not wanted:
        return not path
    if wanted[0] == "**":
        return _matches(path, wanted[1:]) or (bool(path) and _matches(path[1:], wanted))
    return bool(path) and fnmatchcase(path[0], wanted[0]) and _matches(path[1:], wanted[1:])


def _select(folder: Location, recursive: bool = False) -> Iterator[FoundFile]:
    selector = fs.FileSelector(folder.path, recursive=recursive)
    for info in folder.system.get_file_info(selector):
        below = info.path.removeprefix(folder.path.rstrip("/") + "/")
        is_data = not any(part.startswith(HIDDEN) for part in below.split("/"))
        if info.type == fs.FileType.File and is_data:
            yield FoundFile(folder / below, below, info.size)


def _walk(folder: Location, folders: list[Location]) -> Iterator[FoundFile]:
    """Yield the files below a local folder, and add the folders that links lead to.

    Links are followed last, so that a folder which is also the target of a link has its own name.
    """
    seen: set[Identity] = set()
    waiting = deque([folder])
    while waiting:
        top = waiting.popleft()
        if identity(top.path) in seen:
            continue
        if top is not folder:
            folders.append(top)
        for path, inside, files in os.walk(top.path, onerror=_raise):
            seen.add(identity(path))
            below = Path(path).relative_to(folder.path).as_posix()
            here = folder if below == "." else folder / below
            inside[:] = sorted(name for name in inside if not name.startswith(HIDDEN))
            links = [name for name in inside if Path(path, name).is_symlink()]
            waiting.extend(here / name for name in links)
            real = (name for name in inside if name not in links)
            inside[:] = [name for name in real if identity(f"{path}/{name}") not in seen]
            for name in files:
                state = _state(f"{path}/{name}")
                if state is not None and S_ISREG(state.st_mode) and not name.startswith(HIDDEN):
                    yield FoundFile(
                        here / name, f"{below}/{name}".removeprefix("./"), state.st_size
                    )


def _raise(error: OSError) -> None:
    raise error


def _state(path: str) -> os.stat_result | None:
    """Return the state of a file; None for a link that leads nowhere."""
    try:
        return Path(path).stat()
    except OSError as error:
        if error.errno in (ENOENT, ELOOP):
            return None
        raise


def identity(path: str) -> Identity:
    """Return the device and the inode of a file or folder."""
    state = Path(path).stat()
    return state.st_dev, state.st_ino
