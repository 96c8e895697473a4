"""Input files: finding them, peeking into them before they are read, and converting to UTF-8.

Text must be UTF-8. The error for other text gives the location and the likely encoding, which
`--encoding` then converts. A byte order mark is dropped.
"""

from __future__ import annotations

import codecs
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from dodona.cli.errors import UsageError
from dodona.core.base.values import show
from dodona.models import advise_on_text
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import open_input

STDIN = "-"
TREEBANK = (".conllu", ".conllx", ".conll")
PLAIN = (".txt",)
CHUNK_SIZE = 1 << 16  # bytes
UTF8 = "utf-8"
MOST_PEEKED = 1 << 18  # bytes of comments before the first line that reveals the format
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # in no text of any encoding of bytes
_LEAST_TABS = 5  # in a line of a treebank, even a damaged one


def find_files(names: Iterable[str], suffixes: tuple[str, ...] = TREEBANK) -> Iterator[str]:
    """Yield each named file and, for a folder, its files with these suffixes (or .gz after them).

    >>> list(find_files(["-", "dev.conllu"]))
    ['-', 'dev.conllu']
    """
    for name in names:
        if name == STDIN or not Path(name).is_dir():
            if (advice := advise_on_text(name)) and not Path(name).exists():
                raise FileNotFoundError(f"{name}: no such file{advice}")
            yield name
            continue
        found = sorted(_walk(name, suffixes))
        if not found:
            known = ", ".join(suffixes)
            raise TreebankError(name, None, f"no file in this folder ends in {known}")
        yield from found


def _walk(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Yield the files below a folder, without hidden files and folders, pipes and devices."""
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for file in files:
            is_wanted = file.removesuffix(".gz").endswith(suffixes) and not file.startswith(".")
            if is_wanted and (found := Path(path, file)).is_file():
                yield str(found)


def total_size(paths: list[str]) -> int | None:
    """Return the total size of files in bytes; None if one of them has no known size."""
    sizes = [Path(path).stat().st_size for path in paths if path != STDIN and Path(path).is_file()]
    return sum(sizes) if len(sizes) == len(paths) else None


def read_text_file(path: str) -> str:
    """Return the text of a short file, such as a licence or a note."""
    try:
        return Path(path).read_text(encoding=UTF8)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8: {error}") from None


class InputFile:
    """A file that yields its bytes as UTF-8; it can be passed to the reader of treebanks."""

    def __init__(self, path: str, encoding: str = UTF8) -> None:
        self.path = path
        self._file, self.name, self._is_ours = open_input(path)
        self._recode = None if encoding == UTF8 else _Recoder(self.name, encoding)
        self._ahead = b""
        self._is_done = False
        self.n_read = 0  # bytes, as stored in the file

    def __enter__(self) -> InputFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_ours:
            self._file.close()

    def read1(self, size: int = CHUNK_SIZE) -> bytes:
        """Return the next bytes; none at the end of the file."""
        if self._ahead:
            given, self._ahead = self._ahead, b""
            return given
        return self._more(size)

    read = read1

    def texts(self) -> Iterator[str]:
        """Yield the rest of the file as text, in chunks."""
        decode = _Decoder(self.name)
        while data := self.read1():
            yield decode(data)
        yield decode(b"", True)

    def is_treebank(self) -> bool:
        """Return whether the first line that is neither empty nor a comment describes a word."""
        at = len(codecs.BOM_UTF8) if self._peek(0).startswith(codecs.BOM_UTF8) else 0
        while True:
            end = self._peek(at).find(b"\n", at)
            line = self._ahead[at : end if end >= 0 else None].strip(b"\r")
            if line and not line.startswith(b"#"):
                number = line.partition(b"\t")[0]  # 3, 3-4 or 8.1
                is_word = number[:1].isdigit() and number[-1:].isdigit()
                return is_word and line.count(b"\t") >= _LEAST_TABS
            if end < 0:
                return False
            at = end + 1

    def _peek(self, start: int) -> bytes:
        """Return the bytes ahead, with at least one line from `start` on where there is one."""
        while b"\n" not in self._ahead[start:] and len(self._ahead) < MOST_PEEKED:
            data = self._more(CHUNK_SIZE)
            if not data:
                break
            self._ahead += data
        return self._ahead

    def _more(self, size: int) -> bytes:
        """Return the next bytes in UTF-8; none only at the end of the file."""
        while not self._is_done:
            data = self._read(size)
            inner: IO[bytes] | None = getattr(self._file, "fileobj", None)  # if compressed
            self.n_read = self.n_read + len(data) if inner is None else inner.tell()
            self._is_done = not data
            if self._recode is not None:
                data = self._recode(data)
            if data:
                return data
        return b""

    def _read(self, size: int) -> bytes:
        # read1 returns what has arrived, without waiting for a slow pipe to fill the buffer
        read = getattr(self._file, "read1", None) or self._file.read
        try:
            return bytes(read(size))
        except (OSError, EOFError, zlib.error) as error:
            message = f"the file is damaged or cannot be read: {error}"
            raise TreebankError(self.name, None, message) from error


def check_encoding(encoding: str) -> str:
    """Return the canonical name of an encoding of text that Python knows.

    >>> check_encoding("Latin-1"), check_encoding("UTF8")
    ('iso8859-1', 'utf-8')
    """
    try:
        b"    ".decode(encoding, errors="replace")  # raises for codecs between bytes, as base64
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise UsageError(
            f"--encoding {show(encoding)} is no encoding of text that Python knows; encodings are "
            "utf-8, utf-16, latin-1, cp1252, koi8-r and others"
        ) from None


def guess_encoding(data: bytes) -> str | None:
    """Guess the encoding of bytes that are not UTF-8; None if they seem to be no text.

    >>> guess_encoding("é".encode("latin-1")), guess_encoding("oak".encode("utf-16"))
    ('latin-1', 'utf-16')
    >>> guess_encoding(b"\x7fELF\x02\x01\x01" + bytes(9))
    """
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return name
    if data.count(0) > len(data) // 4:
        name = "utf-16-le" if data[1::2].count(0) > data[::2].count(0) else "utf-16-be"
        text = data.decode(name, errors="replace")
        n_odd = sum(not (char.isprintable() or char.isspace()) for char in text)
        return name if n_odd <= len(text) // 20 else None
    if _BINARY.search(data):
        return None
    is_windows = re.search(rb"[\x80-\x9f]", data) is not None
    return "cp1252" if is_windows else "latin-1"


class _Decoder:
    """A decoder of UTF-8 whose errors give the line and the character."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._decode = codecs.getincrementaldecoder(UTF8)().decode
        self._n_lines, self._n_characters = 0, 0  # complete lines; characters of the current line
        self._is_first = True

    def __call__(self, data: bytes, is_end: bool = False) -> str:
        try:
            text = self._decode(data, is_end)
        except UnicodeDecodeError as error:
            raise self._explain(error) from None
        if text and self._is_first:
            self._is_first, text = False, text.removeprefix("\ufeff")
        self._count(text)
        return text

    def _count(self, text: str) -> None:
        last = text.rfind("\n")
        self._n_lines += text.count("\n")
        self._n_characters = len(text) - last - 1 + (self._n_characters if last < 0 else 0)

    def _explain(self, error: UnicodeDecodeError) -> TreebankError:
        data: bytes = error.object
        self._count(data[: error.start].decode())
        advice = "this seems to be a binary file; expected text in UTF-8"
        if guess := guess_encoding(data if self._is_first else data[error.start - 1 :]):
            advice = f"this looks like {guess}: use --encoding {guess}"
        where = f"byte 0x{data[error.start]:02x} at character {self._n_characters + 1}"
        return TreebankError(self.name, self._n_lines + 1, f"{where} is not UTF-8; {advice}")


class _Recoder:
    """A converter from another encoding to UTF-8."""

    def __init__(self, name: str, encoding: str) -> None:
        self.name, self.encoding = name, encoding
        self._decode = codecs.getincrementaldecoder(encoding)().decode
        self._n_lines = 0

    def __call__(self, data: bytes) -> bytes:
        """Convert the next bytes; no bytes mark the end of the file."""
        try:
            text = self._decode(data, not data)
        except UnicodeError as error:
            message = f"this is not {self.encoding} ({error}); use another --encoding"
            raise TreebankError(self.name, self._n_lines + 1, message) from None
        self._n_lines += text.count("\n")
        return text.encode(errors="replace")
