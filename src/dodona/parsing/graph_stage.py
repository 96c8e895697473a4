"""The last stage of training: a parser into graphs, which learns from predicted trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from dodona.parsing.parser import Parser
from dodona.settings import AUTO, ENHANCED, NO_GRAPH, Settings
from dodona.training.checkpoint import Checkpoint, TrainingState
from dodona.training.jackknife import jackknife
from dodona.training.loop import Run
from dodona.treebank.conllu.reader import restore_sentence
from dodona.treebank.sentence import Sentence

FEATURES = "graph-tree"
N_FOLDS, FOLD_EPOCHS = 5, 5  # of the parsers whose trees graphs are learned from

AnyTrainer = TypeVar("AnyTrainer", bound=Run)


class GraphStage(Generic[AnyTrainer]):
    """The trees that graphs are learned from, and their trainer, which `start` makes of trees."""

    def __init__(self, start: Callable[[list[Sentence]], AnyTrainer]) -> None:
        self.trees: list[Sentence] = []
        self.trainer: AnyTrainer | None = None
        self._start = start

    def begin(self, parse: Callable[[], list[Sentence]]) -> AnyTrainer:
        """Return the trainer; `parse` makes the trees unless a checkpoint had them."""
        if self.trainer is None:
            self.trees = parse()
            self.trainer = self._start(self.trees)
        return self.trainer

    def keep(self, state: TrainingState) -> None:
        """Put the trees into the state of a checkpoint."""
        if self.trainer is not None:
            texts = [*map(bytes, self.trees)]
            state.numbers["tree_sizes"] = [*map(len, texts)]
            state.texts = {"trees": b"".join(texts)}

    def restore(self, saved: Checkpoint, sentences: Sequence[Sentence], epochs: int) -> None:
        """Continue from a checkpoint if the stage had begun by then.

        With another number of epochs the trees are others, and the stage begins anew.
        """
        if "graphs" in saved.parts and saved.settings["epochs"] == epochs:
            self.trees = _restore_trees(saved.state, sentences)
            self.trainer = self._start(self.trees)
            self.trainer.restore(saved.parts["graphs"])


def _restore_trees(state: TrainingState, sentences: Sequence[Sentence]) -> list[Sentence]:
    trees, end = [], 0
    for sentence, size in zip(sentences, state.numbers["tree_sizes"], strict=True):
        data, end = state.texts["trees"][end : end + size], end + size
        trees.append(restore_sentence(data, sentence.format, sentence.source, sentence.line))
    return trees


def graph_settings(settings: Settings) -> Settings:
    """Return the settings of the parser into graphs, given those of the parser into trees.

    >>> graph_settings(Settings(graph="basic+enhanced", beam=8, seed=3)).system
    'graph-eager'
    """
    return Settings(
        system="graph-eager",
        graph=ENHANCED,
        features=FEATURES,
        training=AUTO if settings.search.beam > 1 else settings.training,
        explore_after=settings.explore_after,
        explore_rate=settings.explore_rate,
        epochs=settings.epochs,
        early_stop=settings.early_stop,
        seed=settings.seed,
        loss=settings.loss,
        learner=settings.linear.learner,
        aggressiveness=settings.linear.aggressiveness,
        prune=settings.linear.prune,
    )


def jackknife_trees(
    sentences: list[Sentence], settings: Settings, train: Callable[..., Parser]
) -> list[Sentence]:
    """Return the sentences, each parsed (and tagged, if set) by a parser of the other folds."""
    if len(sentences) < N_FOLDS:
        return sentences
    plain: dict[str, Any] = settings.flat() | {
        "graph": NO_GRAPH,
        "epochs": min(settings.epochs, FOLD_EPOCHS),
    }

    def parse(others: list[Sentence], fold: list[Sentence]) -> Iterable[Sentence]:
        return train(others, **plain).pipe(fold, retag=True)

    return jackknife(sentences, N_FOLDS, parse)
