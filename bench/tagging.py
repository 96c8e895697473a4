"""Measure the tagger: training time, size, words/s and accuracy; compare with UDPipe 1.

    python bench/tagging.py --data DIR --treebank en_ewt --train-udpipe 20

With --tags predicted, also measure a parser with a tagger in its model, from words to trees. Tokens
are gold; columns are compared as a whole. Words/s are those of tagging sentences in memory on one
core.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import measure
import typer
from peers import udpipe_sentences
from rich.console import Console
from rich.table import Table

import dodona
from dodona.settings import TaggerSettings
from dodona.tagging.tagger_training import tag_accuracies

Figures = dict[str, float]
COLUMNS = ("upos", "xpos", "feats", "lemma")


def ours(folder: Path, model: Path, repeat: int, settings: dict[str, Any]) -> Figures:
    """Train a tagger with these settings, and tag the test set."""
    begin = time.perf_counter()
    dodona.train_tagger(folder / "train.conllu", folder / "dev.conllu", **settings).save(model)
    seconds = time.perf_counter() - begin
    tagger = dodona.Tagger.load(model)
    gold = list(dodona.read(folder / "test.conllu"))
    tagged = list(tagger.pipe(gold))
    each = measure.median_seconds(lambda: list(tagger.pipe(gold)), repeat)
    return {
        "training, seconds": seconds,
        "model, MB": model.stat().st_size / 1e6,
        "words/s": sum(map(len, gold)) / each,
        **tag_accuracies(gold, tagged, COLUMNS),
    }


def parser(folder: Path, model: Path, repeat: int, settings: dict[str, Any]) -> Figures:
    """Train a parser with a tagger, and parse the words of the test set."""
    begin = time.perf_counter()
    dodona.train(folder / "train.conllu", folder / "dev.conllu", **settings).save(model)
    seconds = time.perf_counter() - begin
    loaded = dodona.load(model)
    gold = list(dodona.read(folder / "test.conllu"))
    parsed = list(loaded.pipe(gold, retag=True))
    each = measure.median_seconds(lambda: list(loaded.pipe(gold, retag=True)), repeat)
    scores = dodona.evaluate(gold, parsed)
    return {
        "training, seconds": seconds,
        "model, MB": model.stat().st_size / 1e6,
        "words/s": sum(map(len, gold)) / each,
        **tag_accuracies(gold, parsed, COLUMNS),
        "uas": scores.uas,
        "las": scores.las,
    }


def udpipe(folder: Path, model_file: Path, repeat: int, n_iterations: int) -> Figures:
    """Train UDPipe's tagger with default options except iterations."""
    from ufal.udpipe import Model, ProcessingError, Sentences, Trainer

    def load(part: str) -> Any:
        sentences = Sentences()
        for sentence in udpipe_sentences(folder / f"{part}.conllu"):
            sentences.append(sentence)
        return sentences

    error, begin = ProcessingError(), time.perf_counter()
    kind, options = "morphodita_parsito", f"iterations={n_iterations}"
    data = Trainer.train(kind, load("train"), load("dev"), "none", options, "none", error)
    if error.occurred():
        raise ValueError(f"UDPipe: {error.message}")
    model_file.write_bytes(data)
    seconds, model = time.perf_counter() - begin, Model.load(str(model_file))

    def tag(sentences: list[Any]) -> None:
        for sentence in sentences:
            model.tag(sentence, Model.DEFAULT)

    gold, each = list(dodona.read(folder / "test.conllu")), []
    for _ in range(repeat):
        sentences = udpipe_sentences(folder / "test.conllu")
        each.append(measure.median_seconds(partial(tag, sentences), 1))
    tagged = [
        sentence.replace(
            lemmas=[word.lemma or "_" for word in list(found.words)[1:]],
            upos=[word.upostag or "_" for word in list(found.words)[1:]],
            xpos=[word.xpostag or "_" for word in list(found.words)[1:]],
            feats=[word.feats or "_" for word in list(found.words)[1:]],
        )
        for sentence, found in zip(gold, sentences, strict=True)
    ]
    return {
        "training, seconds": seconds,
        "model, MB": model_file.stat().st_size / 1e6,
        "words/s": sum(map(len, gold)) / statistics.median(each),
        **tag_accuracies(gold, tagged, COLUMNS),
    }


def main(
    data: measure.Data,
    treebank: Annotated[str, typer.Option(help="The treebank's folder in it.")] = "en_ewt",
    repeat: Annotated[int, typer.Option(help="Runs; the median counts.")] = 5,
    search: Annotated[
        str, typer.Option(help="Search of our tagger: greedy or beam.")
    ] = TaggerSettings().search,
    tags: Annotated[
        str, typer.Option(help="Also train a parser on these tags: predicted or jackknife:N.")
    ] = "",
    train_udpipe: Annotated[
        int, typer.Option(metavar="N", help="Train UDPipe's tagger for N iterations.")
    ] = 0,
) -> None:
    """Measure the tagger on a treebank's test set."""
    measure.use_one_core()
    with tempfile.TemporaryDirectory() as temporary:
        model, folder = Path(temporary, "model"), data / treebank
        figures = {"tagger": measure.apart(ours, folder, model, repeat, {"search": search})}
        if tags:
            figures["tagger and parser"] = measure.apart(
                parser, folder, model, repeat, {"tags": tags}
            )
        if train_udpipe:
            figures["UDPipe 1"] = measure.apart(udpipe, folder, model, repeat, train_udpipe)
    table = Table("", *figures, title=f"{treebank}, one core, median of {repeat}")
    for row in dict.fromkeys(row for found in figures.values() for row in found):
        cells = (found.get(row) for found in figures.values())
        table.add_row(row, *("" if cell is None else f"{cell:,.2f}" for cell in cells))
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
