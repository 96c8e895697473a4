"""Fine-tuning: training that continues from a model, with a few hundred sentences of one's own.

The parser's weights and, in a network, those of tags are trained further; segmenter, lemmas, the
linear tagger and the enhancer stay as they are. What a model has learned before fades unless it is
rehearsed (Robins 1995): sentences of older data, or plain text as the model itself parses it, are
learned beside the new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dodona.core.weights.packed import PackedWeights
from dodona.core.weights.shuffle import shuffle
from dodona.models import locate
from dodona.models.cards import add_card, find_card
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.parsing.scorers import LinearParserScorer
from dodona.parsing.strategy import StartingPoint
from dodona.segmentation.segmenter import require_segmenter
from dodona.settings import LINEAR, NEURAL, NO_GRAPH, PARSER, Settings, SettingsError
from dodona.training.treebanks import Treebank, checksum
from dodona.treebank.conllu.files import open_input
from dodona.treebank.sentence import Sentence

# What changes unless it is set: fewer and smaller steps than for a new model. The perceptron's
# steps of 1 forget more than they learn: on 5,000 words of academic English, -0.4 LAS there and
# -2.6 on web text, against +0.8 and -0.7 by passive-aggressive steps of at most 0.05.
USUAL: dict[str, dict[str, Any]] = {
    LINEAR: {"learner": "pa", "aggressiveness": 0.05, "epochs": 3},
    NEURAL: {"learning_rate": 0.0005, "batch_words": 0, "epochs": 8},
}
ALWAYS = {"explore_after": 0, "early_stop": 0, "seed": Settings.seed}
# what may be set; all else is the model's
TUNABLE = (
    *("epochs", "early_stop", "seed", "training", "explore_after", "explore_rate"),
    *("roots", "constraints", "aggressiveness", "prune", "batch_words", "learning_rate"),
    *("dropout", "precision"),
)
TREEBANKS = (".conllu", ".conllu.gz")  # suffixes of rehearsed files with trees


@dataclass(frozen=True)
class Base:
    """A model to continue from, by name or path, and files that it should not forget."""

    parser: Parser
    name: str
    checksum: str
    rehearse: tuple[str, ...] = ()

    @classmethod
    def load(cls, model: str | Path, rehearse: Sequence[str | Path] = ()) -> Base:
        """Load a model, and refuse one whose weights cannot be trained further."""
        path = locate(str(model))
        parser, digest = Parser.load(path), checksum([path.read_bytes()])
        scorer = parser.scorer
        if parser.settings.graph != NO_GRAPH:
            raise SettingsError(
                f"{model}: builds graphs, which training cannot continue; train with --graph anew"
            )
        if isinstance(scorer, LinearParserScorer) and not isinstance(scorer.weights, PackedWeights):
            raise SettingsError(
                f"{model}: made by the {parser.settings.linear.learner} learner, which learns from "
                "all data at once; continue from a model of another learner"
            )
        if parser.settings.search.beam > 1 and parser.settings.scorer == LINEAR:
            raise SettingsError(
                f"{model}: trained with a beam of {parser.settings.search.beam}; continue from a "
                "model for greedy search: a beam can also be chosen for parsing"
            )
        add_card(parser, find_card(path, parser.record)._replace(version=""))
        return cls(parser, Path(model).name, digest, tuple(map(str, rehearse)))

    @classmethod
    def of_flags(cls, model: str | Path, rehearse: Sequence[str | Path], pipeline: str) -> Base:
        """Load the model of these options, or raise SettingsError if they make no sense."""
        if not model:
            raise SettingsError("rehearse is for training that continues from a model: give from")
        if pipeline != PARSER:
            raise SettingsError(
                f"pipeline={pipeline!r}: a model that continues from another keeps its segmenter"
            )
        return cls.load(model, rehearse)

    @property
    def start(self) -> StartingPoint:
        """The weights and classes that training continues from."""
        return StartingPoint(self.parser.scorer, self.parser.pairs, self.name, self.checksum)

    def settings(self, **given: Any) -> Settings:
        """Return the settings of the model with those that are given; only some may be."""
        own = self.parser.settings
        for name, value in given.items():
            if name not in TUNABLE and value != own.flat().get(name, value):
                raise SettingsError(
                    f"{name}={value!r}: a model that continues from {self.name} keeps its "
                    f"{name}={own.flat()[name]!r}"
                )
        return own.replace(**ALWAYS | USUAL[own.scorer] | given)

    def with_rehearsal(self, train: Treebank, seed: int) -> Treebank:
        """Return the training data and as many sentences from the rehearsed files."""
        if not self.rehearse:
            return train
        own = load_trees(train)
        old = [sentence for path in self.rehearse for sentence in self._read(path)]
        chosen = sorted(shuffle(len(old), seed)[: len(own)])
        return [*own, *(old[i] for i in chosen)]

    def _read(self, path: str) -> list[Sentence]:
        if path.endswith(TREEBANKS):
            return load_trees(path)
        require_segmenter(self.parser.segmenter)
        with open_input(path)[0] as file:
            text = file.read().decode()
        return list(self.parser(text))
