"""Measure raw text to CoNLL-U: speed, loading, two threads and F1; compare with other pipelines.

    python bench/text.py --data DIR --treebank en_ewt --model en \\
        --udpipe out/peers/en_ewt.udpipe --spacy out/peers/en_ewt.spacy

text_peers.py trains the peers on the same treebank. Everything is measured on one core in one run:
each pipeline reads the raw text of the test set (as in CoNLL 2018, with paragraphs separated) and
writes CoNLL-U; the median of --repeat runs counts.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import measure
import typer
from rich.console import Console
from rich.table import Table

import dodona
from dodona.treebank.raw_text import raw_text

Figures = dict[str, float]
Pipeline = Callable[[str], str]  # from text to CoNLL-U
COPIES = 4  # copies of the text, so that two threads have enough work


def ours(model: str) -> Pipeline:
    """Load our model; the text is passed in chunks, as from a file."""
    parser = dodona.load(model)

    def parse(text: str, threads: int = 1) -> str:
        chunks = (text[i : i + 65_536] for i in range(0, len(text), 65_536))
        return b"".join(map(bytes, parser.pipe_text(iter(chunks), threads=threads))).decode()

    return parse


def udpipe(model: str) -> Pipeline:
    """Load UDPipe 1 with all its components."""
    from ufal.udpipe import Model, ProcessingError
    from ufal.udpipe import Pipeline as Library

    loaded = Model.load(model)
    if loaded is None:
        raise ValueError(f"{model}: not a UDPipe model")

    def parse(text: str) -> str:  # the closure keeps the model alive; the library does not
        pipeline = Library(loaded, "tokenize", Library.DEFAULT, Library.DEFAULT, "conllu")
        return str(pipeline.process(text, ProcessingError()))

    return parse


def spacy(model: str) -> Pipeline:
    """Load spaCy with all its components; it gets single paragraphs, as it does not split them."""
    import spacy as library

    nlp = library.load(model)

    def parse(text: str) -> str:
        paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
        docs = nlp.pipe((part for part in paragraphs if part), batch_size=256)
        return "".join(dodona.Doc.from_spacy(doc).to_conllu() for doc in docs)

    return parse


KINDS = {"dodona": ours, "UDPipe 1": udpipe, "spaCy": spacy}


def figures(kind: str, model: str, test: Path, repeat: int) -> Figures:
    """Measure one pipeline, in a separate process."""
    measure.use_one_core()
    gold = list(dodona.read(test))
    text, n_words = "".join(raw_text(gold)), sum(map(len, gold))
    loading = measure.median_seconds(lambda: KINDS[kind](model), 1)
    parse = KINDS[kind](model)
    with tempfile.TemporaryDirectory() as temporary:
        output = Path(temporary, "system.conllu")
        output.write_text(parse(text), encoding="utf-8")
        scores = dodona.evaluate_text(test, output).to_dict()
    seconds = measure.median_seconds(lambda: parse(text), repeat)
    found = {"words/s": n_words / seconds, "loading, s": loading}
    found["peak memory, MB"] = (measure.peak_memory() or 0) / 1e6
    return found | {name: metric["f1"] for name, metric in scores.items() if metric}


def threads(model: str, test: Path, repeat: int) -> Figures:
    """Measure the gain of two threads on all cores; runs with one and two threads alternate."""
    text = "".join(raw_text(dodona.read(test))) * COPIES
    parse: Any = ours(model)
    parse(text)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeat):
        for n_threads in seconds:
            seconds[n_threads].append(measure.median_seconds(lambda n=n_threads: parse(text, n), 1))
    one, two = (sorted(runs)[len(runs) // 2] for runs in seconds.values())
    return {"two threads, times as fast": one / two}


def main(
    data: measure.Data,
    treebank: Annotated[str, typer.Option(help="The treebank's folder in it.")] = "en_ewt",
    model: Annotated[str, typer.Option(help="Our model: a name or a file.")] = "en",
    udpipe_model: Annotated[str, typer.Option("--udpipe", help="Model of UDPipe.")] = "",
    spacy_model: Annotated[str, typer.Option("--spacy", help="Model of spaCy.")] = "",
    repeat: Annotated[int, typer.Option(help="Runs; the median counts.")] = 5,
    json_file: Annotated[str, typer.Option("--json", help="Write the figures to this file.")] = "",
) -> None:
    """Measure complete pipelines on a treebank's test set."""
    test = data / treebank / "test.conllu"
    models = {"dodona": model, "UDPipe 1": udpipe_model, "spaCy": spacy_model}
    found = {
        kind: measure.apart(figures, kind, chosen, test, repeat)
        for kind, chosen in models.items()
        if chosen
    }
    found["dodona"] |= measure.apart(threads, model, test, repeat)
    rows = list(found["dodona"])
    table = Table("", *found, title=f"{treebank} test set from raw text, median of {repeat}")
    for row in rows:
        cells = (figures.get(row) for figures in found.values())
        table.add_row(row, *("" if cell is None else f"{cell:,.2f}" for cell in cells))
    Console().print(table)
    if json_file:
        Path(json_file).write_text(json.dumps(found, indent=2), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
