"""The standard streams of the command: in UTF-8, with a name in errors, and usable if closed.

Texts and model files come from anywhere. A terminal gets their control characters in a visible form
(`\\x1b`): an escape sequence could hide text or change the terminal's settings.

`dodona parse … >&-` starts without stdout. The next file that is opened would get its descriptor,
and output to "stdout" would go into that file; therefore `/dev/null` takes the descriptor.
"""

import io
import os
import re
import sys
from errno import EBADF
from pathlib import Path
from typing import Any, TextIO

from dodona.storage.atomic import NamedFile

STDOUT = "<stdout>"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # but for tabs and line ends
# in UTF-8, but for tabs, line ends, and the colours and styles that we write ourselves
_CONTROL_BYTES = re.compile(
    rb"(\x1b\[[0-9;]*m)|(?:[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f])"
)
_UNFINISHED = re.compile(rb"(?:\x1b(?:\[[0-9;]*)?|\xc2|\r)\Z")


def printable(text: str) -> str:
    r"""Return a text with its control characters in a visible form.

    >>> printable("an oak\x1b[2J")
    'an oak\\x1b[2J'
    """
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


class TerminalFile(NamedFile):
    """A terminal to write to, which gets no control characters but those of colours and styles."""

    _held = b""  # the beginning of what may be a sequence

    def write(self, data: Any) -> int:
        text = self._held + bytes(data)
        unfinished = _UNFINISHED.search(text)
        self._held = unfinished[0] if unfinished else b""
        shown = _CONTROL_BYTES.sub(_show_control, text.removesuffix(self._held))
        while shown:
            shown = shown[super().write(shown) or 0 :]
        return len(data)


def _show_control(found: re.Match[bytes]) -> bytes:
    return found[1] or b"\\x%02x" % found[0][-1]


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
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout = _named(sys.stdout)


def has_colours() -> bool:
    """Return whether stdout is a terminal that shows colours, and NO_COLOR does not forbid them."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not is_plain


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
    kind = TerminalFile if stream.isatty() else NamedFile
    return io.TextIOWrapper(
        io.BufferedWriter(kind(raw.fileno(), "wb", STDOUT, closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",  # as on stderr: names of files need not be UTF-8
        line_buffering=stream.line_buffering,
    )
