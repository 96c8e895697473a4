"""The standard streams of the command: in UTF-8, with a name in errors, and usable if closed.

`dodona parse … >&-` starts without stdout. The next file that is opened would get its descriptor,
and output to "stdout" would go into that file; therefore `/dev/null` takes the descriptor.
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
    """A replacement of a closed stdin: reading raises an error with advice."""

    @property
    def buffer(self) -> Any:
        raise OSError(EBADF, "closed; give the name of a file to read", "<stdin>")


class ClosedOutput(io.RawIOBase):
    """A replacement of a closed stdout: writing raises an error with advice."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        raise OSError(EBADF, "closed; give an output file with -o FILE or > FILE", STDOUT)


def set_up() -> None:
    """Replace closed streams, and make stdout UTF-8, with a name in its errors."""
    while (file := os.open(os.devnull, os.O_RDWR)) <= 2:  # no other file gets their descriptors
        pass
    os.close(file)
    if sys.stdin is None:
        sys.stdin = ClosedInput()
    if sys.stderr is None:
        sys.stderr = _open_null()
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(ClosedOutput()), encoding="utf-8")
    elif isinstance(sys.stdout, io.TextIOWrapper):
        if not sys.stdout.isatty():
            sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout = _named(sys.stdout)


def forget_output() -> None:
    """Redirect stdout to /dev/null; otherwise Python reports an error when it flushes at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = _open_null()


def _open_null() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _named(stream: io.TextIOWrapper) -> TextIO:
    """Return the stream with a name in its errors; a stream that a test captures is unchanged.

    The result is buffered, since a write to an unbuffered stream may be partial.
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
