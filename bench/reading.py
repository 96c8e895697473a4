"""Compare the speed of reading CoNLL-U with that of other readers, on one file.

python bench/reading.py FILE [--repeat 5] [--json]    (peers: pip install "dodona[peers]")
"""

from __future__ import annotations

import gzip
import importlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from dodona.treebank.conllu.reader import read


def ours(path: Path) -> int:
    return sum(len(sentence) for sentence in read(path))


def ours_with_columns(path: Path) -> int:
    """Read the most used columns as Python lists."""
    return sum(len(s.forms) for s in read(path) if s.upos and s.heads and s.deprels)


def ours_gz(path: Path) -> int:
    return ours(path.with_name(f"{path.name}.gz"))


def udpipe(path: Path) -> int:
    """Read with the C++ reader and one reused sentence object; the whole text is passed at once."""
    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    reader = InputFormat.newConlluInputFormat()
    reader.setText(path.read_text(encoding="utf-8"))
    sentence, error, n_words = Sentence(), ProcessingError(), 0
    while reader.nextSentence(sentence, error):
        n_words += sentence.words.size() - 1
    if error.occurred():
        raise ValueError(error.message)
    return n_words


def pyconll(path: Path) -> int:
    from pyconll import iter_from_file

    sentences = iter_from_file(str(path))
    return sum(token.id.isdigit() for sentence in sentences for token in sentence)


def conllu(path: Path) -> int:
    from conllu import parse_incr

    with path.open(encoding="utf-8") as file:
        return sum(isinstance(token["id"], int) for s in parse_incr(file) for token in s)


READERS: dict[str, tuple[str, Callable[[Path], int]]] = {
    "dodona": ("dodona", ours),
    "dodona, four columns as lists": ("dodona", ours_with_columns),
    "dodona, from .gz": ("dodona", ours_gz),
    "ufal.udpipe": ("ufal.udpipe", udpipe),
    "pyconll": ("pyconll", pyconll),
    "conllu": ("conllu", conllu),
}


def is_installed(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def measure(path: Path, repeat: int) -> dict[str, float]:
    """Return the median words/s of each reader; the readers alternate."""
    readers = {name: run for name, (module, run) in READERS.items() if is_installed(module)}
    n_words = ours(path)
    seconds: dict[str, list[float]] = {name: [] for name in readers}
    for _ in range(repeat):
        for name, run in readers.items():
            begin = time.perf_counter()
            found = run(path)
            seconds[name].append(time.perf_counter() - begin)
            if found != n_words:
                raise ValueError(f"{name} read {found:,} words, dodona {n_words:,}")
    return {name: n_words / statistics.median(times) for name, times in seconds.items()}


def main(
    file: Path,
    repeat: Annotated[int, typer.Option(help="Runs of each reader; the median counts.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Read FILE with every reader that is installed and compare."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        copy.write_bytes(file.read_bytes())
        copy.with_name(f"{copy.name}.gz").write_bytes(gzip.compress(copy.read_bytes()))
        speeds = measure(copy, repeat)
    missing = [name for name in READERS if name not in speeds]
    if as_json:
        print(json.dumps({"file": str(file), "words_per_second": speeds, "not_installed": missing}))
        return
    table = Table("reader", "words/s", "dodona is", title=f"{file}, median of {repeat}")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.0f}", f"{speeds['dodona'] / speed:.1f}x")
    for name in missing:
        table.add_row(name, "not installed", "")
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
