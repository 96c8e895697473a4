"""Models as workers find them: by name, path or URL, loaded once in each process."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Lock

from dodona.models import locate
from dodona.parsing.parser import Parser

_loaded: dict[tuple[object, ...], Parser] = {}
_lock = Lock()


def load_once(model: str, *, mapped: bool = False) -> Parser:
    """The parser of a model; a file that has changed since is loaded again.

    A name is that of a model that ships. A path that is not there is looked for among the files
    that Spark brought along (`SparkContext.addFile`). A URL is read through `pyarrow.fs`.

    >>> load_once("en") is load_once("en")
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
    with _lock:  # threads that come together load it once
        if key not in _loaded:
            for old in [old for old in _loaded if old[0] == path and old[-1] == mapped]:
                del _loaded[old]
            _loaded[key] = Parser.load(path, mapped=mapped)
        return _loaded[key]


def model_bytes(model: str) -> bytes:
    """The file of a model, wherever it is."""
    return _fetch(model) if "://" in model else find_model(model).read_bytes()


def find_model(model: str) -> Path:
    """The file of a model on this machine."""
    try:
        return locate(model).resolve()
    except FileNotFoundError:
        if (brought := _brought_by_spark(Path(model).name)) is not None:
            return brought
        raise


def _brought_by_spark(name: str) -> Path | None:
    """A file that `addFile` has put on this worker."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark import SparkFiles

    try:
        path = Path(SparkFiles.get(name))
    except (AssertionError, AttributeError, TypeError):  # no Spark is running here
        return None
    return path.resolve() if path.exists() else None


def _fetch(url: str) -> bytes:
    from dodona.arrow.places import open_place

    place = open_place(url)
    with place.system.open_input_stream(place.path) as stream:
        return bytes(stream.read())
