"""Compare the speed of the installed version of the package with another one.

    git worktree add ../before REV && pip install --target out/before ../before
    python bench/versions.py --before out/before --data DIR [--treebank en_ewt] [--model en-linear]

Each figure is the least CPU time of `--repeat` runs; old and new runs alternate, each in a separate
process, which gives comparable figures on a shared machine. Trees must be identical.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import measure
import typer
from rich.console import Console
from rich.table import Table

import dodona
from dodona.parsing.scorers import LinearParserScorer
from dodona.treebank.raw_text import raw_text

ONCE = 0.2  # least seconds of a measurement
RUNS = 3  # in one process


def least_seconds(function: Callable[[], Any]) -> float:
    """Return the CPU seconds of a call: the least of several runs, each of enough calls."""
    function()
    best, n_calls = float("inf"), 1
    for _ in range(RUNS):
        begin = time.process_time()
        for _ in range(n_calls):
            function()
        spent = time.process_time() - begin
        best = min(best, spent / n_calls)
        n_calls = max(n_calls, round(ONCE / best))
    return best


def digest(sentences: Iterable[dodona.Sentence]) -> str:
    """Return a checksum of trees."""
    return hashlib.sha256(b"".join(map(bytes, sentences))).hexdigest()[:12]


def figures(folder: Path, model: str, epochs: int) -> dict[str, Any]:
    """Measure the version of the package that this process imports."""
    measure.use_one_core()
    parser, test = dodona.load(model), folder / "dev.conllu"
    sentences = list(dodona.read(test, trees="ignored"))
    n_words, text = sum(map(len, sentences)), "".join(raw_text(sentences))
    content, short = test.read_bytes(), sentences[0]
    tasks: dict[str, Callable[[], Any]] = {
        "CoNLL-U to CoNLL-U, tags kept": lambda: b"".join(
            map(bytes, parser.pipe(dodona.read(io.BytesIO(content)), keep_tags=True))
        ),
        "CoNLL-U to CoNLL-U, beam 8": lambda: b"".join(
            map(bytes, parser.pipe(dodona.read(io.BytesIO(content)), keep_tags=True, beam=8))
        ),
    }
    if isinstance(parser.scorer, LinearParserScorer):  # a network reads words and parses at once
        corpus = parser.encoder.encode(sentences)
        tasks["in the parser"] = lambda: parser.search.parse(corpus)
    if parser.segmenter is not None:
        tasks["text to CoNLL-U"] = lambda: b"".join(map(bytes, parser.pipe_text(iter([text]))))
    found: dict[str, Any] = {
        f"ns a word, {name}": 1e9 * least_seconds(task) / n_words for name, task in tasks.items()
    }
    found["ms a call, one sentence"] = 1e3 * least_seconds(lambda: parser.parse(short))
    if epochs:
        begin = time.process_time()
        dodona.train(folder / "train.conllu", epochs=epochs, tags="gold")
        found[f"s, {epochs} epochs of training"] = time.process_time() - begin
    found["trees"] = digest(parser.pipe(sentences, keep_tags=True))
    return found


def run(before: Path | None, arguments: list[str]) -> dict[str, Any]:
    """Measure a version in a new process."""
    environment = {**os.environ, "PYTHONPATH": "" if before is None else str(before)}
    with tempfile.TemporaryDirectory() as elsewhere:
        command = [sys.executable, str(Path(__file__).resolve()), *arguments, "--alone"]
        done = subprocess.run(
            command, capture_output=True, env=environment, cwd=elsewhere, check=True
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def least(runs: list[dict[str, Any]], name: str) -> float:
    return min(float(found[name]) for found in runs)


def main(
    data: measure.Data,
    before: Annotated[
        Path | None, typer.Option(help="Folder of the other version of the package.")
    ] = None,
    treebank: Annotated[str, typer.Option(help="The treebank's folder in it.")] = "en_ewt",
    model: Annotated[str, typer.Option(help="A name or a file.")] = "en-linear",
    epochs: Annotated[int, typer.Option(help="Training epochs; 0: no training.")] = 0,
    repeat: Annotated[int, typer.Option(help="Runs of each version.")] = 3,
    alone: Annotated[bool, typer.Option(help="Print the figures of this process as JSON.")] = False,
) -> None:
    """Measure two versions of the package, alternating."""
    if alone:
        print(json.dumps(figures(data / treebank, model, epochs)))
        return
    if before is None:
        raise SystemExit("--before DIR is missing: the folder of the version to compare with")
    if Path(model).exists():
        model = str(Path(model).resolve())
    arguments = ["--data", str(data.resolve()), "--treebank", treebank, "--model", model]
    arguments += ["--epochs", str(epochs)]
    old, new = [], []
    for _ in range(repeat):
        old.append(run(before.resolve(), arguments))
        new.append(run(None, arguments))
    table = Table("", "before", "now", "times as fast", title=f"{treebank}, {model}")
    for name in new[0]:
        if name != "trees":
            pair = least(old, name), least(new, name)
            table.add_row(name, *(f"{value:,.3f}" for value in pair), f"{pair[0] / pair[1]:.2f}")
    same = {found["trees"] for found in old} == {found["trees"] for found in new}
    Console().print(table, "The same trees." if same else "OTHER TREES.")
    raise SystemExit(0 if same else 1)


if __name__ == "__main__":
    typer.run(main)
