"""Measure other parsers on the same sentences: UDPipe 1 and spaCy.

UDPipe parses the same file with gold tags (by default it uses UPOS and FEATS), so that its speed
and accuracy are comparable with ours. spaCy's models are trained on other trees and use no tags:
only its speed is comparable.
"""

from __future__ import annotations

import statistics
import time
from functools import partial
from pathlib import Path
from typing import Any

from measure import median_seconds, peak_memory

import dodona

Figures = dict[str, float | None]


def udpipe_sentences(path: Path) -> list[Any]:
    """Return the sentences of a file as UDPipe objects."""
    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    reader = InputFormat.newConlluInputFormat()
    reader.setText(path.read_text(encoding="utf-8"))
    error, sentences = ProcessingError(), []
    while reader.nextSentence(sentence := Sentence(), error):
        sentences.append(sentence)
    if error.occurred():
        raise ValueError(f"{path}: {error.message}")
    return sentences


def train_udpipe(train: Path, dev: Path, model: Path, n_iterations: int) -> Figures:
    """Train a UDPipe 1 parser (no tokeniser, no tagger) with default options except iterations."""
    from ufal.udpipe import ProcessingError, Sentences, Trainer

    def load(path: Path) -> Any:
        sentences = Sentences()
        for sentence in udpipe_sentences(path):
            sentences.append(sentence)
        return sentences

    error = ProcessingError()
    begin = time.perf_counter()
    options = f"iterations={n_iterations};use_gold_tags=1"
    bytes_ = Trainer.train(
        "morphodita_parsito", load(train), load(dev), "none", "none", options, error
    )
    if error.occurred():
        raise ValueError(f"UDPipe: {error.message}")
    model.write_bytes(bytes_)
    return {"train_seconds": time.perf_counter() - begin, "train_peak_memory": peak_memory()}


def udpipe(model_file: Path, test: Path, output: Path, repeat: int) -> Figures:
    """Measure words/s in the parser and from file to file, and accuracy."""
    from ufal.udpipe import Model, OutputFormat

    model = Model.load(str(model_file))
    if model is None:
        raise ValueError(f"{model_file}: not a UDPipe model")

    def parse(sentences: list[Any]) -> None:
        for sentence in sentences:
            model.parse(sentence, Model.DEFAULT)

    def file_to_file() -> None:
        sentences = udpipe_sentences(test)
        parse(sentences)
        writer = OutputFormat.newConlluOutputFormat()
        output.write_text("".join(map(writer.writeSentence, sentences)), encoding="utf-8")

    n_words = sum(len(sentence) for sentence in dodona.read(test))
    inside = []
    for _ in range(repeat):
        sentences = udpipe_sentences(test)  # new objects, because parsing changes them
        inside.append(median_seconds(partial(parse, sentences), 1))
    seconds = median_seconds(file_to_file, repeat)
    scores = dodona.evaluate(test, output)
    return {
        "parser_words_per_second": n_words / statistics.median(inside),
        "file_words_per_second": n_words / seconds,
        "parse_peak_memory": peak_memory(),
        "model_size": model_file.stat().st_size,
        "uas": scores.uas,
        "las": scores.las,
    }


def spacy(model_name: str, test: Path, repeat: int) -> Figures:
    """Measure words/s of the parser with the layers that it needs, given the words."""
    import spacy as library
    from spacy.tokens import Doc

    nlp = library.load(model_name)
    needed = ("tok2vec", "transformer", "parser")
    if "parser" not in nlp.pipe_names:
        raise ValueError(f"the spaCy model {model_name} has no parser")

    def parse(docs: list[Any]) -> None:
        for _ in nlp.pipe(docs):
            pass

    forms = [sentence.forms for sentence in dodona.read(test)]
    with nlp.select_pipes(enable=[name for name in needed if name in nlp.pipe_names]):
        seconds = []
        for _ in range(repeat):
            docs = [Doc(nlp.vocab, words=words) for words in forms]
            seconds.append(median_seconds(partial(parse, docs), 1))
    n_words = sum(map(len, forms))
    return {
        "parser_words_per_second": n_words / statistics.median(seconds),
        "parse_peak_memory": peak_memory(),
    }
