"""Locations of files: paths on this machine, and URLs."""

from __future__ import annotations

from dataclasses import dataclass, field
from errno import ENOENT
from fnmatch import fnmatchcase
from os import strerror
from pathlib import Path

from pyarrow import fs


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
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def list_files(name: str) -> list[tuple[Location, str, int]]:
    """List the files of a path, a glob pattern or a folder: location, relative path, and size.

    Files and folders that begin with a dot or an underscore are skipped, as in Spark and Arrow.
    """
    location = resolve_location(name)
    if any(character in location.file_name for character in "*?["):
        folder, _, pattern = location.path.rpartition("/")
        above = Location(location.system, folder, name.rpartition("/")[0] or ".")
        found = [file for file in _list(above, recursive=False) if fnmatchcase(file[1], pattern)]
    else:
        info = location.system.get_file_info(location.path)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError(ENOENT, strerror(ENOENT), name)
        if info.type == fs.FileType.File:
            return [(location, location.file_name, info.size)]
        found = _list(location, recursive=True)
    if not found:
        raise ValueError(f"{name}: no files found")
    return sorted(found, key=lambda file: file[1])


def _list(folder: Location, recursive: bool) -> list[tuple[Location, str, int]]:
    selector = fs.FileSelector(folder.path, recursive=recursive)
    found = []
    for info in folder.system.get_file_info(selector):
        below = info.path.removeprefix(folder.path.rstrip("/") + "/")
        is_data = not any(part.startswith((".", "_")) for part in below.split("/"))
        if info.type == fs.FileType.File and is_data:
            found.append((folder / below, below, info.size))
    return found
