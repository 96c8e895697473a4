"""A file that can be looked into before it is read: its bytes as UTF-8, and how far it is read.

Text must be UTF-8. Where it is not, the error says where, and what it looks like; `--encoding`
converts. A byte order mark is dropped.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from dodona.cli.errors import UsageError
from dodona.cli.places import STDIN
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import open_input

CHUNK_SIZE = 1 << 16  # bytes
UTF8 = "utf-8"
MARK = codecs.BOM_UTF8
MOST_PEEKED = 1 << 18  # bytes of comments above the first line that tells what a file is
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LEAST_TABS = 5  # of a line of a treebank, be it a damaged one


def read_words(path: str) -> str:
    """All of a short text that a person has written, such as a licence or a note."""
    try:
        return Path(path).read_text(encoding=UTF8)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8: {error}") from None


class Opened:
    """A binary file, of which the reader of treebanks can read."""

    def __init__(self, path: str, encoding: str = UTF8) -> None:
        self.path = path
        self._file, self.name, self._is_ours = open_input(path)
        self._recode = None if encoding == UTF8 else _Recoder(self.name, encoding)
        self._ahead = b""
        self._is_done = False
        self.n_read = 0  # bytes, as they are in the file

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_ours:
            self._file.close()

    def read1(self, size: int = CHUNK_SIZE) -> bytes:
        """What comes next, or nothing at the end."""
        if self._ahead:
            given, self._ahead = self._ahead, b""
            return given
        return self._more(size)

    read = read1

    def texts(self) -> Iterator[str]:
        """The rest as text, some at a time."""
        decode = _Decoder(self.name)
        while data := self.read1():
            yield decode(data)
        yield decode(b"", True)

    def is_treebank(self) -> bool:
        """Whether the first line that is not empty and no comment is one of a word."""
        at = len(MARK) if self._peek(0).startswith(MARK) else 0
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
        """All that is ahead: from `start` on at least a line, or what there is of it."""
        while b"\n" not in self._ahead[start:] and len(self._ahead) < MOST_PEEKED:
            data = self._more(CHUNK_SIZE)
            if not data:
                break
            self._ahead += data
        return self._ahead

    def _more(self, size: int) -> bytes:
        """The next bytes in UTF-8; none only at the end."""
        while not self._is_done:
            data = self._read(size)
            self.n_read = self._place(len(data))
            self._is_done = not data
            if self._recode is not None:
                data = self._recode(data)
            if data:
                return data
        return b""

    def _read(self, size: int) -> bytes:
        # read1 hands out what has arrived, so that a slow pipe is not waited for
        read = getattr(self._file, "read1", None) or self._file.read
        try:
            return bytes(read(size))
        except (OSError, EOFError, zlib.error) as error:
            said = f"the file is damaged or cannot be read: {error}"
            raise TreebankError(self.name, None, said) from error

    def _place(self, n_more: int) -> int:
        """How far the file is read; of a compressed one, in compressed bytes."""
        inner: IO[bytes] | None = getattr(self._file, "fileobj", None)
        return self.n_read + n_more if inner is None else inner.tell()


def check_encoding(encoding: str) -> str:
    """The encoding by its usual name, if Python knows it.

    >>> check_encoding("Latin-1"), check_encoding("UTF8")
    ('iso8859-1', 'utf-8')
    """
    try:
        b"".decode(encoding)
        return codecs.lookup(encoding).name
    except LookupError:
        said = "--encoding is a name such as utf-8, utf-16, latin-1, cp1252 or koi8-r; found "
        raise UsageError(f"{said}{encoding!r}") from None


def guess_encoding(data: bytes) -> str | None:
    """What bytes that are no UTF-8 might be in.

    >>> guess_encoding("é".encode("latin-1")), guess_encoding("oak".encode("utf-16"))
    ('latin-1', 'utf-16')
    """
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return name
    if data.count(0) > len(data) // 4:
        return "utf-16-le" if data[1::2].count(0) > data[::2].count(0) else "utf-16-be"
    if data.count(0):
        return None
    is_windows = re.search(rb"[\x80-\x9f]", data) is not None
    return "cp1252" if is_windows else "latin-1"


class _Decoder:
    """Makes text of bytes that should be UTF-8, and says where they are not."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._decode = codecs.getincrementaldecoder(UTF8)().decode
        self._n_lines, self._n_characters = 0, 0  # before; of the line at hand
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
        advice = "expected text in UTF-8"
        if guess := guess_encoding(data if self._is_first else data[error.start - 1 :]):
            advice = f"this looks like {guess}: give --encoding {guess}"
        where = f"byte 0x{data[error.start]:02x} at character {self._n_characters + 1}"
        return TreebankError(self.name, self._n_lines + 1, f"{where} is no UTF-8; {advice}")


class _Recoder:
    """Makes UTF-8 of bytes in another encoding."""

    def __init__(self, name: str, encoding: str) -> None:
        self.name, self.encoding = name, encoding
        self._decode = codecs.getincrementaldecoder(encoding)().decode
        self._n_lines = 0

    def __call__(self, data: bytes) -> bytes:
        """The next bytes; none given says that the file has ended."""
        try:
            text = self._decode(data, not data)
        except UnicodeError as error:
            said = f"this is no {self.encoding} ({error}); give another --encoding"
            raise TreebankError(self.name, self._n_lines + 1, said) from None
        self._n_lines += text.count("\n")
        return text.encode(errors="replace")


def total_size(paths: list[str]) -> int | None:
    """The bytes of all files together; None where one is not there to be asked."""
    sizes = [Path(path).stat().st_size for path in paths if path != STDIN and Path(path).is_file()]
    return sum(sizes) if len(sizes) == len(paths) else None
