"""The trainer of parsers: dev scores, checkpoints, the graph stage and the record of a run.

A `Strategy` does the learning: linear by default, or that of `dodona.training.neural.strategy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dodona.evaluation.graphs import evaluate_graphs
from dodona.evaluation.tally import count_attachment
from dodona.parsing.linear_strategy import LinearStrategy
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import choose_templates, load_trees
from dodona.parsing.strategy import LearnedScorer, Strategy
from dodona.records import replace
from dodona.settings import AUTO, BASIC_AND_ENHANCED, ENHANCED, NO_GRAPH, PARSER, Settings
from dodona.tagging.tagger_training import tag_accuracies
from dodona.tagging.tags import TAG_COLUMNS
from dodona.training.checkpoint import Checkpoint, TrainingState
from dodona.training.loop import Epoch, Learner, Run
from dodona.training.treebanks import Treebank, jackknife
from dodona.treebank.conllu.reader import restore_sentence
from dodona.treebank.sentence import Sentence

GRAPH_FEATURES = "graph-tree"
N_FOLDS, FOLD_EPOCHS = 5, 5  # of the parsers whose trees graphs are learned from


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
        base: Parser | None = None,
    ) -> None:
        """Prepare training; the parts of a `base` that are not trained go into the parser."""
        super().__init__()
        self._base = base
        self.strategy = strategy or LinearStrategy()
        self.dev = load_trees(dev) if dev is not None else []
        self.task = self.strategy.begin(train, self.dev, settings.resolved())
        self.settings: Settings = self.task.settings
        self.part = "graph parser" if self.settings.graph == ENHANCED else "parser"
        self.n_pieces, self.n_words = self.strategy.n_pieces, self.strategy.n_words
        self.graph_trees: list[Sentence] = []  # trees that graphs are learned from …
        self.graph_trainer: Trainer | None = None  # … and the trainer that learns from them

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

    def score(self, learned: LearnedScorer) -> dict[str, float]:
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

    def stages(self) -> Iterator[Learner[Any]]:
        yield from self.strategy.stages()
        yield self
        if self.settings.graph == BASIC_AND_ENHANCED:
            linear = self.strategy.linear_settings()
            yield self.graph_trainer or self._start_graphs(
                jackknife_trees(self.task.sentences, linear)
            )

    def _start_graphs(self, trees: list[Sentence]) -> Trainer:
        assert self.best is not None  # all epochs are done
        linear = self.strategy.linear_settings()
        settings = graph_settings(linear)
        templates = choose_templates(settings.replace(tags=linear.tags), self.task.sentences)
        dev = list(self._parser(self.best).pipe(self.dev, retag=True)) if self.dev else None
        self.graph_trees = trees
        self.graph_trainer = Trainer(trees, dev, settings, LinearStrategy(templates=templates))
        return self.graph_trainer

    def initial_settings(self) -> dict[str, Any]:
        return {"pipeline": PARSER, **self.settings.recorded(), **self.strategy.initial_settings()}

    def checksum_data(self) -> dict[str, str]:
        return self.task.checksums

    def parts(self) -> dict[str, Run]:
        graphs = self.graph_trainer
        return self.strategy.runs() | ({} if graphs is None else {"graphs": graphs})

    def state(self) -> TrainingState:
        state = self.strategy.state()
        if self.best is not None:
            state.best |= self.best.kept.best
            state.arrays |= self.best.kept.arrays
        if self.graph_trainer is not None:
            texts = [*map(bytes, self.graph_trees)]
            state.numbers["tree_sizes"] = [*map(len, texts)]
            state.texts = {"trees": b"".join(texts)}
        return state

    def load_state(self, state: TrainingState) -> None:
        self.best = self.strategy.load_state(state)
        if self.best is not None:
            self._parser(self.best)  # raises an error if the pieces do not fit together

    def restore(self, saved: Checkpoint) -> None:
        super().restore(saved)
        # with another number of epochs the trees are others, and the graphs begin anew
        if "graphs" in saved.parts and saved.settings["epochs"] == self.settings.epochs:
            trees, end = [], 0
            sizes, text = saved.state.numbers["tree_sizes"], saved.state.texts["trees"]
            for old, size in zip(self.task.sentences, sizes, strict=True):
                data, end = text[end : end + size], end + size
                trees.append(restore_sentence(data, old.format, old.source, old.line))
            self._start_graphs(trees).restore(saved.parts["graphs"])

    def parser(self) -> Parser:
        """Return the parser of the best epoch so far."""
        if self.best is None:
            raise ValueError("no epoch has been completed: there is no parser yet")
        parser, graphs = self._parser(self.best), self.graph_trainer
        if graphs is not None and graphs.best is not None:
            parser.graphs = graphs.parser()
        return parser

    def _parser(self, learned: LearnedScorer) -> Parser:
        root_label, pairs = self.task.data.root_label, self.task.pairs
        if self._base is None:
            return Parser(self.settings, learned.scorer, root_label, pairs, self.record())
        card = {name: self._base.record[name] for name in ("card",) if name in self._base.record}
        return replace(
            self._base,
            settings=self.settings,
            scorer=learned.scorer,
            root_label=root_label,
            pairs=pairs,
            record=self.record() | card,
            calibration=None,  # confidences of other weights
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


def train_linear(train: Treebank, **settings: Any) -> Parser:
    """Train a linear parser without a dev set; every setting of `dodona.Settings` is a keyword."""
    return Trainer(train, None, Settings(**settings)).complete().parser()


def graph_settings(settings: Settings) -> Settings:
    """Return the settings of the parser into graphs, given those of the parser into trees.

    >>> graph_settings(Settings(graph="basic+enhanced", beam=8, seed=3)).system
    'graph-eager'
    """
    return Settings(
        system="graph-eager",
        graph=ENHANCED,
        features=GRAPH_FEATURES,
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


def jackknife_trees(sentences: list[Sentence], settings: Settings) -> list[Sentence]:
    """Return the sentences, each parsed (and tagged, if set) by a parser of the other folds."""
    if len(sentences) < N_FOLDS:
        return sentences
    plain = settings.flat() | {"graph": NO_GRAPH, "epochs": min(settings.epochs, FOLD_EPOCHS)}

    def parse(others: list[Sentence], fold: list[Sentence]) -> Iterable[Sentence]:
        return train_linear(others, **plain).pipe(fold, retag=True)

    return jackknife(sentences, N_FOLDS, parse)


def _tag_scores(epoch: Epoch) -> dict[str, float]:
    return {name: score for name, score in epoch.scores.items() if name in TAG_COLUMNS}
