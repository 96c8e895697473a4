"""Training a network to tag and to parse: what it learns in an epoch, and what its state is.

Words are encoded with the network as it is, the core walks through the states of each sentence by
the same oracles as for linear models (`core/learning/rollouts`), and JAX learns from all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import numpy as np

from dodona.core.learning.static_oracle import seen_actions
from dodona.core.network.slot_language import load_slots
from dodona.core.network.slots import Slots
from dodona.core.search.actions import Actions
from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.transitions.registry import system
from dodona.learning.checkpoint import Checkpoint, State
from dodona.learning.epochs import Learner, Run
from dodona.learning.treebanks import Treebank, checksum
from dodona.neural import export
from dodona.neural.batching import Batch, Room, Words, make_batch
from dodona.neural.inventory import Gold
from dodona.neural.knowledge import find_tags, learn_tags, learn_words
from dodona.neural.learning import Learning, learn, see_batch
from dodona.neural.lessons import Lessons, corpus_heads
from dodona.neural.network import Parameters, new_parameters
from dodona.neural.plan import BAG, Plan, pace_of, shape_of
from dodona.neural.silver import SilverFiles, SilverReader
from dodona.neural.timetable import Timetable
from dodona.neural.vectors import read_vectors
from dodona.neural.walks import WALKED_BY, Walks, used_shares
from dodona.parsing import training as linear
from dodona.parsing.graph_preparation import prepare_graphs
from dodona.parsing.graph_stage import GraphStage
from dodona.parsing.graph_training import graph_settings, jackknife_trees
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import TrainingData, choose_templates, load_trees, prepare
from dodona.parsing.training import describe_run, score_trees
from dodona.settings import (
    BASIC_AND_ENHANCED,
    ENHANCED,
    NO_GRAPH,
    PARSER,
    Settings,
    TaggerSettings,
)
from dodona.tagging.lemma_lexicon import NO_LEMMAS
from dodona.tagging.lemma_training import LemmaTrainer
from dodona.tagging.neural_tagger import NeuralTagger
from dodona.tagging.tagger import Tagger
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence

Arrays = dict[str, memoryview]

SAMPLE = 300  # sentences that tell how many words are in each slot


class NeuralTrainer(Learner[Arrays]):
    """One training run. `epochs()` runs it; `parser()` gives the best parser so far.

    As with `dodona.parsing.training.Trainer`, trees that the system cannot derive are
    projectivised, and what is not annotated is not learned. `more` treebanks are learned from as
    far as their labels and tags are those of the first; `silver` was annotated by a teacher; and
    `lexicon` is a file of lemmas.
    """

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: Settings,
        tagger: Tagger | None = None,
        *,
        more: Sequence[Treebank] = (),
        silver: SilverFiles | None = None,
        lexicon: str = "",
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
        if silver is not None and settings.graph != NO_GRAPH:
            raise ValueError(f"silver has trees alone, not what graph={settings.graph!r} needs")
        gold = Gold.load(train, more)
        self.sentences, self._silver_files = gold.sentences, silver
        self.dev = load_trees(dev) if dev is not None else []
        self.templates = load_slots(settings.features)
        self.slots = Slots(self.templates, settings.features)
        self.checksums = self._checksums()
        self.data = self._prepare()
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
        self.columns = find_tags(gold.first)
        tags = [name for name in self.columns if name != LEMMA]
        self.tags = learn_tags(self.sentences, tags, len(gold.first))
        self.silver: SilverReader | None = None
        if silver is not None:
            self.silver = SilverReader(silver, self.data.encoder, self.tags, self.settings)
        self.known = learn_words(
            self.sentences,
            self._vectors[0] if self._vectors else None,
            self.silver.forms if self.silver else None,
            gold.with_lemmas,
        )
        self.lemma_trainer: LemmaTrainer | None = None
        if LEMMA in self.columns:
            self.lemma_trainer = lemma_trainer(gold, self.dev, settings.seed, lexicon)
        elif lexicon:
            raise ValueError(NO_LEMMAS)
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
        if self._silver_files is not None:
            found["silver"] = self._silver_files.checksum()
        return found

    def _prepare(self) -> TrainingData:
        encoder = Encoder(())
        if self.settings.graph == ENHANCED:
            return prepare_graphs(self.sentences, encoder)
        return prepare(self.sentences, encoder, self.settings)

    def _start(self) -> None:
        types = self.known.types()
        gold = Lessons(
            Words.of(self.sentences, types, BAG),
            self.data.corpus,
            self.data.order,
            np.stack(self.tags.gold) if self.tags.gold else np.zeros((0, self.data.n_words), "i4"),
            corpus_heads(self.data.corpus, range(len(self.sentences))),
        )
        silver = None if self.silver is None else self.silver.lessons(types, BAG)
        self.words, self.atoms = gold.words, self.slots.sizes(self.system)
        self.plan = Plan.of(self.settings, self.data.n_words)
        self.batch_size = self.plan.batch_size
        per_gold = self._silver_files.per_gold if self._silver_files else 0
        self.timetable = Timetable(gold, silver, per_gold, self.batch_size, self.settings.seed)
        self.n_pieces, self.n_words = self.timetable.n_sentences, self.timetable.n_words
        self.shape = shape_of(
            self.settings,
            types,
            self.tags,
            self.slots.n_slots,
            sum(self.atoms),
            self.actions.n_classes,
            None if self._vectors is None else self._vectors[1].shape[1],
        )
        self.pace = pace_of(self.settings, self.timetable.n_steps)
        self._room = Room(self.batch_size)
        if silver is not None:
            self._make_room()

    @cached_property
    def _walks(self) -> list[Walks]:
        """For gold and silver; made when learning begins, as they depend on where that is."""
        return [
            Walks(
                lessons.corpus,
                self.actions,
                self.slots,
                self.batch_size,
                lessons.others,
                self._used_shares(lessons),
                mode=self.settings.training,
                explore_rate=self.settings.explore_rate,
            )
            for lessons in self.timetable.lessons
        ]

    def _used_shares(self, lessons: Lessons) -> list[float]:
        """What rooms for used rows go by, where they make learning faster: not on a GPU."""
        if jax.default_backend() != "cpu":
            return []
        return used_shares(lessons.corpus, self.actions, self.slots, lessons.order[:SAMPLE])

    def _make_room(self) -> None:
        """Room for all batches, as far as those of an epoch tell: each time that it grows, JAX
        compiles anew, which on a GPU takes longer than many steps."""
        for which, some in self.timetable.epoch(1):
            words = self.timetable.lessons[which].words
            self._room.grow(*words.count(some))

    @cached_property
    def learning(self) -> Learning:
        """The network on its way; it begins when it is first asked for."""
        vectors = None if self._vectors is None else self._vectors[1]
        return Learning.begin(new_parameters(self.shape, self.settings.seed, vectors))

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
        exploring, n_done = number > self.settings.explore_after, 0
        for which, some in self.timetable.epoch(number):
            lessons = self.timetable.lessons[which]
            batch = make_batch(lessons.words, some, self._room)
            self._learn(lessons, self._walks[which], batch, seed, exploring)
            n_done += len(some)
            yield n_done

    def _learn(
        self, lessons: Lessons, walks: Walks, batch: Batch, salt: int, exploring: bool
    ) -> None:
        now, dropout = self.learning, self.plan.dropout
        seed = np.uint32((self.settings.seed * 1_000_003 + now.step) & 0xFFFFFFFF)
        seen, way_back = see_batch(
            self.shape, dropout, now.parameters, batch.arrays, self.tags.parts, seed
        )
        weights = {name: now.parameters[name] for name in WALKED_BY}
        # all are on their way at once, where they come from a GPU
        products, weights = jax.device_get((seen.products, weights))
        walk = walks.walk(batch, weights, products, salt, exploring)
        tags, heads = lessons.targets(batch, self._room.words)
        now.parameters, now.average, now.mean, now.square, *_ = learn(
            self.shape,
            dropout,
            self.pace,
            now.parameters,
            now.average,
            now.mean,
            now.square,
            np.float32(now.step),
            seed,
            batch.arrays | (heads if self.shape.arcs else {}),
            walk,
            tags,
            seen,
            way_back,
        )
        now.step += 1

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
        files = self._silver_files
        silver = {"silver_per_gold": files.per_gold} | files.learned() if files else {}
        return {"pipeline": PARSER, **asdict(self.settings), **silver}

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
        arrays = self.learning.saved(self.shape.given)
        arrays |= {f"best/{name}": values for name, values in (self.best or {}).items()}
        state = State(numbers={"step": self.learning.step}, arrays=arrays)
        self.graph_stage.keep(state)
        return state

    def go_on(self, state: State) -> None:
        step = int(state.numbers["step"])
        self.learning.restore(step, state.arrays, self.shape.given)
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
        found = describe_run(self)
        if self.silver is not None:
            files = self.silver.files
            found |= {"n_sentences": len(self.data.order), "n_words": self.data.n_words}
            found["silver"] = {
                "n_sentences": len(self.silver.order),
                "n_words": self.silver.n_words,
                "per_gold": files.per_gold,
                **files.learned(),
            }
        return found


def lemma_trainer(gold: Gold, dev: list[Sentence], seed: int, lexicon: str = "") -> LemmaTrainer:
    """What learns lemmas, which silver has none of; of tags as the network numbers them."""
    settings = TaggerSettings(seed=seed, lexicon=lexicon)
    return LemmaTrainer(gold.with_lemmas, dev or None, settings, n_first=len(gold.first))
