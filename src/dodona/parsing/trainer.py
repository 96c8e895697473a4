"""The trainer of parsers: dev scores, checkpoints, the graph stage and the record of a run.

A `Strategy` does the learning: linear by default, or that of `dodona.training.neural.strategy`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dodona.evaluation.graphs import evaluate_graphs
from dodona.evaluation.tally import count_attachment
from dodona.parsing.graph_stage import GraphStage, graph_settings, jackknife_trees
from dodona.parsing.linear_strategy import LinearStrategy
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import choose_templates, load_trees
from dodona.parsing.strategy import LearnedScorer, Strategy
from dodona.settings import BASIC_AND_ENHANCED, ENHANCED, PARSER, Settings
from dodona.tagging.tagger_training import tag_accuracies
from dodona.tagging.tags import TAG_COLUMNS
from dodona.training.checkpoint import Checkpoint, TrainingState
from dodona.training.loop import Epoch, Learner, Run
from dodona.training.treebanks import Treebank
from dodona.treebank.sentence import Sentence


class Trainer(Learner[LearnedScorer]):
    """One training run. `epochs()` runs it; `parser()` returns the best parser so far.

    Sentences whose tree the system cannot derive are projectivised or, with projectivise="none",
    kept: the dynamic oracle then takes the cheapest action, and static training leaves them out. A
    head or label of "_" is not annotated: any prediction counts as right there.

    With graph="basic+enhanced", a parser into graphs is trained last, on trees as this parser
    predicts them.
    """

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: Settings,
        strategy: Strategy | None = None,
    ) -> None:
        super().__init__()
        self.strategy = strategy or LinearStrategy()
        self.dev = load_trees(dev) if dev is not None else []
        self.task = self.strategy.begin(train, self.dev, settings.resolved())
        self.settings: Settings = self.task.settings
        self.part = "graph parser" if self.settings.graph == ENHANCED else "parser"
        self.n_pieces, self.n_words = self.strategy.n_pieces, self.strategy.n_words
        self.graph_stage = GraphStage(self._start_graphs)

    @property
    def trainer(self) -> Trainer:
        """The trainer of the parser: of a text pipeline, the one inside it."""
        return self

    def learn_epoch(self, number: int) -> Iterator[int]:
        return self.strategy.learn_epoch(number)

    @property
    def n_updates(self) -> int:
        return self.strategy.n_updates

    def average(self) -> LearnedScorer:
        return self.strategy.snapshot()

    # --- the choice of the best epoch

    def score(self, learned: LearnedScorer) -> dict[str, float]:
        """Return UAS, LAS and tag accuracies; for graphs, F1 of arcs without and with labels."""
        if not self.dev:
            return {}
        parsed = list(self._parser(learned).pipe(self.dev, retag=True))
        columns = learned.scorer.tagger.columns if learned.scorer.tagger else []
        return score_trees(self.dev, parsed, self.settings, columns)

    def rate(self, scores: Mapping[str, float]) -> float:
        return scores["ELAS" if self.settings.graph == ENHANCED else "LAS"]

    @property
    def patience(self) -> int:
        return self.settings.early_stop

    # --- stages before and after the parser's own epochs

    def stages(self) -> Iterator[Learner[Any]]:
        yield from self.strategy.stages()
        yield self
        if self.settings.graph == BASIC_AND_ENHANCED:
            yield self.graph_stage.begin(
                lambda: jackknife_trees(
                    self.task.sentences, self.strategy.linear_settings(), train_linear
                )
            )

    def _start_graphs(self, trees: list[Sentence]) -> Trainer:
        assert self.best is not None  # all epochs are done
        linear = self.strategy.linear_settings()
        settings = graph_settings(linear)
        templates = choose_templates(settings.replace(tags=linear.tags), self.task.sentences)
        dev = list(self._parser(self.best).pipe(self.dev, retag=True)) if self.dev else None
        return Trainer(trees, dev, settings, LinearStrategy(templates=templates))

    # --- checkpoints

    def initial_settings(self) -> dict[str, Any]:
        beside = self.strategy.initial_settings()
        return {"pipeline": PARSER, **self.settings.flat(), **beside}

    def checksum_data(self) -> dict[str, str]:
        return self.task.checksums

    def parts(self) -> dict[str, Run]:
        graphs = self.graph_stage.trainer
        return self.strategy.runs() | ({} if graphs is None else {"graphs": graphs})

    def state(self) -> TrainingState:
        state = self.strategy.state()
        if self.best is not None:
            state.best |= self.best.kept.best
            state.arrays |= self.best.kept.arrays
        self.graph_stage.keep(state)
        return state

    def load_state(self, state: TrainingState) -> None:
        self.best = self.strategy.load_state(state)
        if self.best is not None:
            self._parser(self.best)  # raises an error if the pieces do not fit together

    def restore(self, saved: Checkpoint) -> None:
        super().restore(saved)
        self.graph_stage.restore(saved, self.task.sentences, self.settings.epochs)

    # --- the result

    def parser(self) -> Parser:
        """Return the parser of the best epoch so far."""
        if self.best is None:
            raise ValueError("no epoch has been completed: there is no parser yet")
        parser, graphs = self._parser(self.best), self.graph_stage.trainer
        if graphs is not None and graphs.best is not None:
            parser.graphs = graphs.parser()
        return parser

    def _parser(self, learned: LearnedScorer) -> Parser:
        data = self.task.data
        return Parser(
            self.settings, learned.scorer, data.root_label, self.task.pairs, self.record()
        )

    def record(self) -> dict[str, Any]:
        """Return the record of the run for the model file; without times, which differ each run."""
        best, data = self.best_epoch, self.task.data
        return {
            "checksums": self.task.checksums,
            "n_sentences": self.n_pieces,
            "n_words": self.n_words,
            "n_nonprojective": data.n_nonprojective,
            "n_lifted": data.n_lifted,
            "n_unannotated": data.n_unannotated,
            "best_epoch": best.number if best else None,
            "dev_uas": best.uas if best else None,
            "dev_las": best.las if best else None,
            "dev_tags": _tag_scores(best) if best else {},
            "history": [
                {
                    "number": epoch.number,
                    "n_updates": epoch.n_updates,
                    "uas": epoch.uas,
                    "las": epoch.las,
                    "tags": _tag_scores(epoch),
                }
                for epoch in self.history
            ],
            **self.strategy.record(),
        }


def score_trees(
    gold: Sequence[Sentence], parsed: Sequence[Sentence], settings: Settings, columns: Sequence[str]
) -> dict[str, float]:
    """Return UAS, LAS and tag accuracies; for graphs, F1 of arcs without and with labels."""
    if settings.graph == ENHANCED:
        graphs = evaluate_graphs(gold, parsed)
        return {"F1": graphs.unlabelled.f1, "ELAS": graphs.elas}
    found = count_attachment(gold, parsed)
    # multiplied before the division, for the same last digit as in older records
    scores = {
        "UAS": 100 * found.n_attached / found.n_words,
        "LAS": 100 * found.n_labelled / found.n_words,
    }
    return scores | tag_accuracies(gold, parsed, columns)


def train_linear(train: Treebank, dev: Treebank | None = None, **settings: Any) -> Parser:
    """Train a linear parser on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.Settings` is a keyword.
    """
    return Trainer(train, dev, Settings(**settings)).complete().parser()


def _tag_scores(epoch: Epoch) -> dict[str, float]:
    return {name: score for name, score in epoch.scores.items() if name in TAG_COLUMNS}
