"""What a language brings to the training side by side, and what becomes of its network.

python -m tools.languages.lanes.models SET segmenter OUT        a segmenter, if there is no text
python -m tools.languages.lanes.models SET arrays OUT           arrays of its words and trees
python -m tools.languages.lanes.models SET student OUT NETWORK  the model of a trained network
python -m tools.languages.lanes.models SET mixed OUT MODEL      gold, and text as a model parses it

SET is a treebank of the data folder. --out is the folder with the files of all sets.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from random import Random

import numpy as np

from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.parsing.trainer import Trainer
from dodona.pipeline.assembly import SegmenterSource
from dodona.pipeline.sources import TRAIN, PartSources
from dodona.segmentation.segmenter import Segmenter
from dodona.settings import Settings
from dodona.training.neural.network import Parameters, new_parameters
from dodona.training.neural.strategy import NeuralStrategy
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED
from tools.languages.lanes.arrays import read_text, save_arrays
from tools.languages.lanes.lane import COLUMNS
from tools.languages.recipe import (
    LEMMA_SIZE,
    NETWORK,
    TEXT_WORDS,
    beside,
    mixed_words,
    segmenter_of,
    segmenter_size,
    sentences_of,
)
from tools.languages.sets import LanguageSet, find_data, find_sets, prepared
from tools.treebanks import ROOT

SHORTEST, LONGEST = 4, 60  # words of a sentence of text beside gold


class Language:
    """A language whose network is trained beside others."""

    def __init__(self, one: LanguageSet, out: Path) -> None:
        self.one, self.out = one, out

    @cached_property
    def text(self) -> list[Sentence]:
        """The sentences of the text that the network learns from."""
        return read_text(sentences_of(self.one, self.out), TEXT_WORDS)

    @cached_property
    def trainer(self) -> Trainer:
        """The trainer of the network; its words are those of gold, and frequent ones of text."""
        counts = Counter(form for sentence in self.text for form in sentence.forms)
        strategy = NeuralStrategy(more=beside(self.one, self.out), forms=counts)
        settings = Settings(scorer="neural", tags="predicted", **NETWORK)
        return Trainer(str(self.one.train), str(self.one.dev), settings, strategy)

    @property
    def strategy(self) -> NeuralStrategy:
        """The strategy of the trainer."""
        assert isinstance(self.trainer.strategy, NeuralStrategy)
        return self.trainer.strategy

    def segmenter(self) -> Segmenter:
        """Return a segmenter that learned from the treebank alone."""
        parts = PartSources(TRAIN, segmenter_size=segmenter_size(self.one))
        gold, dev = (load_trees(str(path)) for path in (self.one.train, self.one.dev))
        source = SegmenterSource(parts, gold, dev, Settings.seed)
        for _ in source.trainer.epochs() if source.trainer else ():
            pass
        found = source.segmenter()
        assert found is not None  # it was trained
        return found

    def save_arrays(self, path: Path) -> None:
        """Write what the network learns from."""
        if all(task.column != "upos" for task in self.strategy.tags.tag_classes):
            sys.exit(
                f"{self.one.train}: no word has UPOS, which make languages needs; train a parser "
                "without it by `dodona train`"
            )
        save_arrays(path, self.strategy, self.trainer.dev, self.text)

    def student(self, network: Path) -> Parser:
        """Return the model of a network, with the segmenter, and a lemmatiser trained here."""
        strategy = self.strategy
        columns = [task.column for task in strategy.tags.tag_classes]
        strategy.shape = replace(strategy.shape, fed_back=(columns.index("upos"),))
        if strategy.lemma_trainer is not None:
            strategy.lemma_trainer.n_bytes = 1000 * LEMMA_SIZE
            for _ in strategy.lemma_trainer.epochs():
                pass
        parameters = own_parameters(strategy, read_network(network))
        self.trainer.best = strategy.learned(strategy.arrays_of(parameters))
        parser = self.trainer.parser()
        parser.segmenter = Segmenter.load(segmenter_of(self.one, self.out))
        return parser

    def mixed(self, model: Path) -> Iterator[Sentence]:
        """Yield gold, then sentences of the text as a model parses them; without lemmas, which
        tuning does not learn."""
        gold = load_trees(str(self.one.train))
        text = read_text(sentences_of(self.one, self.out), sys.maxsize)
        text = [sentence for sentence in text if SHORTEST <= len(sentence) <= LONGEST]
        Random(1).shuffle(text)
        n_words, some = mixed_words(sum(map(len, gold))), list[Sentence]()
        for sentence in text:
            if (n_words := n_words - len(sentence)) < 0:
                break
            some.append(sentence)
        for sentence in (*gold, *Parser.load(model).pipe(some, retag=True)):
            yield sentence.replace(lemmas=[UNANNOTATED] * len(sentence))


def read_network(path: Path) -> Parameters:
    """Return the parameters of a network that was trained beside others."""
    with np.load(path, allow_pickle=False) as file:
        found = {name: file[name].astype(np.float32) for name in file.files}
    for name in [name for name in found if name.endswith(".scale")]:
        found[name.removesuffix(".scale")] *= found.pop(name)[:, None]
    return found


def own_parameters(strategy: NeuralStrategy, lane: Parameters) -> Parameters:
    """Return the parameters of a lane with the tag heads of the language, in its order."""
    heads = [COLUMNS.index(task.column) for task in strategy.tags.tag_classes]
    found = new_parameters(strategy.shape, 0)
    for name, value in found.items():
        kind, *rest = name.split(".")
        if kind == "tag":
            rest[0] = str(heads[int(rest[0])])
        if kind != "arc":  # of the auxiliary loss, which no model has
            found[name] = lane[".".join([kind, *rest])][tuple(map(slice, value.shape))]
    return found


def main(words: list[str] | None = None) -> None:
    """Take one of the steps of a language."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("set", help="a treebank of the data folder")
    options.add_argument("step", choices=["segmenter", "arrays", "student", "mixed"])
    options.add_argument("made", type=Path, metavar="OUT", help="the file to be made")
    options.add_argument("given", type=Path, nargs="?", help="network or model to begin with")
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, default=ROOT / "out" / "languages", help="folder")
    chosen = options.parse_args(words)
    if (chosen.given is None) != (chosen.step in ("segmenter", "arrays")):
        options.error("student takes a network, mixed a model, and the others nothing")
    (one,) = find_sets(chosen.data, [chosen.set])
    language = Language(prepared(one, chosen.out / one.name), chosen.out)
    if chosen.step == "segmenter":
        language.segmenter().save(chosen.made)
    elif chosen.step == "arrays":
        language.save_arrays(chosen.made)
    elif chosen.step == "student":
        language.student(chosen.given).save(chosen.made)
    else:
        with Writer(chosen.made) as writer:
            for sentence in language.mixed(chosen.given):
                writer.write(sentence)


if __name__ == "__main__":
    main()
