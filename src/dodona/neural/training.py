"""Training a network to tag and to parse: what it learns in an epoch, and what its state is.

Words are encoded with the network as it is, the core walks through the states of each sentence by
the same oracles as for linear models (`core/parsing/walking`), and JAX learns from all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from dodona.core.network.slot_language import load_slots
from dodona.core.network.slots import Slots
from dodona.core.parsing.actions import Actions
from dodona.core.parsing.greedy_training import seen_actions
from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.transitions.registry import system
from dodona.core.weights.shuffle import shuffle
from dodona.learning.checkpoint import Checkpoint, State
from dodona.learning.epochs import Learner, Run
from dodona.learning.treebanks import Treebank, checksum
from dodona.neural import export
from dodona.neural.batching import Batch, Room, Words, in_batches, make_batch
from dodona.neural.knowledge import NO_CLASS, find_tags, learn_tags, learn_words
from dodona.neural.learning import Learning, Pace, learn, see_batch
from dodona.neural.network import Dropout, Parameters, Shape, new_parameters
from dodona.neural.vectors import read_vectors
from dodona.neural.walks import Walks, padded
from dodona.parsing import training as linear
from dodona.parsing.graph_preparation import prepare_graphs
from dodona.parsing.graph_stage import GraphStage
from dodona.parsing.graph_training import graph_settings, jackknife_trees
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import TrainingData, choose_templates, load_trees, prepare
from dodona.parsing.training import describe_run, score_trees
from dodona.settings import BASIC_AND_ENHANCED, ENHANCED, PARSER, Settings, TaggerSettings
from dodona.tagging.lemma_training import LemmaTrainer
from dodona.tagging.neural_tagger import NeuralTagger
from dodona.tagging.tagger import Tagger
from dodona.tagging.word_types import FIELDS
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence

FIELD_WIDTHS = {"lower": 64, "grams": 64}  # of the tables; of all others:
HASHED_WIDTH = 32
ARCS = 128  # units of the arcs that are learned beside the states
STEPS = 80  # in an epoch, at least, as long as a batch has a few sentences
BATCH_SIZES = 300, 2500
WARM = 100
UNKNOWN_WORDS = 0.15  # share of forms that are taken for unknown
BAG = FIELDS.index("grams")

Arrays = dict[str, memoryview]


class NeuralTrainer(Learner[Arrays]):
    """One training run. `epochs()` runs it; `parser()` gives the best parser so far.

    As with `dodona.parsing.training.Trainer`, trees that the system cannot derive are
    projectivised, and what is not annotated is not learned.
    """

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: Settings,
        tagger: Tagger | None = None,
    ) -> None:
        super().__init__()
        if tagger is not None:
            raise ValueError("a network learns tags together with trees: it takes no other tagger")
        settings = settings.resolved()
        self._vectors = read_vectors(settings.vectors) if settings.vectors else None
        # slots and vectors go into the model, but not the folders they were read from
        self.settings: Settings = replace(
            settings, features=Path(settings.features).name, vectors=Path(settings.vectors).name
        )
        self.part = "graph parser" if settings.graph == ENHANCED else "parser"
        self.sentences = load_trees(train)
        self.dev = load_trees(dev) if dev is not None else []
        self.templates = load_slots(settings.features)
        self.slots = Slots(self.templates, settings.features)
        self.checksums = self._checksums()
        self.data = self._prepare()
        self.n_pieces, self.n_words = len(self.data.order), self.data.n_words
        self.system = system(
            settings.system,
            labels=[label.decode() for label in self.data.encoder.labels],
            root=settings.root,
            loss=settings.loss,
            static_oracle=settings.static_oracle,
            exact_words=settings.exact_words,
            root_label=self.data.root_label,
        )
        self.pairs = seen_actions(self.system, self.data.corpus, self.data.order)
        self.actions = Actions(self.system, self.pairs)
        self.known = learn_words(self.sentences, self._vectors[0] if self._vectors else None)
        self.columns = find_tags(self.sentences)
        self.tags = learn_tags(self.sentences, [name for name in self.columns if name != LEMMA])
        self.lemma_trainer: LemmaTrainer | None = None
        if LEMMA in self.columns:
            seed = TaggerSettings(seed=settings.seed)
            self.lemma_trainer = LemmaTrainer(self.sentences, self.dev or None, seed)
        self.graph_stage = GraphStage(self._start_graphs)
        self._start()

    def _checksums(self) -> dict[str, str]:
        found = {
            "train": checksum(map(bytes, self.sentences)),
            "dev": checksum(map(bytes, self.dev)),
            "templates": checksum([self.templates.encode()]),
        }
        if self._vectors is not None:
            found["vectors"] = checksum([b"\n".join(self._vectors[0]), self._vectors[1].tobytes()])
        return found

    def _prepare(self) -> TrainingData:
        encoder = Encoder(())
        if self.settings.graph == ENHANCED:
            return prepare_graphs(self.sentences, encoder)
        return prepare(self.sentences, encoder, self.settings)

    def _start(self) -> None:
        settings, types = self.settings, self.known.types()
        self.words = Words.of(self.sentences, types, BAG)
        widths = [FIELD_WIDTHS.get(name, HASHED_WIDTH) for name in types.fields]
        if self._vectors is not None:
            widths[-1] = self._vectors[1].shape[1]
        self.atoms = self.slots.sizes(self.system)
        self.shape = Shape(
            settings.width,
            settings.layers,
            settings.hidden,
            types.table_sizes,
            tuple(widths),
            BAG,
            self.tags.sizes,
            self.slots.n_slots,
            sum(self.atoms),
            padded(self.actions.n_classes),
            self.tags.fed_back,
            fixed=() if self._vectors is None else (len(FIELDS),),
            parts=tuple((head, parts.shape[1]) for head, parts in self.tags.parts.items()),
            arcs=0 if settings.graph == ENHANCED else ARCS,
        )
        least, most = BATCH_SIZES
        suited = min(max(self.n_words // STEPS, least), most)
        self.batch_size = settings.batch_words or suited
        n_steps = sum(1 for _ in in_batches(self.words, self.data.order, self.batch_size))
        self.pace = Pace(
            rate=settings.learning_rate,
            warm=min(WARM, 2 * n_steps),
            steps=n_steps * settings.epochs,
        )
        rate = settings.dropout
        self.dropout = Dropout(min(UNKNOWN_WORDS, rate), rate, rate, rate)
        self.walks = Walks(
            self.data.corpus,
            self.actions,
            self.slots,
            self.batch_size,
            mode=settings.training,
            explore_rate=settings.explore_rate,
        )
        self._room = Room(self.batch_size)
        self._gold = (
            np.stack(self.tags.gold) if self.tags.gold else np.zeros((0, self.n_words), "i4")
        )
        self._heads = self._gold_heads()

    @cached_property
    def learning(self) -> Learning:
        """The network on its way; it begins when it is first asked for."""
        vectors = None if self._vectors is None else self._vectors[1]
        return Learning.begin(new_parameters(self.shape, self.settings.seed, vectors))

    def _gold_heads(self) -> Any:
        """The head of every word: 0 for the root, -1 where there is none."""
        return np.array(
            [
                -1 if head is None else head
                for i in range(len(self.sentences))
                for head in self.data.corpus.heads(i)
            ],
            np.int32,
        )

    def stages(self) -> Iterator[Learner[Any]]:
        if self.lemma_trainer is not None:
            yield self.lemma_trainer
        yield self
        if self.settings.graph == BASIC_AND_ENHANCED:
            yield self.graph_stage.begin(
                lambda: jackknife_trees(self.sentences, self._linear(), linear.train)
            )

    def _linear(self) -> Settings:
        """Those of the linear parsers that make trees to learn graphs from, and of the graphs'."""
        names = ("system", "root", "loss", "explore_after", "explore_rate", "seed")
        alike = {name: getattr(self.settings, name) for name in names}
        return replace(Settings(), tags="predicted", **alike).resolved()

    def _start_graphs(self, trees: list[Sentence]) -> linear.Trainer:
        settings = graph_settings(self._linear())
        templates = choose_templates(replace(settings, tags="predicted"), self.sentences)
        assert self.best is not None  # all its epochs are done
        dev = list(self._parser(self.best).pipe(self.dev, retag=True)) if self.dev else None
        return linear.Trainer(trees, dev, settings, templates=templates)

    # --- one epoch

    def learn_epoch(self, number: int) -> Iterator[int]:
        seed = self.settings.seed + (number << 32)
        order = [self.data.order[i] for i in shuffle(self.n_pieces, seed)]
        exploring, n_done = number > self.settings.explore_after, 0
        for some in in_batches(self.words, order, self.batch_size):
            self._learn(make_batch(self.words, some, self._room), seed, exploring)
            n_done += len(some)
            yield n_done

    def _learn(self, batch: Batch, salt: int, exploring: bool) -> None:
        now = self.learning
        seed = np.uint32((self.settings.seed * 1_000_003 + now.step) & 0xFFFFFFFF)
        seen, way_back = see_batch(
            self.shape, self.dropout, now.parameters, batch.arrays, self.tags.parts, seed
        )
        walk = self.walks.walk(batch, now.parameters, np.asarray(seen.products), salt, exploring)
        n = self._room.words
        tags: Any = np.full((len(self._gold), n), NO_CLASS, np.int32)
        tags[:, : len(batch.words)] = self._gold[:, batch.words]
        arrays = batch.arrays | ({"heads": self._heads_in(batch, n)} if self.shape.arcs else {})
        now.parameters, now.average, now.mean, now.square, *_ = learn(
            self.shape,
            self.dropout,
            self.pace,
            now.parameters,
            now.average,
            now.mean,
            now.square,
            np.float32(now.step),
            seed,
            arrays,
            walk,
            tags,
            seen,
            way_back,
        )
        now.step += 1

    def _heads_in(self, batch: Batch, n: int) -> Any:
        """The places of the words' heads in the batch; `n` is that of the root, -1 of no head."""
        gold: Any = self._heads[batch.words]
        found: Any = np.full(n, -1, np.int32)
        lengths = self.words.n_words[list(batch.sentences)]
        first: Any = np.repeat(np.cumsum(lengths) - lengths, lengths)
        places = np.where(gold == 0, n, first + gold - 1)
        found[: len(gold)] = np.where(gold < 0, -1, places)
        return found

    @property
    def n_updates(self) -> int:
        return self.learning.step

    def average(self) -> Arrays:
        return self.arrays_of(self.learning.average)

    def arrays_of(self, parameters: Parameters) -> Arrays:
        """The arrays of a model with these parameters."""
        folded = export.fold(
            self.shape, parameters, self.tags.parts, self.atoms, self.actions.n_classes
        )
        return export.to_arrays(folded, self.settings.precision)

    # --- the choice of the best

    def score(self, learned: Arrays) -> dict[str, float]:
        if not self.dev:
            return {}
        parsed = list(self._parser(learned).pipe(self.dev, retag=True))
        return score_trees(self.dev, parsed, self.settings, self.columns)

    def rate(self, scores: Mapping[str, float]) -> float:
        return scores["ELAS" if self.settings.graph == ENHANCED else "LAS"]

    @property
    def patience(self) -> int:
        return self.settings.early_stop

    # --- checkpoints

    def began_with(self) -> dict[str, Any]:
        return {"pipeline": PARSER, **asdict(self.settings)}

    def checksum_data(self) -> dict[str, str]:
        return self.checksums

    def parts(self) -> dict[str, Run]:
        runs = {"lemmas": self.lemma_trainer, "graphs": self.graph_stage.trainer}
        return {name: run for name, run in runs.items() if run is not None}

    def restore(self, saved: Checkpoint) -> None:
        super().restore(saved)
        if self.lemma_trainer is not None:
            self.lemma_trainer.restore(saved.parts["lemmas"])
        self.graph_stage.restore(saved, self.sentences, self.settings.epochs)

    def state(self) -> State:
        now = self.learning
        arrays = {
            f"{kind}/{name}": memoryview(np.ascontiguousarray(value).ravel())
            for kind in KINDS
            for name, value in getattr(now, kind).items()
        }
        arrays |= {f"best/{name}": values for name, values in (self.best or {}).items()}
        state = State(numbers={"step": now.step}, arrays=arrays)
        self.graph_stage.keep(state)
        return state

    def go_on(self, state: State) -> None:
        now = self.learning
        now.step = int(state.numbers["step"])
        for kind in KINDS:
            named = getattr(now, kind)
            for name, value in named.items():
                saved = np.frombuffer(state.arrays[f"{kind}/{name}"], np.float32)
                named[name] = jnp.asarray(saved.reshape(value.shape))
        best = (name for name in state.arrays if name.startswith("best/"))
        self.best = {name.removeprefix("best/"): state.arrays[name] for name in best} or None

    # --- what comes of it

    def parser(self) -> Parser:
        """The parser of the best epoch so far."""
        if self.best is None:
            raise ValueError("no epoch has been completed: there is no parser yet")
        return self.graph_stage.add_to(self._parser(self.best))

    def _parser(self, learned: Arrays) -> Parser:
        about = export.describe(self.shape, self.atoms, self.actions.n_classes)
        answers, weights, symbols = self.tags.answers, None, []
        if self.lemma_trainer is not None:
            answers, weights = [*answers, self.lemma_trainer.answers], self.lemma_trainer.weights
            symbols = self.lemma_trainer.knowledge.symbols
        tagger = NeuralTagger(self.known, answers, about, learned, weights, symbols=symbols)
        return Parser(
            self.settings,
            self.templates,
            self.data.encoder,
            self.data.root_label,
            self.pairs,
            tagger.network,
            self.record(),
            tagger,
        )

    def record(self) -> dict[str, Any]:
        """How this parser came to be, for the model file; no times, which differ between runs."""
        return describe_run(self)


KINDS = ("parameters", "average", "mean", "square")
