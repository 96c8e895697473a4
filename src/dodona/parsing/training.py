"""Training a parser: epochs, the choice of the best on the dev set, checkpoints, resuming."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dodona.core.features.features import Features
from dodona.core.parsing.actions import Actions
from dodona.core.parsing.beam_training import BeamTrainer
from dodona.core.parsing.greedy_training import GreedyTrainer, seen_actions
from dodona.core.transitions.registry import system
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights, Scorer, pack
from dodona.evaluation.graphs import evaluate_graphs
from dodona.learning.checkpoint import Checkpoint
from dodona.parsing.graph_preparation import prepare_graphs
from dodona.parsing.graph_training import graph_settings, jackknifed
from dodona.parsing.maxent import fit as fit_maxent
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import UNKNOWN, Treebank, chosen_templates, load, prepare
from dodona.parsing.svm import fit
from dodona.parsing.tag_sources import tag_source
from dodona.settings import AT_ONCE, BASIC_AND_ENHANCED, ENHANCED, SVM, Settings
from dodona.tagging.tagger import Tagger
from dodona.tagging.training import tag_accuracies
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.encoding import Encoder

CHUNK = 256  # sentences between two looks at the clock and at Ctrl-C


@dataclass(frozen=True)
class Epoch:
    """What one pass over the training data brought.

    Of graphs, `uas` and `las` are the F1 of arcs without and with labels, the latter ELAS.
    """

    number: int
    n_updates: int
    seconds: float
    words_per_second: float
    uas: float | None
    las: float | None
    tags: dict[str, float] = field(default_factory=dict)  # accuracy of the tagger on the dev set
    of_graphs: bool = False

    @property
    def scores(self) -> dict[str, float]:
        """Scores on the dev set by name; none where there is no dev set."""
        if self.uas is None or self.las is None:
            return {}
        names = ("F1", "ELAS") if self.of_graphs else ("UAS", "LAS")
        return dict(zip(names, (self.uas, self.las), strict=True)) | self.tags


@dataclass(frozen=True)
class Progress:
    """Where training stands: in the middle of an epoch, or (`epoch` given) at the end of one."""

    epoch_number: int
    n_done: int
    n_sentences: int
    words_per_second: float
    n_updates: int
    epoch: Epoch | None = None


class Trainer:
    """One training run. `epochs()` runs it; `parser()` gives the best parser so far.

    Sentences whose tree the system cannot derive are projectivised or, with projectivise="none",
    kept: the dynamic oracle then takes the cheapest action, and static training leaves them out.
    A head or label of "_" is not annotated, and whatever the parser does there is right. A `tagger`
    that is given gives the words their tags, and goes into the model as it is.
    """

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: Settings,
        tagger: Tagger | None = None,
        templates: str | None = None,
    ) -> None:
        settings = settings.resolved()
        sentences = load(train)
        self.templates = templates or chosen_templates(settings, sentences)
        self.features = Features(self.templates, settings.features)
        clusters = Clusters.read(settings.clusters) if settings.clusters else None
        # templates and clusters go into the model, but not the folders they were read from
        self.settings = replace(
            settings,
            features=Path(settings.features).name,
            clusters=Path(settings.clusters).name,
        )
        self.dev = load(dev) if dev is not None else []
        self.checksums = {
            "train": _checksum(map(bytes, sentences)),
            "dev": _checksum(map(bytes, self.dev)),
            "templates": _checksum([self.templates.encode()]),
        }
        if clusters is not None:
            self.checksums["clusters"] = _checksum(clusters.save())
        self.tags = tag_source(sentences, settings, clusters, tagger)
        encoder = Encoder(self.features.columns, clusters=clusters)
        self.data = (
            prepare_graphs(sentences, encoder)
            if settings.graph == ENHANCED
            else prepare(sentences, encoder, settings)
        )
        if settings.n_folds or tagger is not None:
            for i, tagged in enumerate(self.tags.sentences):
                self.data.encoder.encode_again(self.data.corpus, i, tagged)
        labels = [label.decode() for label in self.data.encoder.labels]
        self.system = system(
            settings.system,
            labels=labels,
            root=settings.root,
            loss=settings.loss,
            static_oracle=settings.static_oracle,
            root_label=self.data.root_label,
        )
        self.pairs = seen_actions(self.system, self.data.corpus, self.data.order)
        self.actions = Actions(self.system, self.pairs)
        self.history: list[Epoch] = []
        self.best: Scorer | None = None
        self.best_epoch: Epoch | None = None
        self.best_tagger: Tagger | None = None
        self.graph_trainer: Trainer | None = None
        self.sentences = sentences if settings.graph == BASIC_AND_ENHANCED else []
        if settings.learner not in AT_ONCE:
            self._start(Weights(self.actions.n_classes))

    def _start(self, weights: Weights) -> None:
        self.weights = weights
        self.core = self.new_core()

    def new_core(
        self,
        greedy: type[GreedyTrainer] = GreedyTrainer,
        beam: type[BeamTrainer] = BeamTrainer,
    ) -> GreedyTrainer:
        """What learns: one of these kinds, as the settings say, for these data and weights."""
        settings = self.settings
        parts = self.data.corpus, self.features, self.actions, self.weights
        if settings.beam > 1:
            return beam(
                *parts,
                width=settings.beam,
                update=settings.update,
                oracle=settings.oracle,
                restart=settings.restart,
                explore_rate=settings.explore_rate,
                seed=settings.seed,
            )
        return greedy(
            *parts,
            mode=settings.training,
            learner=settings.learner,
            explore_rate=settings.explore_rate,
            aggressiveness=settings.aggressiveness,
            seed=settings.seed,
        )

    def epochs(self, report: Callable[[Progress], None] | None = None) -> Iterator[Epoch]:
        """Run the epochs that are left, one at a time."""
        while len(self.history) < self.settings.epochs and not self._is_stale():
            learn = self._fit if self.settings.learner in AT_ONCE else self._epoch
            epoch = learn(len(self.history) + 1, report or (lambda _: None))
            self.history.append(epoch)
            yield epoch
        if self.settings.graph == BASIC_AND_ENHANCED:
            yield from self._learn_graphs(report)

    def _learn_graphs(self, report: Callable[[Progress], None] | None) -> Iterator[Epoch]:
        """Train the parser into graphs, on trees as this one would parse them."""
        settings = graph_settings(self.settings)
        templates = chosen_templates(replace(settings, tags=self.settings.tags), self.sentences)
        trees = jackknifed(self.sentences, self.settings, train)
        dev = list(self.parser().pipe(self.dev, retag=True)) if self.dev else None
        self.graph_trainer = Trainer(trees, dev, settings, templates=templates)
        yield from self.graph_trainer.epochs(report)

    def _epoch(self, number: int, report: Callable[[Progress], None]) -> Epoch:
        order = [self.data.order[i] for i in self.core.shuffled(len(self.data.order))]
        start, before = time.perf_counter(), self.core.n_updates
        for i in range(0, len(order), CHUNK):
            self._learn(order[i : i + CHUNK], number > self.settings.explore_after)
            done = min(i + CHUNK, len(order))
            speed = done / len(order) * self.data.n_words / (time.perf_counter() - start)
            n_updates = self.core.n_updates - before
            report(Progress(number, done, len(order), speed, n_updates))
        seconds = time.perf_counter() - start
        weights = pack(self.weights, self.core.time, least=self.settings.prune)
        return self._finish(number, self.core.n_updates - before, seconds, weights, report)

    def _fit(self, number: int, report: Callable[[Progress], None]) -> Epoch:
        """Support vector machines and maximum entropy learn in one go."""
        start = time.perf_counter()
        learn = fit if self.settings.learner == SVM else fit_maxent
        weights = learn(self.actions, self.features, self.data.corpus, self.data.order)
        return self._finish(number, 0, time.perf_counter() - start, weights, report)

    def _finish(
        self,
        number: int,
        n_updates: int,
        seconds: float,
        weights: Scorer,
        report: Callable[[Progress], None],
    ) -> Epoch:
        tagger = self.tags.tagger()
        speed = self.data.n_words / seconds
        is_graph = self.settings.graph == ENHANCED
        scores = self._score(weights, tagger)
        epoch = Epoch(number, n_updates, seconds, speed, *scores, of_graphs=is_graph)
        las = epoch.las
        if self.best_epoch is None or las is None or las > (self.best_epoch.las or 0):
            self.best, self.best_epoch, self.best_tagger = weights, epoch, tagger
        n = len(self.data.order)
        report(Progress(number, n, n, epoch.words_per_second, n_updates, epoch))
        return epoch

    def _learn(self, order: list[int], exploring: bool) -> None:
        """Learn from some sentences; if a tagger learns along, it sees each of them first."""
        if not self.tags.is_online:
            self.core.train(order, exploring)
            return
        for i in order:
            self.data.encoder.encode_again(self.data.corpus, i, self.tags.learn(i))
            self.core.train([i], exploring)

    def _score(
        self, weights: Scorer, tagger: Tagger | None
    ) -> tuple[float | None, float | None, dict[str, float]]:
        """UAS, LAS and tag accuracies on the dev set, of what would be saved."""
        if not self.dev:
            return None, None, {}
        n_words = n_attached = n_labelled = 0
        parsed = list(self._parser(weights, tagger).pipe(self.dev, retag=True))
        if self.settings.graph == ENHANCED:
            scores = evaluate_graphs(self.dev, parsed)
            return scores.unlabelled.f1, scores.elas, {}
        for gold, guess in zip(self.dev, parsed, strict=True):
            pairs = zip(gold.heads, gold.deprels, guess.heads, guess.deprels, strict=True)
            for gold_head, gold_label, head, label in pairs:
                if gold_head is not None:
                    n_words += 1
                    if head == gold_head:
                        n_attached += 1
                        n_labelled += gold_label in (label, UNKNOWN)
        tags = tag_accuracies(self.dev, parsed, tagger.columns if tagger else [])
        return 100 * n_attached / n_words, 100 * n_labelled / n_words, tags

    def _is_stale(self) -> bool:
        patience = self.settings.early_stop
        if not patience or self.best_epoch is None or self.best_epoch.las is None:
            return False
        return len(self.history) - self.best_epoch.number >= patience

    def parser(self) -> Parser:
        """The parser of the best epoch so far."""
        if self.best is None:
            raise ValueError("no epoch has been completed: there is no parser yet")
        parser = self._parser(self.best, self.best_tagger)
        if self.graph_trainer is not None and self.graph_trainer.best is not None:
            parser.graphs = self.graph_trainer.parser()
        return parser

    def _parser(self, weights: Scorer, tagger: Tagger | None) -> Parser:
        return Parser(
            self.settings,
            self.templates,
            self.data.encoder,
            self.data.root_label,
            self.pairs,
            weights,
            self.record(),
            tagger,
        )

    def record(self) -> dict[str, Any]:
        """How this parser came to be, for the model file; no times, which differ between runs."""
        best = self.best_epoch
        return {
            "checksums": self.checksums,
            "n_sentences": len(self.data.order),
            "n_words": self.data.n_words,
            "n_nonprojective": self.data.n_nonprojective,
            "n_lifted": self.data.n_lifted,
            "n_unannotated": self.data.n_unannotated,
            "best_epoch": best.number if best else None,
            "dev_uas": best.uas if best else None,
            "dev_las": best.las if best else None,
            "dev_tags": best.tags if best else {},
            "history": [
                {
                    name: getattr(epoch, name)
                    for name in ("number", "n_updates", "uas", "las", "tags")
                }
                for epoch in self.history
            ],
        }

    def save_checkpoint(self, path: Path) -> None:
        """Write all that is needed to go on from here to the same bits.

        Nothing for what learns all at once; of a parser into graphs beside the tree, which learns
        last, nothing either.
        """
        if self.settings.learner in AT_ONCE:
            return
        assert self.best is None or isinstance(self.best, PackedWeights)
        Checkpoint(
            settings=asdict(self.settings),
            checksums=self.checksums,
            history=[asdict(epoch) for epoch in self.history],
            best_epoch=self.best_epoch.number if self.best_epoch else 0,
            state=self.core.__getstate__(),
            weights=self.weights,
            best=self.best,
            tagger=self.tags.state(),
            best_tagger=self._best_tagger_weights(),
        ).save(path)

    def _best_tagger_weights(self) -> list[PackedWeights]:
        """Those that cannot be had again by training on the same data."""
        return self.best_tagger.weights if self.tags.is_online and self.best_tagger else []

    def resume(self, path: Path) -> None:
        """Take up the run of a checkpoint: these data, and these settings but for the epochs."""
        checkpoint = Checkpoint.load(path, asdict(self.settings), self.checksums)
        self._start(checkpoint.weights)
        self.core.__setstate__(checkpoint.state)
        self.tags.restore(checkpoint.tagger)
        self.best_tagger = self.tags.tagger()
        if checkpoint.best_tagger and self.best_tagger:
            self.best_tagger = replace(self.best_tagger, weights=checkpoint.best_tagger)
        self.history = [Epoch(**entry) for entry in checkpoint.history]
        self.best = checkpoint.best
        self.best_epoch = self.history[checkpoint.best_epoch - 1] if self.history else None


def train(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    report: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Parser:
    """Train a parser on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.Settings`, hence every flag of `dodona train`, is a keyword.
    """
    trainer = Trainer(train, dev, replace(Settings(), **settings))
    for _ in trainer.epochs(report):
        pass
    return trainer.parser()


def _checksum(texts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text)
    return digest.hexdigest()
