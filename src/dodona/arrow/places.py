"""Files wherever they are: a path on this machine, or the URL of one elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from errno import ENOENT
from fnmatch import fnmatchcase
from os import strerror
from pathlib import Path

from pyarrow import fs


@dataclass(frozen=True)
class Place:
    """A path in a file system; `name` is what people call it."""

    system: fs.FileSystem
    path: str
    name: str

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return isinstance(self.system, fs.LocalFileSystem)

    def __truediv__(self, below: str) -> Place:
        return Place(
            self.system, f"{self.path.rstrip('/')}/{below}", f"{self.name.rstrip('/')}/{below}"
        )

    @property
    def file_name(self) -> str:
        """The last part of its path."""
        return self.path.rstrip("/").rpartition("/")[2]


def open_place(name: str) -> Place:
    """The place of a path or a URL; what `pyarrow.fs` does not know is left to fsspec.

    >>> open_place("in/a.parquet").is_local
    True
    """
    if "://" not in name:
        return Place(fs.LocalFileSystem(), Path(name).absolute().as_posix(), name)
    try:
        system, path = fs.FileSystem.from_uri(name)
    except (ValueError, OSError) as error:
        if "Unrecognized filesystem type" not in str(error):
            raise ValueError(f"{name}: {error}") from error
        system, path = _by_fsspec(name)
    return Place(system, path, name)


def _by_fsspec(name: str) -> tuple[fs.FileSystem, str]:
    try:
        import fsspec
    except ImportError:
        scheme = name.partition("://")[0]
        raise ValueError(
            f"{name}: {scheme}:// needs fsspec, and what that needs for it: pip install fsspec"
        ) from None
    system, path = fsspec.core.url_to_fs(name)
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def find_files(name: str) -> list[tuple[Place, str, int]]:
    """The files that a path, a pattern or a folder stands for: each with its path below, and size.

    What begins with a dot or an underscore is not data: Spark and Arrow pass it over, too.
    """
    place = open_place(name)
    if any(character in place.file_name for character in "*?["):
        folder, _, pattern = place.path.rpartition("/")
        inside = _list(Place(place.system, folder, name.rpartition("/")[0] or "."), recursive=False)
        found = [(p, below, size) for p, below, size in inside if fnmatchcase(below, pattern)]
    else:
        info = place.system.get_file_info(place.path)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError(ENOENT, strerror(ENOENT), name)
        if info.type == fs.FileType.File:
            return [(place, place.file_name, info.size)]
        found = _list(place, recursive=True)
    if not found:
        raise ValueError(f"{name}: no files are there")
    return sorted(found, key=lambda file: file[1])


def _list(folder: Place, recursive: bool) -> list[tuple[Place, str, int]]:
    selector = fs.FileSelector(folder.path, recursive=recursive)
    found = []
    for info in folder.system.get_file_info(selector):
        below = info.path.removeprefix(folder.path.rstrip("/") + "/")
        is_data = not any(part.startswith((".", "_")) for part in below.split("/"))
        if info.type == fs.FileType.File and is_data:
            found.append((folder / below, below, info.size))
    return found
