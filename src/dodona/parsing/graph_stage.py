"""The stage of training in which graphs are learned, after the trees that they are learned from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dodona.learning.checkpoint import Checkpoint, State
from dodona.parsing.parser import Parser
from dodona.treebank.conllu.reader import restore_sentence
from dodona.treebank.sentence import Sentence

Trainer = Any  # of parsers, which knows this module


class GraphStage:
    """The trees that graphs are learned from, and what learns; `start` makes it of the trees."""

    def __init__(self, start: Callable[[list[Sentence]], Trainer]) -> None:
        self.trees: list[Sentence] = []
        self.trainer: Trainer | None = None
        self._start = start

    def begin(self, parse: Callable[[], list[Sentence]]) -> Trainer:
        """What learns; the trees are parsed for it if they have not been yet."""
        if self.trainer is None:
            self.trees = parse()
            self.trainer = self._start(self.trees)
        return self.trainer

    def keep(self, state: State) -> None:
        """Put the trees into the state of a checkpoint."""
        if self.trainer is not None:
            texts = [*map(bytes, self.trees)]
            state.numbers["tree_sizes"] = [*map(len, texts)]
            state.texts = {"trees": b"".join(texts)}

    def restore(self, saved: Checkpoint, sentences: Sequence[Sentence], epochs: int) -> None:
        """Go on from a checkpoint, if the stage had begun by then.

        With other epochs the trees change that graphs are learned from: they begin anew.
        """
        if "graphs" in saved.parts and saved.settings["epochs"] == epochs:
            self.trees = _restore_trees(saved.state, sentences)
            self.trainer = self._start(self.trees)
            self.trainer.restore(saved.parts["graphs"])

    def add_to(self, parser: Parser) -> Parser:
        """The parser of trees, with that of graphs behind it if there is one by now."""
        if self.trainer is not None and self.trainer.best is not None:
            parser.graphs = self.trainer.parser()
        return parser


def _restore_trees(state: State, sentences: Sequence[Sentence]) -> list[Sentence]:
    trees, end = [], 0
    for sentence, size in zip(sentences, state.numbers["tree_sizes"], strict=True):
        data, end = state.texts["trees"][end : end + size], end + size
        trees.append(restore_sentence(data, sentence.format, sentence.source, sentence.line))
    return trees
