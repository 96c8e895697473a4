"""Opening what people name: a path, a path ending in .gz, '-', or a binary file already open."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeAlias, cast

from dodona.treebank.conllu.errors import TreebankError

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]

_BUFFER_SIZE = 1 << 20


def open_input(source: Source) -> tuple[IO[bytes], str, bool]:
    """The binary file behind `source`, its name for messages, and whether closing it is up to us.

    >>> file, name, is_ours = open_input("-")
    >>> name, is_ours
    ('<stdin>', False)
    """
    if source == "-":
        return sys.stdin.buffer, "<stdin>", False
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if path.is_dir():
            raise TreebankError(str(path), None, "this is a folder; expected a file")
        if path.suffix == ".gz":
            return cast(IO[bytes], gzip.open(path, "rb")), str(path), True
        return path.open("rb", buffering=0), str(path), True
    return source, _name_of(source), False


@contextmanager
def open_output(target: Source) -> Iterator[IO[bytes]]:
    """A binary file to write `target` to; a path keeps its old content until all went well.

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
        path = Path(os.path.realpath(target))  # through a link, so that the link itself stays
        opened = _in_place(path) if path.exists() and not path.is_file() else _beside(path)
        with opened as file:
            yield file
    else:
        yield target
        target.flush()


@contextmanager
def _in_place(path: Path) -> Iterator[IO[bytes]]:
    """A device, a pipe or a terminal: renaming over it would destroy it."""
    with path.open("wb") as file, _compress(file, path) as inner:
        yield inner


@contextmanager
def _beside(path: Path) -> Iterator[IO[bytes]]:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb", buffering=_BUFFER_SIZE) as file, _compress(file, path) as inner:
            yield inner
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _compress(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """`file` behind gzip where the name asks for it; no name, no time: equal input, equal bytes."""
    if path.suffix == ".gz":
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as inner:
            yield cast(IO[bytes], inner)
    else:
        yield file


def _name_of(file: IO[bytes]) -> str:
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else f"<{type(file).__name__}>"
