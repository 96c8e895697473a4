"""A parser into graphs behind a parser into trees: its settings, and trees to learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from dodona.learning.jackknife import jackknife
from dodona.settings import AUTO, ENHANCED, NO_GRAPH, Settings
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.parsing.parser import Parser

FEATURES = "graph-tree"
N_FOLDS, FOLD_EPOCHS = 5, 5  # of the parsers whose trees graphs are learned from


def graph_settings(settings: Settings) -> Settings:
    """Those of the parser into graphs, where a parser of these settings makes the trees.

    >>> graph_settings(Settings(graph="basic+enhanced", beam=8, seed=3)).system
    'graph-eager'
    """
    return replace(
        Settings(),
        system="graph-eager",
        graph=ENHANCED,
        features=FEATURES,
        training=AUTO if settings.beam > 1 else settings.training,
        explore_after=settings.explore_after,
        explore_rate=settings.explore_rate,
        epochs=settings.epochs,
        early_stop=settings.early_stop,
        seed=settings.seed,
        loss=settings.loss,
        learner=settings.learner,
        aggressiveness=settings.aggressiveness,
        prune=settings.prune,
    )


def jackknife_trees(
    sentences: list[Sentence], settings: Settings, train: Callable[..., Parser]
) -> list[Sentence]:
    """The sentences with trees (and tags, where they are predicted) by parsers of the others."""
    if len(sentences) < N_FOLDS:
        return sentences
    plain: dict[str, Any] = asdict(settings) | {
        "graph": NO_GRAPH,
        "epochs": min(settings.epochs, FOLD_EPOCHS),
    }

    def parse(others: list[Sentence], fold: list[Sentence]) -> Iterable[Sentence]:
        return train(others, **plain).pipe(fold, retag=True)

    return jackknife(sentences, N_FOLDS, parse)
