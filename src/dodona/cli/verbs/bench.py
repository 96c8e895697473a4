"""`dodona bench`: measure how fast a model reads, parses and starts on this machine."""

import json as json_
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag, Json, ModelName
from dodona.cli.progress import Meter
from dodona.models import locate
from dodona.parsing.parser import Parser
from dodona.treebank.conllu.reader import read
from dodona.treebank.conllu.writer import Writer

COMMAND = (sys.executable, "-c", "from dodona.cli import main; main()")


def bench(
    model: ModelName,
    file: Annotated[str, Flag("CoNLL-U file to parse", positional=True)],
    repeats: Annotated[int, Flag("number of measurements, of which the median is shown")] = 5,
    threads: Annotated[int, Flag("threads for the multithreaded measurements")] = os.cpu_count()
    or 1,
    json: Json = False,
) -> None:
    """Measure speed and memory on this machine.

    The figures are medians: for reading, for parsing, for both from file to file, and for a cold
    start with one sentence.
    """
    if repeats < 1:
        raise UsageError(f"--repeats must be at least 1, not {repeats}")
    figures = measure(locate(model), Path(file), repeats, threads)
    if json:
        print(json_.dumps(figures, indent=2))
    else:
        _print(figures)


def measure(model: Path, file: Path, repeats: int, threads: int) -> dict[str, Any]:
    """Return all figures: seconds, words per second, bytes."""
    parser = Parser.load(model)
    sentences = list(read(file, trees="ignored"))
    n_words = sum(map(len, sentences))

    def parse_cold() -> None:
        command, first = [*COMMAND, "parse", str(model), "--quiet"], bytes(sentences[0])
        subprocess.run(command, input=first, stdout=subprocess.DEVNULL, check=True)

    def speed(task: Callable[[], object]) -> float:
        return n_words / _time(task, repeats, lambda: meter.add(n_words))

    with (
        TemporaryDirectory() as folder,
        Meter("measuring", 5 * repeats * n_words, by_words=True) as meter,
    ):
        target = Path(folder, "parsed.conllu")
        return {
            "model": str(model),
            "file": str(file),
            "n_sentences": len(sentences),
            "n_words": n_words,
            "repeats": repeats,
            "threads": threads,
            "model_bytes": model.stat().st_size,
            "load_seconds": _time(lambda: Parser.load(model), repeats),
            "read": speed(lambda: _exhaust(read(file, trees="ignored"))),
            "parse": speed(lambda: _exhaust(parser.pipe(sentences))),
            "parse_threads": speed(lambda: _exhaust(parser.pipe(sentences, threads=threads))),
            "file_to_file": speed(lambda: _parse_file(parser, file, target, 1)),
            "file_to_file_threads": speed(lambda: _parse_file(parser, file, target, threads)),
            "cold_start_seconds": _time(parse_cold, repeats),
            "peak_bytes": _measure_peak(model, file, target),
        }


def _time(
    task: Callable[[], object], repeats: int, between: Callable[[], object] = lambda: None
) -> float:
    """Return the median duration of a task; `between` is called after each run, untimed."""
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        found.append(time.perf_counter() - start)
        between()
    return median(found)


def _exhaust(items: Any) -> None:
    for _ in items:
        pass


def _parse_file(parser: Parser, source: Path, target: Path, threads: int) -> None:
    with Writer(target) as writer:
        for sentence in parser.pipe(read(source, trees="ignored"), threads=threads):
            writer.write(sentence)


def _measure_peak(model: Path, source: Path, target: Path) -> int | None:
    """Return the peak memory of a process that parses the file; None where it is unknown."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    command = [*COMMAND, "parse", str(model), str(source), "-o", str(target), "--quiet"]
    subprocess.run(command, check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _print(figures: dict[str, Any]) -> None:
    from dodona.cli.tables import n_bytes, print_columns

    n = figures["threads"]
    speeds = {
        "reading": "read",
        "parsing": "parse",
        f"parsing, {n} threads": "parse_threads",
        "from file to file": "file_to_file",
        f"from file to file, {n} threads": "file_to_file_threads",
    }
    rows = [(name, f"{figures[key]:,.0f} words/s") for name, key in speeds.items()]
    rows += [
        ("loading the model", f"{1000 * figures['load_seconds']:,.0f} ms"),
        ("cold start, one sentence", f"{1000 * figures['cold_start_seconds']:,.0f} ms"),
        ("model", n_bytes(figures["model_bytes"])),
    ]
    if figures["peak_bytes"] is not None:
        rows.append(("peak memory of parsing", n_bytes(figures["peak_bytes"])))
    title = f"{figures['n_words']:,} words, median of {figures['repeats']}"
    print_columns((title, ""), rows)
