"""Training of linear parsers: an online learner with averaged weights, or scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dodona.core.features.features import Features
from dodona.core.learning.beam_training import BeamTrainer
from dodona.core.learning.greedy_training import GreedyTrainer
from dodona.core.weights.continued import ContinuedWeights, pack_continued
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import FeatureScorer, PackedWeights
from dodona.core.weights.packing import pack
from dodona.parsing.preparation import choose_templates, load_trees
from dodona.parsing.scorers import LinearParserScorer
from dodona.parsing.strategy import (
    LearnedScorer,
    ParsingTask,
    StartingPoint,
    Strategy,
    similar_classes,
    similar_labels,
)
from dodona.parsing.svm import fit_maxent, fit_svm
from dodona.parsing.tag_sources import tag_source
from dodona.settings import AT_ONCE, SVM, Settings
from dodona.tagging.tagger import Tagger
from dodona.training.checkpoint import TrainingState
from dodona.training.loop import Run, in_chunks
from dodona.training.treebanks import Treebank
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence

CHUNK = 256  # sentences between two reports of progress


class LinearStrategy(Strategy):
    """Train the weights of features.

    A ready `tagger` supplies the tags, and goes into the model as it is. `templates` replace those
    that the settings name. Training may continue from the weights of another model (`start`).
    """

    def __init__(
        self,
        tagger: Tagger | None = None,
        templates: str | None = None,
        start: StartingPoint | None = None,
    ) -> None:
        self._tagger, self._templates, self.start = tagger, templates, start

    def begin(self, train: Treebank, dev: list[Sentence], settings: Settings) -> ParsingTask:
        self._settings = settings
        sentences = load_trees(train)
        templates = self._templates or choose_templates(settings, sentences)
        self.features = Features(templates, settings.features)
        encoder, files = self._encoder(settings)
        self.tags = tag_source(sentences, settings, encoder.clusters, self._tagger)
        known = self.start.pairs if self.start else ()
        self.task = ParsingTask(settings, sentences, dev, templates, encoder, files, known)
        self.data = self.task.data
        if self.tags.sentences is not sentences:
            for i, tagged in enumerate(self.tags.sentences):
                encoder.encode_again(self.data.corpus, i, tagged)
        self.n_pieces, self.n_words = len(self.data.order), self.data.n_words
        self._fits_at_once = settings.linear.learner in AT_ONCE
        self._fitted: FeatureScorer | None = None
        if not self._fits_at_once:
            self._start(Weights(self.task.actions.n_classes))
        return self.task

    def _encoder(self, settings: Settings) -> tuple[Encoder, dict[str, Iterable[bytes]]]:
        """Return the encoder, and the training data beside treebanks."""
        start, columns = self.start, self.features.columns
        if start is None:
            clusters = Clusters.read(settings.linear.clusters) if settings.linear.clusters else None
            files = {} if clusters is None else {"clusters": clusters.save()}
            return Encoder(columns, clusters=clusters), dict(files)
        old = start.scorer.encoder
        copies = [Vocabulary(vocabulary.strings()) for vocabulary in old.vocabularies]
        encoder = Encoder(columns, copies, old.labels, old.clusters)
        return encoder, {"from": [start.checksum.encode()]}

    def _start(self, weights: Weights) -> None:
        self.weights = weights
        if self.start is not None:
            scorer = self.start.scorer
            assert isinstance(scorer, LinearParserScorer)
            assert isinstance(scorer.weights, PackedWeights)  # others were refused
            old = self.start.scorer.encoder.labels
            labels = similar_labels(old, self.data.encoder.labels)
            like = similar_classes(self.start.pairs, self.task.pairs, labels)
            base = scorer.weights
            self.weights = ContinuedWeights(weights.n_classes, base, weights, like.items())
        self.core = self.new_core()

    def new_core(
        self,
        greedy: type[GreedyTrainer] = GreedyTrainer,
        beam: type[BeamTrainer] = BeamTrainer,
    ) -> GreedyTrainer:
        """Return a trainer of the core for these data and weights, of the kind that is set."""
        settings = self.task.settings
        parts = self.data.corpus, self.features, self.task.actions, self.weights
        if settings.search.beam > 1:
            return beam(
                *parts,
                width=settings.search.beam,
                update=settings.search.update,
                oracle=settings.search.oracle,
                restart=settings.search.restart,
                explore_rate=settings.explore_rate,
                seed=settings.seed,
            )
        return greedy(
            *parts,
            mode=settings.training,
            learner=settings.linear.learner,
            explore_rate=settings.explore_rate,
            aggressiveness=settings.linear.aggressiveness,
            seed=settings.seed,
        )

    def learn_epoch(self, number: int) -> Iterator[int]:
        settings, order = self.task.settings, self.data.order
        if self._fits_at_once:
            fit = fit_svm if settings.linear.learner == SVM else fit_maxent
            self._fitted = fit(self.task.actions, self.features, self.data.corpus, order)
            return
        exploring = number > settings.explore_after
        shuffled = [order[i] for i in self.core.shuffled(self.n_pieces)]
        for some, n_done in in_chunks(shuffled, CHUNK):
            if (tagger := self.tags.trainer) is None:
                self.core.train(some, exploring)
            else:
                for i in some:  # the tagger learns from each sentence before the parser does
                    self.data.encoder.encode_again(self.data.corpus, i, tagger.learn_tags(i))
                    self.core.train([i], exploring)
            yield n_done

    @property
    def n_updates(self) -> int:
        return 0 if self._fits_at_once else self.core.n_updates

    def snapshot(self) -> LearnedScorer:
        weights = self._fitted
        if weights is None:
            time, least = self.core.time, self.task.settings.linear.prune
            if isinstance(self.weights, ContinuedWeights):
                weights = pack_continued(self.weights, time, least=least)
            else:
                weights = pack(self.weights, time, least=least)
        return self._learned(weights, self.tags.trainer.average() if self.tags.trainer else [])

    def _learned(self, weights: FeatureScorer, tag_weights: list[PackedWeights]) -> LearnedScorer:
        tagger = self.tags.tagger(tag_weights)
        scorer = LinearParserScorer(self.task.templates, self.data.encoder, weights, tagger)
        kept = TrainingState(best={"parser": weights})
        if self.tags.trainer is not None:
            columns = (f"tagger.{column}" for column in self.tags.trainer.columns)
            kept.best |= zip(columns, tag_weights, strict=True)
        return LearnedScorer(scorer, kept)

    def state(self) -> TrainingState:
        if self._fits_at_once:
            return TrainingState()
        random, time = self.core.__getstate__()
        return TrainingState(
            numbers={"random": str(random), "time": time},  # 64 bits: too many for JSON
            weights={"parser": self.weights},
        )

    def load_state(self, state: TrainingState) -> LearnedScorer | None:
        if state.weights:
            self._start(state.weights_of("parser", self.task.actions.n_classes))
            self.core.__setstate__((int(state.numbers["random"]), state.numbers["time"]))
        if not state.best:
            return None
        trainer = self.tags.trainer
        tasks = trainer.inventory.tag_classes if trainer else []
        tag_weights = [state.best_of(f"tagger.{task.column}", task.n_classes) for task in tasks]
        return self._learned(state.best["parser"], tag_weights)

    def linear_settings(self) -> Settings:
        return self._settings

    def runs(self) -> dict[str, Run]:
        return {"tagger": self.tags.trainer} if self.tags.trainer else {}
