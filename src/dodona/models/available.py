"""Packages that can be installed: wheels in folders, and those that an index lists.

Folders come first, since they need no network: `models` in the current folder, as in a copy of the
repository, then those of `DODONA_MODELS`. `DODONA_INDEX` is the path or URL of an index; there is
no default address.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.errors import DodonaError
from dodona.models import FOLDERS
from dodona.models.download import download_text
from dodona.models.index import (
    INDEX,
    MAX_INDEX,
    BadIndexError,
    PackagedModel,
    describe_file,
    is_url,
    parse_index,
)
from dodona.models.inspection import WheelError
from dodona.models.wheel_names import normalise, parse_wheel_name, version_key

INDEX_VARIABLE = "DODONA_INDEX"
HERE = "models"  # in a copy of the repository

Problems = list[str]  # of sources that cannot be read


class NoSourceError(DodonaError, FileNotFoundError):
    """A source of packages that does not exist."""


def default_sources() -> list[str]:
    """Return the folders and the index in which packages are looked for, in this order."""
    folders = filter(None, os.environ.get(FOLDERS, "").split(os.pathsep))
    found = [folder for folder in (HERE, *folders) if Path(folder).is_dir()]
    index = os.environ.get(INDEX_VARIABLE)
    return [*dict.fromkeys(found), *([index] if index else [])]


def find_packages(
    sources: Iterable[str], name: str | None = None, problems: Problems | None = None
) -> Iterator[PackagedModel]:
    """Yield the packages of sources in order, or only those of one name, newest first.

    A source that cannot be read is an error, or is noted in `problems`.
    """
    for source in sources:
        try:
            found = [one for one in _read(source, name, problems) if name is None or _is(one, name)]
        except (DodonaError, OSError) as error:
            if problems is None:
                raise
            problems.append(str(error))
            continue
        found.sort(key=lambda one: version_key(one.version), reverse=True)
        yield from found


def _is(one: PackagedModel, name: str) -> bool:
    return normalise(one.name) == normalise(name)


def _read(source: str, name: str | None, problems: Problems | None) -> list[PackagedModel]:
    if is_url(source):
        return parse_index(download_text(source, MAX_INDEX), source)
    path = Path(source)
    if path.is_dir():
        return _read_folder(path, name, problems)
    if not path.is_file():
        raise NoSourceError(f"{source}: no such folder or index of models")
    return _read_index(path)


def _read_index(path: Path) -> list[PackagedModel]:
    if path.stat().st_size > MAX_INDEX:
        raise BadIndexError(f"{path}: larger than {MAX_INDEX:,} bytes, so not an index of models")
    return parse_index(path.read_text(encoding="utf-8", errors="replace"), str(path))


def _read_folder(folder: Path, name: str | None, problems: Problems | None) -> list[PackagedModel]:
    """Return the wheels of a folder; what its index says about them saves reading them."""
    index = folder / INDEX
    listed = {Path(one.location).name: one for one in _read_index(index)} if index.is_file() else {}
    found, wanted = [], None if name is None else normalise(name)
    for path in sorted(folder.glob("*.whl")):
        wheel = parse_wheel_name(path.name)
        if wheel is None or not path.is_file() or wheel.key != (wanted or wheel.key):
            continue
        try:
            found.append(listed.get(path.name) or describe_file(path))
        except (WheelError, OSError) as error:
            if problems is None:
                raise
            problems.append(str(error))
    return found
