"""Models for workers: found by name, path or URL, and loaded once per process."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from threading import Lock
from typing import IO, ClassVar

from dodona.arrow.locations import resolve_location
from dodona.models import locate
from dodona.parsing.parser import Parser
from dodona.rules.lookup import get_rules
from dodona.rules.rules import Rules

_loaded: dict[tuple[object, ...], Parser] = {}
_lock = Lock()


def load_cached(model: str, *, mapped: bool = False, rules: Rules | None = None) -> Parser:
    """Return the parser of a model; a file that has changed is loaded again.

    `model` is the name of an installed model, a path, or a URL, which is read by `pyarrow.fs`. A
    path that does not exist is looked up among the files that Spark distributed
    (`SparkContext.addFile`). Without `rules`, those in a file beside the model apply.

    >>> load_cached("en") is load_cached("en")
    True
    """
    path = None if "://" in model else find_model(model)
    state = None if path is None else path.stat()
    stamp = None if state is None else (state.st_mtime_ns, state.st_size)
    rules = get_rules(rules, path)
    plain, ruled = (model, path, stamp, mapped, None), (model, path, stamp, mapped, rules)
    with _lock:  # concurrent threads load it once
        for old in [old for old in _loaded if old[:2] == plain[:2] and old[2] != stamp]:
            del _loaded[old]
        if plain not in _loaded:
            _loaded[plain] = (
                Parser.from_bytes(_fetch(model))
                if path is None
                else Parser.load(path, mapped=mapped)
            )
        if ruled not in _loaded:
            _loaded[ruled] = _loaded[plain].with_rules(rules)
        return _loaded[ruled]


class HeldModel:
    """A model that stays as it was when it was loaded, whatever happens to its file.

    `sha256` is the checksum of the very bytes that were loaded, and `rules` are those that apply. A
    file that is mapped stays open, so that `check` can notice if it is written to.
    """

    _last: ClassVar[tuple[str, Parser] | None] = None  # of this process, by checksum
    parser: Parser
    sha256: str

    def __init__(self, model: str, *, mapped: bool = False, rules: Rules | None = None) -> None:
        self._file: IO[bytes] | None = None
        self._load(model, mapped)
        self.rules = get_rules(rules, None if "://" in model else find_model(model))
        if self.rules is not None:
            self.parser = self.parser.with_rules(self.rules)

    def _load(self, model: str, mapped: bool) -> None:
        if mapped and "://" not in model:
            self._map(find_model(model))
            return
        path = model if "://" in model else str(find_model(model))
        data = _fetch(model) if "://" in model else Path(path).read_bytes()
        self.sha256 = hashlib.sha256(data).hexdigest()
        if HeldModel._last is None or HeldModel._last[0] != self.sha256:
            HeldModel._last = self.sha256, Parser.from_bytes(data, name=path)
        self.parser = HeldModel._last[1]

    def _map(self, path: Path) -> None:
        self._path, self._file = path, path.open("rb")
        self._written = _last_write(self._file)
        self.parser = Parser.load(path, mapped=True)
        self.sha256 = hashlib.sha256(self._file.read()).hexdigest()
        if not os.path.samestat(os.fstat(self._file.fileno()), path.stat()):
            raise ValueError(f"{path}: the model was replaced while it was loaded; start again")
        self.check()

    def check(self) -> None:
        """Raise ValueError if the file of a mapped model has been written to."""
        if self._file is not None and _last_write(self._file) != self._written:
            raise ValueError(f"{self._path}: the model file was written to while it was in use")

    def close(self) -> None:
        """Close the file of a mapped model."""
        if self._file is not None:
            self._file.close()


def _last_write(file: IO[bytes]) -> tuple[int, int]:
    state = os.fstat(file.fileno())
    return state.st_size, state.st_mtime_ns


def find_model(model: str) -> Path:
    """Return the path of a model on this machine."""
    try:
        return locate(model).resolve()
    except FileNotFoundError:
        if (path := _distributed_by_spark(Path(model).name)) is not None:
            return path
        raise


def _distributed_by_spark(name: str) -> Path | None:
    """Return the path of a file that `addFile` put on this worker."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark import SparkFiles

    try:
        path = Path(SparkFiles.get(name))
    except (AssertionError, AttributeError, TypeError):  # Spark is not running in this process
        return None
    return path.resolve() if path.exists() else None


def _fetch(url: str) -> bytes:
    location = resolve_location(url)
    with location.system.open_input_stream(location.path) as stream:
        return bytes(stream.read())
