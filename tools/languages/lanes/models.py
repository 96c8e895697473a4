"""What a language brings to the training side by side, and what becomes of its network.

python -m tools.languages.lanes.models SET segmenter OUT        a segmenter, if there is no text
python -m tools.languages.lanes.models SET arrays OUT           arrays of its words and trees
python -m tools.languages.lanes.models SET student OUT NETWORK  the model of a trained network
python -m tools.languages.lanes.models SET tuned OUT STUDENT    the student, tuned on its own states

SET is a treebank of the data folder. --out is the folder with the files of all sets.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dodona.evaluation import evaluate
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.parsing.trainer import Trainer
from dodona.pipeline.assembly import SegmenterSource
from dodona.pipeline.fine_tuning import Base
from dodona.pipeline.sources import TRAIN, PartSources
from dodona.segmentation.segmenter import Segmenter
from dodona.settings import Settings
from dodona.training.neural.network import Parameters, new_parameters
from dodona.training.neural.strategy import NeuralStrategy
from dodona.treebank.sentence import Sentence
from tools.languages.lanes.arrays import read_text, save_arrays, upos_places, voted
from tools.languages.lanes.lane import COLUMNS
from tools.languages.recipe import (
    AFTER_TEXT,
    GOLD_SETTINGS,
    LEMMA_SIZE,
    MOST_FORMS,
    NETWORK,
    TEXT_SETTINGS,
    TEXT_WORDS,
    TUNING_GOLD,
    TUNING_TEXT,
    beside,
    gold_epochs,
    segmenter_of,
    segmenter_size,
    sentences_of,
    votes_of,
)
from tools.languages.sets import LanguageSet, find_data, find_sets, prepared
from tools.treebanks import ROOT


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
        strategy = NeuralStrategy(
            more=beside(self.one, self.out), forms=counts, most_forms=MOST_FORMS
        )
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
        gold, dev = (load_trees(str(path)) for path in (self.one.segmented, self.one.dev))
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
        one = self.one
        about = {"lends": one.lends, "own_words": one.n_words}
        save_arrays(path, self.strategy, self.trainer.dev, self.text, **about)

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

    def votes_las(self) -> float:
        """Return the LAS of the votes on the dev set; 0 if there are none on the text."""
        path = votes_of(self.one, self.out)
        if not path.exists():
            return 0.0
        with np.load(path, allow_pickle=False) as votes:
            return float(votes["las"])

    def voted(self) -> list[Sentence]:
        """Return the sentences of the text with the trees that all networks have voted for."""
        with np.load(votes_of(self.one, self.out), allow_pickle=False) as votes:
            return list(voted(self.strategy, self.text, dict(votes)))

    def _las(self, parser: Parser) -> float:
        """Return the LAS of a parser on the dev set."""
        gold = self.trainer.dev
        return evaluate(gold, [*parser.pipe(gold, retag=True)]).las

    def tuned(self, student: Path) -> Parser:
        """Return a student that learned from treebank and text, then from the treebank alone, with
        states of its own errors.

        It learns from text only if those who voted parse better than the student. Votes of networks
        that were trained for a minute would make it worse.
        """
        base, gold = Base.load(student), load_trees(str(self.one.train))
        if self.votes_las() <= self._las(base.parser):
            of_gold = GOLD_SETTINGS | {"epochs": gold_epochs(self.one.n_words)}
            return self._tuned(base, gold, of_gold)[0]
        times = max(round(TUNING_GOLD / self.one.n_words), 1)
        both = gold * times + some_of(self.voted(), TUNING_TEXT)
        first, (las,) = self._tuned(base, both, TEXT_SETTINGS)
        second, scores = self._tuned(replace(base, parser=first), gold, AFTER_TEXT)
        return second if max(scores) >= las else first

    def _tuned(
        self, base: Base, train: list[Sentence], chosen: dict[str, Any]
    ) -> tuple[Parser, list[float]]:
        """Return the best parser of some epochs, and the LAS of each on the dev set."""
        settings = base.settings(**chosen)
        strategy = NeuralStrategy(start=base.start, most_forms=MOST_FORMS, prunes=True)
        trainer = Trainer(train, str(self.one.dev), settings, strategy, base.parser)
        scores = []
        for epoch in trainer.epochs():
            print(f"epoch {epoch.number}: {epoch.scores}", flush=True)
            scores.append(epoch.scores["LAS"])
        return trainer.parser(), scores


def some_of(sentences: Sequence[Sentence], n_words: int) -> list[Sentence]:
    """Return sentences of about so many words, evenly chosen."""
    step = max(sum(map(len, sentences)) / n_words, 1)
    return [sentences[int(i * step)] for i in range(int(len(sentences) / step))]


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
    upos = upos_places(strategy)
    found = new_parameters(strategy.shape, 0)
    for name, value in found.items():
        kind, *rest = name.split(".")
        if kind == "arc":  # of the auxiliary loss, which no model has
            continue
        if kind == "tag":
            rest[0] = str(heads[int(rest[0])])
        own = lane[".".join([kind, *rest])]
        if [kind, *rest[:1]] == ["tag", "0"]:  # UPOS
            own = own[:, upos] if rest[1:] == ["back"] else own[upos]
        found[name] = own[tuple(map(slice, value.shape))]
    return found


def main(words: list[str] | None = None) -> None:
    """Take one of the steps of a language."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("set", help="a treebank of the data folder")
    options.add_argument("step", choices=["segmenter", "arrays", "student", "tuned"])
    options.add_argument("made", type=Path, metavar="OUT", help="the file to be made")
    options.add_argument("given", type=Path, nargs="?", help="the network, or the student")
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, default=ROOT / "out" / "languages", help="folder")
    chosen = options.parse_args(words)
    if (chosen.given is None) != (chosen.step in ("segmenter", "arrays")):
        options.error("student takes a network, tuned a student, and the others nothing")
    (one,) = find_sets(chosen.data, [chosen.set])
    language = Language(prepared(one, chosen.out / one.name), chosen.out)
    if chosen.step == "segmenter":
        language.segmenter().save(chosen.made)
    elif chosen.step == "arrays":
        language.save_arrays(chosen.made)
    elif chosen.step == "student":
        language.student(chosen.given).save(chosen.made)
    else:
        language.tuned(chosen.given).save(chosen.made)


if __name__ == "__main__":
    main()
