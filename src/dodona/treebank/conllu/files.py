"""Opening of inputs and outputs: a path (.gz by name), '-', or an open binary file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, TypeAlias, cast

from dodona.core.base.values import to_str
from dodona.storage.atomic import atomic_write
from dodona.treebank.conllu.errors import TreebankError

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]


def open_input(source: Source) -> tuple[IO[bytes], str, bool]:
    """Open `source`; return the binary file, its name for messages, and whether to close it.

    >>> file, name, is_ours = open_input("-")
    >>> name, is_ours
    ('<stdin>', False)
    """
    if source == "-":
        return sys.stdin.buffer, "<stdin>", False
    if isinstance(source, (str, os.PathLike)):
        path = Path(to_str(source, "a file"))  # the members of an enum may print something else
        if path.is_dir():
            raise TreebankError(str(path), None, "this is a folder; expected a file")
        if path.suffix == ".gz":
            import gzip  # imported on demand, for a faster start

            return cast(IO[bytes], gzip.open(path, "rb")), str(path), True
        return path.open("rb", buffering=0), str(path), True
    name = getattr(source, "name", None)
    return source, name if isinstance(name, str) else f"<{type(source).__name__}>", False


def read_lines(source: Source) -> Iterator[str]:
    """Yield the lines of a text file in UTF-8."""
    file, name, is_ours = open_input(source)
    # iterating over the lines of an unbuffered file would read byte by byte
    lines = BufferedReader(file) if isinstance(file, RawIOBase) else file
    try:
        for number, line in enumerate(lines, start=1):
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                why = f"the text is not UTF-8: {error}; convert it, with iconv for instance"
                raise TreebankError(name, number, why) from None
    finally:
        if is_ours:
            lines.close()


@contextmanager
def open_output(target: Source) -> Iterator[IO[bytes]]:
    """Open `target` for writing; a path keeps its old content until the block ends well.

    >>> import io
    >>> memory = io.BytesIO()
    >>> with open_output(memory) as file:
    ...     _ = file.write(b"an oak")
    >>> memory.getvalue()
    b'an oak'
    """
    if target == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif isinstance(target, (str, os.PathLike)):
        real = Path(os.path.realpath(target))  # a link may have another suffix
        with atomic_write(target) as file, _compress(file, real) as inner:
            yield inner
    else:
        yield target
        target.flush()


@contextmanager
def _compress(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """Compress if the path ends in .gz; without name and time, so that output is reproducible."""
    if path.suffix == ".gz":
        import gzip

        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as inner:
            yield cast(IO[bytes], inner)
    else:
        yield file
