"""Protection of the input: no output file is one that is read, by whatever name or link."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from stat import S_ISREG
from typing import Any

from dodona.cli.errors import UsageError
from dodona.cli.input_files import STDIN


def check_targets(targets: Iterable[str], read: Iterable[str]) -> None:
    """Refuse to write a file that is also read.

    >>> check_targets(["notes.conllu"], ["notes.txt"])
    """
    inputs = {_identity(path, sys.stdin) for path in read} - {None}
    for target in targets:
        if _identity(target, sys.stdout) in inputs:
            raise UsageError(f"{target} would be overwritten by its own output: use another -o")


def check_folder(folder: str, read: Iterable[str]) -> None:
    """Refuse to write into a folder that is read: the next run would parse the output, too."""
    inputs = {_folder_identity(path): path for path in read if Path(path).is_dir()}
    here = Path(os.path.realpath(folder))
    for above in (here, *here.parents):
        if above.is_dir() and (given := inputs.get(_folder_identity(above))):
            raise UsageError(f"{folder} lies in the input {given}: use another folder for -o")


def _folder_identity(path: str | Path) -> tuple[int, int]:
    state = Path(path).stat()
    return state.st_dev, state.st_ino


def _identity(path: str, stream: Any) -> tuple[int, int] | None:
    """Return device and inode, equal for all names of a file; None if it is no regular file."""
    try:
        state = os.fstat(stream.fileno()) if path == STDIN else Path(path).stat()
    except (OSError, ValueError):  # it does not exist yet, or the stream is not a file
        return None
    return (state.st_dev, state.st_ino) if S_ISREG(state.st_mode) else None
