"""Inspection of a model's wheel before it is installed.

A wheel may come from anywhere, and pip would install whatever is in it. A model's wheel holds data
only: a package with the model, its card and its licence, and a module without code. Everything else
is refused, above all what could run or land elsewhere: other packages, scripts, `.pth` files, paths
that lead outside, links.
"""

from __future__ import annotations

import ast
import csv
import stat
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from email.parser import HeaderParser
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, NoReturn
from zipfile import BadZipFile, ZipFile, ZipInfo

from dodona.errors import DodonaError
from dodona.models import GROUP, SUFFIX
from dodona.models.cards import KINDS, Card, card_of, gold_words, scores_of
from dodona.models.wheel_names import NAME, TAG, WheelName, parse_wheel_name
from dodona.storage.container import ContainerError, Header
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import reporting_damage

MAX_FILES = 100
MAX_TEXT = 10_000_000  # bytes of a file that is not the model
MAX_MODEL = 2_000_000_000  # bytes of a model, unpacked
_METADATA = ("METADATA", "WHEEL", "RECORD", "entry_points.txt")
_TEXTS = (".md", ".txt")


class WheelError(DodonaError, ValueError):
    """A wheel that is damaged, or not one of a model; the message names it and the reason."""


class WheelContent(NamedTuple):
    """What the wheel of a model says about it."""

    name: str
    version: str
    card: Card
    words: int | None
    scores: dict[str, float]


def inspect_wheel(path: Path) -> WheelContent:
    """Check a wheel, every byte of it, and return what it holds; raise WheelError otherwise."""
    with _opened(path) as wheel:
        wheel.check()
        return wheel.describe()


def describe_wheel(path: Path) -> WheelContent:
    """Return what a wheel says about its model, for lists; only its header is checked."""
    with _opened(path) as wheel:
        return wheel.describe()


@contextmanager
def _opened(path: Path) -> Iterator[_Wheel]:
    name = parse_wheel_name(path.name)
    if name is None:
        raise WheelError(
            f"{path}: not the name of a model's wheel; expected dodona_NAME-VERSION-{TAG}.whl"
        )
    try:
        with ZipFile(path) as zipped:
            yield _Wheel(path, name, zipped)
    except ContainerError as error:
        raise WheelError(str(error)) from None
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise WheelError(f"{path}: the wheel is damaged ({error}); get a fresh copy") from error


class _Wheel:
    """An open wheel and the checks of its files."""

    def __init__(self, path: Path, name: WheelName, zipped: ZipFile) -> None:
        self.path, self.wheel, self.zipped = path, name, zipped
        self.files = {info.filename: info for info in zipped.infolist()}

    def describe(self) -> WheelContent:
        """Read the header of the model."""
        name = self._model_name()
        path = f"{self.wheel.module}/{name}{SUFFIX}"
        if path not in self.files:
            self._refuse(f"the model {path} is missing")
        with self.zipped.open(path) as file:
            header = Header.read(file, self.files[path].file_size, self.path / path, "model")
        if header.metadata["kind"] not in KINDS:
            self._refuse(f"{path} is no model")
        with reporting_damage(self.path, "record", "get a fresh copy"):
            record = read_field(header.about, "record", dict)
            card = card_of(record)
        return WheelContent(name, self.wheel.version, card, gold_words(record), scores_of(record))

    def check(self) -> None:
        """Refuse whatever a model's package does not have, and damage."""
        self._check_paths()
        self._check_module()
        self._check_metadata()
        self._check_digests()

    def _refuse(self, why: str) -> NoReturn:
        raise WheelError(f"{self.path}: refused, as it is not the wheel of a model: {why}")

    def _check_paths(self) -> None:
        """Refuse every path and file type that a model's package does not have."""
        infos = self.zipped.infolist()
        if len(infos) > MAX_FILES:
            self._refuse(f"it has {len(infos):,} files")
        if len({info.filename.lower() for info in infos}) < len(infos):
            self._refuse("a file occurs twice")
        for info in infos:
            self._check_path(info)

    def _check_path(self, info: ZipInfo) -> None:
        name, kind = info.filename, stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or info.is_dir():
            self._refuse(f"{name!r} is not a regular file")
        if info.flag_bits & 1:
            self._refuse(f"{name!r} is encrypted")
        parts = name.split("/")
        is_plain = name.isascii() and name.isprintable() and not {*"\\:"} & {*name}
        if not is_plain or not all(parts) or {".", ".."} & {*parts}:
            self._refuse(f"the path {name!r} leads outside, or is not portable")
        top, *inner = parts
        if top == self.wheel.module:
            is_ours = len(inner) == 1 and (
                inner[0] == "__init__.py" or inner[0].endswith((SUFFIX, *_TEXTS))
            )
        elif top == self.wheel.about:
            is_ours = inner in ([m] for m in _METADATA) or inner[-1].endswith(_TEXTS)
        else:
            is_ours = False
        if not is_ours:
            self._refuse(f"it would install {name!r}")
        most = MAX_MODEL if name.endswith(SUFFIX) else MAX_TEXT
        if info.file_size > most:
            self._refuse(f"{name!r} has {info.file_size:,} bytes, more than {most:,}")

    def _model_name(self) -> str:
        """Return the name of the model from the only entry point."""
        lines = [*filter(None, map(str.strip, self._text("entry_points.txt").splitlines()))]
        if len(lines) != 2 or lines[0] != f"[{GROUP}]":
            self._refuse(f"its entry points are {lines}; expected one model")
        name, _, module = map(str.strip, lines[1].partition("="))
        if module != self.wheel.module or not NAME.fullmatch(name):
            self._refuse(f"its entry point is {lines[1]!r}")
        return name

    def _text(self, name: str) -> str:
        path = f"{self.wheel.about}/{name}"
        info = self.files.get(path)
        if info is None or info.file_size > MAX_TEXT:
            self._refuse(f"{path} is missing or too large")
        return self.zipped.read(info).decode(errors="replace")

    def _check_module(self) -> None:
        """Refuse a module with code: only a docstring is allowed."""
        path = f"{self.wheel.module}/__init__.py"
        if path not in self.files:
            return
        try:
            body = ast.parse(self.zipped.read(path)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            body = [ast.Pass()] * 2
        is_text = [isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) for n in body]
        if is_text not in ([], [True]):
            self._refuse(f"{path} has code")

    def _check_metadata(self) -> None:
        fields = HeaderParser().parsestr(self._text("METADATA"))
        found = str(fields["Name"] or "").replace("-", "_"), str(fields["Version"] or "")
        if found != (self.wheel.module, self.wheel.version):
            self._refuse(f"its metadata is that of {found[0]} {found[1]}")

    def _check_digests(self) -> None:
        """Compare every file with its size and digest in RECORD."""
        record = f"{self.wheel.about}/RECORD"
        rows = {row[0]: row[1:] for row in csv.reader(self._text("RECORD").splitlines()) if row}
        if rows.keys() != self.files.keys():
            self._refuse("RECORD does not list its files")
        for path, info in self.files.items():
            if path == record:
                continue
            digest, size = sha256(), 0
            with self.zipped.open(info) as file:
                while block := file.read(1 << 20):
                    digest.update(block)
                    size += len(block)
            text = urlsafe_b64encode(digest.digest()).decode().rstrip("=")
            if rows[path] != [f"sha256={text}", str(size)]:
                raise WheelError(
                    f"{self.path}: the wheel is damaged ({path} does not have the checksum that "
                    "RECORD gives); get a fresh copy"
                )
