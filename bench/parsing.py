"""Measure speed, size and accuracy of training and parsing on one core, with peers in the same run.

python bench/parsing.py --data DIR --treebank en_ewt [--model FILE] [--peers] [--json FILE]
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import measure
import peers
import typer
from peers import Figures
from rich.console import Console
from rich.table import Table

import dodona

UDPIPE_ITERATIONS = 10  # its default


def seconds(value: float) -> str:
    return f"{value:,.1f} s" if value >= 10 else f"{value * 1000:,.0f} ms"


def size(value: float) -> str:
    return f"{value / 2**20:,.1f} MiB"


def count(value: float) -> str:
    return f"{value:,.0f}"


def percent(value: float) -> str:
    return f"{value:.2f}"


# label of a figure, its format, and how ours is compared with a peer's
MORE, LESS, POINTS = "more is better", "less is better", "a difference in points"
ROWS = {
    "train_seconds": ("training", seconds, LESS),
    "train_peak_memory": ("peak memory of training", size, LESS),
    "model_size": ("model", size, LESS),
    "parser_words_per_second": ("words/s in the parser", count, MORE),
    "file_words_per_second": ("words/s from file to file", count, MORE),
    "two_threads_words_per_second": ("… with two threads", count, MORE),
    "parse_peak_memory": ("peak memory of parsing", size, LESS),
    "cold_start_seconds": ("`dodona parse` of one sentence", seconds, LESS),
    "uas": ("UAS", percent, POINTS),
    "las": ("LAS", percent, POINTS),
}


def train(folder: Path, model: Path, epochs: int) -> Figures:
    """Train on gold tags, with default settings."""
    begin = time.perf_counter()
    files = folder / "train.conllu", folder / "dev.conllu"
    parser = dodona.train(*files, epochs=epochs, tags="gold")
    seconds = time.perf_counter() - begin
    parser.save(model)
    return {"train_seconds": seconds, "train_peak_memory": measure.peak_memory()}


def in_the_parser(model: Path, test: Path, repeat: int) -> float:
    """Return words/s from an encoded corpus to trees, without reading and writing."""
    parser = dodona.load(model)
    sentences = list(dodona.read(test, trees="ignored"))
    corpus = parser.encoder.encode(sentences)
    parser.search.parse(corpus)  # loads the model file into memory
    seconds = measure.median_seconds(lambda: parser.search.parse(corpus), repeat)
    return sum(map(len, sentences)) / seconds


def parse_file(parser: dodona.Parser, test: Path, output: Path, threads: int = 1) -> None:
    with dodona.Writer(output) as writer:
        for sentence in parser.pipe(dodona.read(test, trees="ignored"), threads=threads):
            writer.write(sentence)


def file_to_file(model: Path, test: Path, output: Path, repeat: int, threads: int = 1) -> Figures:
    """Return words/s from a CoNLL-U file to a CoNLL-U file, and the peak memory."""
    parser = dodona.load(model)
    seconds = measure.median_seconds(lambda: parse_file(parser, test, output, threads), repeat)
    memory = measure.peak_memory()  # before the sentences are read for counting
    n_words = sum(map(len, dodona.read(test)))
    return {"words_per_second": n_words / seconds, "peak_memory": memory}


def cold_start(model: Path, test: Path, folder: Path, repeat: int) -> float | None:
    """Return the seconds of a shell command that parses one sentence; None if it fails."""
    one = folder / "one.conllu"
    one.write_bytes(bytes(next(dodona.read(test))))
    dodona_command = Path(sysconfig.get_path("scripts")) / "dodona"
    command = [str(dodona_command), "parse", str(model), str(one)]
    # the first run is not counted: it compiles byte code and fills the file cache
    first = subprocess.run(command, capture_output=True, text=True)
    if first.returncode:
        print(f"{' '.join(command)} failed:\n{first.stderr}", file=sys.stderr)
        return None
    return measure.median_seconds(lambda: subprocess.run(command, capture_output=True), repeat)


def ours(data: Path, model: Path | None, folder: Path, epochs: int, repeat: int) -> Figures:
    """Measure every figure of Dodona, each in a separate process."""
    figures: Figures = {}
    test, output = data / "test.conllu", folder / "dodona.conllu"
    all_cores = measure.cores()
    measure.use_one_core()
    if model is None:
        model = folder / "bench.dodona"
        figures |= measure.apart(train, data, model, epochs)
    figures["model_size"] = model.stat().st_size
    figures["parser_words_per_second"] = measure.apart(in_the_parser, model, test, repeat)
    alone = measure.apart(file_to_file, model, test, output, repeat)
    figures["file_words_per_second"] = alone["words_per_second"]
    figures["parse_peak_memory"] = alone["peak_memory"]
    scores = dodona.evaluate(test, output)
    figures |= {"uas": scores.uas, "las": scores.las}
    figures["cold_start_seconds"] = cold_start(model, test, folder, repeat)
    measure.use_all_cores(all_cores)
    if len(all_cores) > 1:
        both = measure.apart(file_to_file, model, test, output, repeat, threads=2)
        figures["two_threads_words_per_second"] = both["words_per_second"]
    return figures


def theirs(
    data: Path, folder: Path, udpipe: Path | None, train_udpipe: int, spacy: str | None, repeat: int
) -> dict[str, Figures]:
    """Measure the peers that are installed and have a model."""
    found: dict[str, Figures] = {}
    measure.use_one_core()
    test = data / "test.conllu"
    figures: Figures = {}
    if train_udpipe:
        udpipe = folder / "bench.udpipe"
        files = data / "train.conllu", data / "dev.conllu"
        figures = measure.apart(peers.train_udpipe, *files, udpipe, train_udpipe)
    if udpipe:
        output = folder / "udpipe.conllu"
        found["UDPipe 1"] = figures | measure.apart(peers.udpipe, udpipe, test, output, repeat)
    if spacy:
        found[f"spaCy {spacy}"] = measure.apart(peers.spacy, spacy, test, repeat)
    return found


def cell(figures: Figures, row: str) -> str:
    value = figures.get(row)
    return "" if value is None else ROWS[row][1](value)


def relation(ours: Figures, theirs: Figures, row: str) -> str:
    """Return the ratio of our figure to a peer's, or the difference in points."""
    kind, mine, other = ROWS[row][2], ours.get(row), theirs.get(row)
    if mine is None or other is None:
        return ""
    if kind == POINTS:
        return f"{mine - other:+.2f}"
    return f"{mine / other if kind == MORE else other / mine:.2f}x"


def show(title: str, figures: dict[str, Figures]) -> None:
    """Print a column for Dodona and two for each peer: its figure, and the comparison."""
    mine, *others = figures.values()
    table = Table("", title=title)
    for name in figures:
        table.add_column(name, justify="right")
        if name != "Dodona":
            table.add_column("Dodona is", justify="right")
    for row, (label, _, _) in ROWS.items():
        cells = [cell(mine, row)]
        for peer in others:
            cells += [cell(peer, row), relation(mine, peer, row)]
        if any(cells):
            table.add_row(label, *cells)
    Console().print(table)


def main(
    data: measure.Data,
    treebank: Annotated[str, typer.Option(help="The treebank's folder in it.")] = "en_ewt",
    model: Annotated[
        Path | None, typer.Option(help="Use this model instead of training one.")
    ] = None,
    epochs: Annotated[int, typer.Option(help="Training epochs.")] = dodona.Settings().epochs,
    repeat: Annotated[int, typer.Option(help="Runs; the median counts.")] = 5,
    with_peers: Annotated[
        bool,
        typer.Option("--peers", help="Also measure UDPipe; trains it unless a model is given."),
    ] = False,
    udpipe_model: Annotated[Path | None, typer.Option(help="A UDPipe 1 model.")] = None,
    train_udpipe: Annotated[
        int, typer.Option(metavar="N", help="Train UDPipe for N iterations: minutes each.")
    ] = 0,
    spacy_model: Annotated[str | None, typer.Option(help="A spaCy pipeline.")] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Measure Dodona and, with --peers, other parsers on a treebank's test set."""
    files = data / treebank
    if not (files / "test.conllu").exists():
        raise typer.BadParameter(f"{files}: no test.conllu there", param_hint="--data, --treebank")
    if with_peers and not (udpipe_model or train_udpipe):
        train_udpipe = UDPIPE_ITERATIONS
    if (udpipe_model or train_udpipe) and not importlib.util.find_spec("ufal.udpipe"):
        raise typer.BadParameter('UDPipe is not installed: pip install "dodona[peers]"')
    with tempfile.TemporaryDirectory() as folder:
        figures = {"Dodona": ours(files, model, Path(folder), epochs, repeat)}
        figures |= theirs(files, Path(folder), udpipe_model, train_udpipe, spacy_model, repeat)
    show(f"{treebank}, one core, median of {repeat}", figures)
    if as_json:
        report: dict[str, Any] = {"treebank": treebank, "machine": measure.machine()}
        as_json.parent.mkdir(parents=True, exist_ok=True)
        as_json.write_text(json.dumps(report | {"figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    typer.run(main)
