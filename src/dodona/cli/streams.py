"""The standard streams as the shell needs them: with names, in UTF-8, and there even if closed.

`dodona parse … >&-` starts without a stdout. The next file that is opened would then get its
number, and whoever writes to "stdout" would write into that file: `/dev/null` takes the place.
Errors of a stream name it, as those of files do.
"""

import io
import os
import sys
from errno import EBADF
from pathlib import Path
from typing import Any, TextIO

from dodona.storage.atomic import NamedFile

STDOUT = "<stdout>"


class ClosedInput(io.TextIOBase):
    """What stands for stdin where it is closed: reading is an error that says what to do."""

    @property
    def buffer(self) -> Any:
        raise OSError(EBADF, "this is closed; give the name of a file to read", "<stdin>")


class ClosedOutput(io.RawIOBase):
    """The same for stdout, but that nothing is wrong as long as nothing is written."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        raise OSError(EBADF, "this is closed; give a file with -o FILE or > FILE", STDOUT)


def set_up() -> None:
    """Replace what is closed, and let stdout name itself and be UTF-8, as treebanks are."""
    _occupy()
    if sys.stdin is None:
        sys.stdin = ClosedInput()
    if sys.stderr is None:
        sys.stderr = _nowhere()  # there is nobody to tell
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(ClosedOutput()), encoding="utf-8")
    elif isinstance(sys.stdout, io.TextIOWrapper):
        if not sys.stdout.isatty():
            sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout = _named(sys.stdout)


def forget_output() -> None:
    """Let stdout lead nowhere, or Python complains when it flushes it at the end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = _nowhere()


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _occupy() -> None:
    """Leave none of the numbers of the three streams to other files."""
    while (file := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(file)


def _named(stream: io.TextIOWrapper) -> TextIO:
    """The same stream, with errors that name it; what a test captures stays as it is.

    It is buffered in any case: without that, a write may take less than it was given.
    """
    raw = getattr(stream.buffer, "raw", stream.buffer)
    if type(raw) is not io.FileIO:
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(NamedFile(raw.fileno(), "wb", STDOUT, closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
    )
