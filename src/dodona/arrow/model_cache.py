"""Models for workers: found by name, path or URL, and loaded once per process."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Lock

from dodona.arrow.locations import resolve_location
from dodona.models import locate
from dodona.parsing.parser import Parser

_loaded: dict[tuple[object, ...], Parser] = {}
_lock = Lock()


def load_cached(model: str, *, mapped: bool = False) -> Parser:
    """Return the parser of a model; a file that has changed is loaded again.

    `model` is the name of an installed model, a path, or a URL, which is read by `pyarrow.fs`. A
    path that does not exist is looked up among the files that Spark distributed
    (`SparkContext.addFile`).

    >>> load_cached("en") is load_cached("en")
    True
    """
    if "://" in model:
        with _lock:
            if (model,) not in _loaded:
                _loaded[model,] = Parser.from_bytes(_fetch(model))
            return _loaded[model,]
    path = find_model(model)
    state = path.stat()
    key = (path, state.st_mtime_ns, state.st_size, mapped)
    with _lock:  # concurrent threads load it once
        if key not in _loaded:
            for old in [old for old in _loaded if old[0] == path and old[-1] == mapped]:
                del _loaded[old]
            _loaded[key] = Parser.load(path, mapped=mapped)
        return _loaded[key]


def model_bytes(model: str) -> bytes:
    """Return the bytes of a model file, local or remote."""
    return _fetch(model) if "://" in model else find_model(model).read_bytes()


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
