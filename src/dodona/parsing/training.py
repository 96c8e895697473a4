"""Training a parser: what it learns in an epoch, how it is scored, and what its state is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from dodona.core.features.features import Features
from dodona.core.learning.beam_training import BeamTrainer
from dodona.core.learning.greedy_training import GreedyTrainer
from dodona.core.learning.static_oracle import seen_actions
from dodona.core.search.actions import Actions
from dodona.core.transitions.registry import system
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import FeatureScorer
from dodona.core.weights.packing import pack
from dodona.evaluation.attachment import count_attachment
from dodona.evaluation.graphs import evaluate_graphs
from dodona.learning.checkpoint import Checkpoint, State
from dodona.learning.epochs import Epoch, Learner, Report, Run, in_chunks
from dodona.learning.treebanks import Treebank, checksum
from dodona.parsing.graph_preparation import prepare_graphs
from dodona.parsing.graph_stage import GraphStage
from dodona.parsing.graph_training import graph_settings, jackknife_trees
from dodona.parsing.maxent import fit as fit_maxent
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import TrainingData, choose_templates, load_trees, prepare
from dodona.parsing.svm import fit
from dodona.parsing.tag_sources import tag_source
from dodona.settings import AT_ONCE, BASIC_AND_ENHANCED, ENHANCED, PARSER, SVM, Settings
from dodona.tagging.tagger import Tagger
from dodona.tagging.tags import TAG_COLUMNS
from dodona.tagging.training import tag_accuracies
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence

CHUNK = 256  # sentences between two looks at the clock and at Ctrl-C


@dataclass(frozen=True)
class Learned:
    """What goes into a model."""

    weights: FeatureScorer
    tagger: Tagger | None


class Trainer(Learner[Learned]):
    """One training run. `epochs()` runs it; `parser()` gives the best parser so far.

    Sentences whose tree the system cannot derive are projectivised or, with projectivise="none",
    kept: the dynamic oracle then takes the cheapest action, and static training leaves them out.
    A head or label of "_" is not annotated, and whatever the parser does there is right. A `tagger`
    that is given gives the words their tags, and goes into the model as it is.

    With graph="basic+enhanced", a parser into graphs learns last, from trees as this one would
    parse them.
    """

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: Settings,
        tagger: Tagger | None = None,
        templates: str | None = None,
    ) -> None:
        super().__init__()
        self._chosen = settings = settings.resolved()
        # templates and clusters go into the model, but not the folders they were read from
        self.settings: Settings = replace(
            settings,
            features=Path(settings.features).name,
            clusters=Path(settings.clusters).name,
        )
        self.part = "graph parser" if settings.graph == ENHANCED else "parser"
        self.sentences = load_trees(train)
        self.dev = load_trees(dev) if dev is not None else []
        self.templates = templates or choose_templates(settings, self.sentences)
        self.features = Features(self.templates, settings.features)
        clusters = Clusters.read(settings.clusters) if settings.clusters else None
        self.checksums = self._checksums(clusters)
        self.tags = tag_source(self.sentences, settings, clusters, tagger)
        self.data = self._prepare(clusters)
        self.n_pieces, self.n_words = len(self.data.order), self.data.n_words
        self.system = system(
            settings.system,
            labels=[label.decode() for label in self.data.encoder.labels],
            root=settings.root,
            loss=settings.loss,
            static_oracle=settings.static_oracle,
            root_label=self.data.root_label,
            exact_words=settings.exact_words,
        )
        self.pairs = seen_actions(self.system, self.data.corpus, self.data.order)
        self.actions = Actions(self.system, self.pairs)
        self.graph_stage = GraphStage(self._start_graphs)
        if settings.learner not in AT_ONCE:
            self._start(Weights(self.actions.n_classes))

    def _checksums(self, clusters: Clusters | None) -> dict[str, str]:
        found = {
            "train": checksum(map(bytes, self.sentences)),
            "dev": checksum(map(bytes, self.dev)),
            "templates": checksum([self.templates.encode()]),
        }
        if clusters is not None:
            found["clusters"] = checksum(clusters.save())
        return found

    def _prepare(self, clusters: Clusters | None) -> TrainingData:
        """Trees or graphs, with the tags that are to be seen from the start."""
        encoder = Encoder(self.features.columns, clusters=clusters)
        data = (
            prepare_graphs(self.sentences, encoder)
            if self.settings.graph == ENHANCED
            else prepare(self.sentences, encoder, self.settings)
        )
        if self.tags.sentences is not self.sentences:
            for i, tagged in enumerate(self.tags.sentences):
                data.encoder.encode_again(data.corpus, i, tagged)
        return data

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

    # --- one epoch

    def learn_epoch(self, number: int) -> Iterator[int]:
        if self.settings.learner in AT_ONCE:
            learn = fit if self.settings.learner == SVM else fit_maxent
            self._fitted = learn(self.actions, self.features, self.data.corpus, self.data.order)
            return
        order = [self.data.order[i] for i in self.core.shuffled(self.n_pieces)]
        for some, n_done in in_chunks(order, CHUNK):
            self._learn(some, number > self.settings.explore_after)
            yield n_done

    def _learn(self, order: Sequence[int], exploring: bool) -> None:
        """Learn from some sentences; if a tagger learns along, it sees each of them first."""
        if self.tags.trainer is None:
            self.core.train(order, exploring)
            return
        for i in order:
            self.data.encoder.encode_again(self.data.corpus, i, self.tags.learn(i))
            self.core.train([i], exploring)

    @property
    def n_updates(self) -> int:
        return 0 if self.settings.learner in AT_ONCE else self.core.n_updates

    def average(self) -> Learned:
        if self.settings.learner in AT_ONCE:
            return Learned(self._fitted, self.tags.tagger())
        weights = pack(self.weights, self.core.time, least=self.settings.prune)
        return Learned(weights, self.tags.tagger())

    # --- the choice of the best

    def score(self, learned: Learned) -> dict[str, float]:
        """UAS, LAS and tag accuracies; of graphs, F1 of arcs without and with labels."""
        if not self.dev:
            return {}
        parsed = list(self._parser(learned).pipe(self.dev, retag=True))
        columns = learned.tagger.columns if learned.tagger else []
        return score_trees(self.dev, parsed, self.settings, columns)

    def rate(self, scores: Mapping[str, float]) -> float:
        return scores["ELAS" if self.settings.graph == ENHANCED else "LAS"]

    @property
    def patience(self) -> int:
        return self.settings.early_stop

    # --- graphs behind the trees

    def stages(self) -> Iterator[Learner[Any]]:
        yield self
        if self.settings.graph == BASIC_AND_ENHANCED:
            yield self.graph_stage.begin(
                lambda: jackknife_trees(self.sentences, self._chosen, train)
            )

    def _start_graphs(self, trees: list[Sentence]) -> Trainer:
        assert self.best is not None  # all its epochs are done
        settings = graph_settings(self.settings)
        templates = choose_templates(replace(settings, tags=self.settings.tags), self.sentences)
        dev = list(self._parser(self.best).pipe(self.dev, retag=True)) if self.dev else None
        return Trainer(trees, dev, settings, templates=templates)

    # --- checkpoints

    def began_with(self) -> dict[str, Any]:
        return {"pipeline": PARSER, **asdict(self.settings)}

    def checksum_data(self) -> dict[str, str]:
        return self.checksums

    def parts(self) -> dict[str, Run]:
        runs = {"tagger": self.tags.trainer, "graphs": self.graph_stage.trainer}
        return {name: run for name, run in runs.items() if run is not None}

    def state(self) -> State:
        state = State()
        if self.settings.learner not in AT_ONCE:
            random, time = self.core.__getstate__()
            state.numbers = {"random": str(random), "time": time}  # 64 bits: too many for JSON
            state.weights = {"parser": self.weights}
        if self.best is not None:
            state.best = {"parser": self.best.weights}
            if self.tags.trainer is not None and self.best.tagger is not None:
                columns = (f"tagger.{column}" for column in self.tags.trainer.columns)
                state.best |= zip(columns, self.best.tagger.weights, strict=True)
        self.graph_stage.keep(state)
        return state

    def go_on(self, state: State) -> None:
        if state.weights:
            self._start(state.weights_of("parser", self.actions.n_classes))
            self.core.__setstate__((int(state.numbers["random"]), state.numbers["time"]))
        if state.best:
            answers = self.tags.trainer.knowledge.answers if self.tags.trainer else []
            weights = [state.best_of(f"tagger.{its.column}", its.n_classes) for its in answers]
            self.best = Learned(state.best["parser"], self.tags.tagger(weights))
            self._parser(self.best)  # or they do not fit together

    def restore(self, saved: Checkpoint) -> None:
        super().restore(saved)
        if self.tags.trainer is not None:
            self.tags.trainer.restore(saved.parts["tagger"])
        self.graph_stage.restore(saved, self.sentences, self.settings.epochs)

    # --- what comes of it

    def parser(self) -> Parser:
        """The parser of the best epoch so far."""
        if self.best is None:
            raise ValueError("no epoch has been completed: there is no parser yet")
        return self.graph_stage.add_to(self._parser(self.best))

    def _parser(self, learned: Learned) -> Parser:
        return Parser(
            self.settings,
            self.templates,
            self.data.encoder,
            self.data.root_label,
            self.pairs,
            learned.weights,
            self.record(),
            learned.tagger,
        )

    def record(self) -> dict[str, Any]:
        """How this parser came to be, for the model file; no times, which differ between runs."""
        return describe_run(self)


def score_trees(
    gold: Sequence[Sentence], parsed: Sequence[Sentence], settings: Settings, columns: Sequence[str]
) -> dict[str, float]:
    """UAS, LAS and tag accuracies; of graphs, F1 of arcs without and with labels."""
    if settings.graph == ENHANCED:
        graphs = evaluate_graphs(gold, parsed)
        return {"F1": graphs.unlabelled.f1, "ELAS": graphs.elas}
    found = count_attachment(gold, parsed)
    # multiplied first: the last digit is that of the records of all models so far
    scores = {
        "UAS": 100 * found.n_attached / found.n_words,
        "LAS": 100 * found.n_labelled / found.n_words,
    }
    return scores | tag_accuracies(gold, parsed, columns)


def describe_run(run: Any) -> dict[str, Any]:
    """How the parser of a run came to be."""
    best = run.best_epoch
    return {
        "checksums": run.checksums,
        "n_sentences": run.n_pieces,
        "n_words": run.n_words,
        "n_nonprojective": run.data.n_nonprojective,
        "n_lifted": run.data.n_lifted,
        "n_unannotated": run.data.n_unannotated,
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
            for epoch in run.history
        ],
    }


def train(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    report: Report | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    **settings: Any,
) -> Parser:
    """Train a parser on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.Settings`, hence every flag of `dodona train`, is a keyword. After
    every epoch a `checkpoint` is written to that file, from which `resume` goes on to the same
    parser.
    """
    trainer = Trainer(train, dev, replace(Settings(), **settings))
    return trainer.complete(report, checkpoint, resume).parser()


def _tag_scores(epoch: Epoch) -> dict[str, float]:
    return {name: score for name, score in epoch.scores.items() if name in TAG_COLUMNS}
