"""Separation of output and input: a run never writes into, onto or above what it reads.

Folders are compared by device and inode, so that links, bind mounts, `..` and another case on a
file system that ignores case make no difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from posixpath import dirname, normpath

from dodona.arrow.locations import Identity, Listing, Location, identity

ADVICE = "choose another folder for the output, beside the input"


def check_separate(out: Location, listings: Iterable[Listing]) -> None:
    """Raise ValueError if the folder `out` is the input, lies in it, or holds it."""
    lineages: dict[str, set[Identity]] = {}  # by folder
    for listing in listings:
        for folder in listing.folders:
            if _is_in(out, folder, lineages):
                how = "is" if _is_in(folder, out, lineages) else "lies in"
                raise ValueError(f"{out.name}: the output {how} the input {folder.name}; {ADVICE}")
            if _is_in(folder, out, lineages):
                raise ValueError(f"{out.name}: the output holds the input {folder.name}; {ADVICE}")
        for folder, name in _folders_of_files(listing).items():
            if _is_in(folder, out, lineages):
                raise ValueError(f"{out.name}: the output holds the input {name}; {ADVICE}")


def _folders_of_files(listing: Listing) -> dict[Location, str]:
    """Return the folders of all files, by name and by link, with the name of one of the files."""
    found: dict[Location, str] = {}
    for file in listing.files:
        path = file.location.path
        real = Path(os.path.realpath(path)).as_posix() if file.location.is_local else path
        for one in (path, real):
            folder = dirname(one)
            found.setdefault(Location(file.location.system, folder, folder), file.location.name)
    return found


def check_no_links(folder: Location, output: Location) -> None:
    """Raise ValueError if links inside the folder lead an output file out of it."""
    if folder.is_local:
        real = Path(os.path.realpath(folder.path), output.path.removeprefix(f"{folder.path}/"))
        if Path(os.path.realpath(output.path)) != real:
            raise ValueError(
                f"{output.name}: a link leads to {os.path.realpath(output.path)}; {ADVICE}"
            )


def _is_in(one: Location, other: Location, lineages: dict[str, set[Identity]]) -> bool:
    """Return whether the folder `one` is the folder `other` or lies in it."""
    if one.is_local != other.is_local:
        return False
    if not one.is_local:
        is_below = f"{normpath(one.path)}/".startswith(f"{normpath(other.path)}/")
        return bool(one.system.equals(other.system)) and is_below
    if one.path not in lineages:
        lineages[one.path] = _lineage(one.path)
    return Path(other.path).exists() and identity(other.path) in lineages[one.path]


def _lineage(path: str) -> set[Identity]:
    """Return the identities of a folder and of all folders above it, as far as they exist."""
    real = Path(os.path.realpath(path))
    return {identity(str(folder)) for folder in (real, *real.parents) if folder.exists()}
