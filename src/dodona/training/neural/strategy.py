"""Training of parsers with a network, which learns to tag and to parse together.

Each step encodes the words of a batch with the current network, lets the core roll out the states
of every sentence by the same oracles as for linear models (`core/learning/rollouts`), and learns
from all of them in JAX.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import jax
import numpy as np

from dodona.core.network.slot_language import load_slots
from dodona.core.network.slots import Slots
from dodona.core.tagging.tag_templates import LEMMA
from dodona.parsing.network_scorer import NetworkParserScorer
from dodona.parsing.strategy import LearnedScorer, ParsingTask, StartingPoint, Strategy
from dodona.settings import NO_GRAPH, Settings, TaggerSettings
from dodona.tagging.lemma_lexicon import NO_LEMMAS
from dodona.tagging.network_tagger import NetworkTagger, NetworkTags
from dodona.tagging.tagger_training import LemmaTrainer
from dodona.tagging.word_learning import find_tags
from dodona.training.checkpoint import TrainingState
from dodona.training.harmony_list import read_harmony
from dodona.training.loop import Learner, Run
from dodona.training.neural import export
from dodona.training.neural.batching import Batch, BatchCapacity, WordTable, make_batch
from dodona.training.neural.continuation import Continuation
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.training.neural.network import Parameters, new_parameters, read_vectors
from dodona.training.neural.optimizer import OptimizerState, encode_with_gradient, learn
from dodona.training.neural.rollouts import STATE_PARAMETERS, Rollouts, used_shares
from dodona.training.neural.silver import SilverFiles, SilverReader
from dodona.training.neural.sizes import BAG, adamw_settings, batch_size_of, dropout_of, shape_of
from dodona.training.neural.tag_heads import learn_tags, learn_words
from dodona.training.neural.training_sets import Schedule, TrainingSet, corpus_heads
from dodona.training.neural.variants import Variants
from dodona.training.treebanks import Treebank
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence

Arrays = dict[str, memoryview]

SAMPLE = 300  # sentences from which the number of words in each slot is estimated
BEST = "best/"  # prefix of the arrays of the best epoch in a checkpoint


class NeuralStrategy(Strategy):
    """Train a network.

    Additional treebanks (`more`) are learned from as far as their labels and tags are those of the
    first; `silver` is text that a teacher has annotated; `lexicon` is a file of lemmas, `harmony`
    one of decisions about words that the treebanks annotate differently; `variants` is the share of
    sentences that are also learned from in another casing or without punctuation marks. Training
    may continue from the network of another model (`start`), whose lemmas are kept. `forms` counts
    those of text that is silver later: the frequent ones get vectors of their own, but no more than
    `most_forms` of all. With `prunes`, a model has zeros for atoms that no state of training had:
    their noise says nothing, and could not be compressed.
    """

    def __init__(
        self,
        *,
        more: Sequence[Treebank] = (),
        silver: SilverFiles | None = None,
        lexicon: str = "",
        harmony: str = "",
        variants: float = 0.0,
        start: StartingPoint | None = None,
        forms: Mapping[str, int] | None = None,
        most_forms: int | None = None,
        prunes: bool = False,
    ) -> None:
        self._more, self._silver_files, self._lexicon = more, silver, lexicon
        self._variants = variants
        self._forms, self._most_forms, self._prunes = forms, most_forms, prunes
        self.start = start
        self._base = Continuation(start) if start else None
        self._decided = read_harmony(harmony) if harmony else None
        self.lemma_trainer: LemmaTrainer | None = None
        self.silver: SilverReader | None = None

    def begin(self, train: Treebank, dev: list[Sentence], settings: Settings) -> ParsingTask:
        if self._silver_files is not None and settings.graph != NO_GRAPH:
            raise ValueError(f"silver has trees alone, not what graph={settings.graph!r} needs")
        if self._variants and settings.graph != NO_GRAPH:
            raise ValueError(f"variants are of trees, not of what graph={settings.graph!r} needs")
        base = self._base
        has_vectors = bool(settings.network.vectors) and base is None
        self._vectors = read_vectors(settings.network.vectors) if has_vectors else None
        gold = GoldTreebanks.load(train, self._more, self._decided)
        templates = base.templates if base else load_slots(settings.features)
        self.slots = Slots(templates, settings.features)
        varied = Variants(self._variants, settings.seed)
        sentences = [*gold.sentences, *varied.copies(gold.sentences)]
        encoder = Encoder((), labels=base.labels if base else ())
        known = base.pairs if base else ()
        self.task = ParsingTask(settings, sentences, dev, templates, encoder, self._files(), known)
        if base is not None:
            self.tags = base.tag_heads(sentences)
            self.known = base.words(gold.sentences, self._most_forms)
        else:
            self._learn_inventory(gold, sentences, dev)
        self._plan()
        return self.task

    def _learn_inventory(
        self, gold: GoldTreebanks, sentences: list[Sentence], dev: list[Sentence]
    ) -> None:
        """Learn the words and tags of the network, and begin the trainer of lemmas."""
        settings = self.task.settings
        self.columns = find_tags(gold.first, gold.sentences)
        tags = [name for name in self.columns if name != LEMMA]
        self.tags = learn_tags(sentences, tags, len(gold.first))
        if self._silver_files is not None:
            encoder = self.task.data.encoder
            self.silver = SilverReader(self._silver_files, encoder, self.tags, settings)
        self.known = learn_words(
            gold.sentences,
            self._vectors[0] if self._vectors else None,
            self.silver.forms if self.silver else self._forms,
            gold.with_lemmas,
            settings.network.rows,
            self._most_forms,
        )
        if LEMMA in self.columns:
            self.lemma_trainer = lemma_trainer(gold, dev, settings.seed, self._lexicon)
        elif self._lexicon:
            raise ValueError(NO_LEMMAS)

    def _files(self) -> dict[str, Iterable[bytes]]:
        found: dict[str, Iterable[bytes]] = {}
        if self._vectors is not None:
            found["vectors"] = b"\n".join(self._vectors[0]), self._vectors[1].tobytes()
        if self._silver_files is not None:
            found["silver"] = self._silver_files.contents()
        if self.start is not None:
            found["from"] = [self.start.checksum.encode()]
        return found

    def _plan(self) -> None:
        """Encode the words, and choose the sizes of batches and of the network."""
        settings, data, types = self.task.settings, self.task.data, self.known.types()
        sentences = self.task.sentences
        gold = TrainingSet(
            WordTable.of(sentences, types, BAG),
            data.corpus,
            data.order,
            np.stack(self.tags.gold) if self.tags.gold else np.zeros((0, data.n_words), "i4"),
            corpus_heads(data.corpus, range(len(sentences))),
        )
        silver = None if self.silver is None else self.silver.training_set(types, BAG)
        self.words, self.atoms = gold.words, self.slots.sizes(self.task.system)
        self.batch_size, self.dropout = batch_size_of(settings, data.n_words), dropout_of(settings)
        per_gold = self._silver_files.per_gold if self._silver_files else 0
        self.schedule = Schedule(gold, silver, per_gold, self.batch_size, settings.seed)
        self.n_pieces, self.n_words = self.schedule.n_sentences, self.schedule.n_words
        self.shape = shape_of(
            settings,
            types,
            self.tags,
            self.slots.n_slots,
            sum(self.atoms),
            self.task.actions.n_classes,
            None if self._vectors is None else self._vectors[1].shape[1],
        )
        if self._base is not None:
            self.shape = self._base.shape(self.shape)
        self.adamw = adamw_settings(settings, self.schedule.n_steps)
        self._capacity = BatchCapacity(self.batch_size)
        # reserve capacity for the batches of an epoch: each time that it grows, JAX compiles anew,
        # which on a GPU takes longer than many steps
        for which, some in self.schedule.epoch(1) if silver is not None else ():
            self._capacity.grow(*self.schedule.sets[which].words.count(some))

    @cached_property
    def _rollouts(self) -> list[Rollouts]:
        """Rollouts through gold and silver; made when learning begins, as they depend on JAX's
        device."""
        settings = self.task.settings
        return [
            Rollouts(
                each.corpus,
                self.task.actions,
                self.slots,
                self.batch_size,
                each.others,
                self._used_shares(each),
                mode=settings.training,
                explore_rate=settings.explore_rate,
            )
            for each in self.schedule.sets
        ]

    def _used_shares(self, used: TrainingSet) -> list[float]:
        """Return the share of words in each slot, or nothing on a GPU, where it would not help."""
        if jax.default_backend() != "cpu":
            return []
        sample = used.order[:SAMPLE]
        return used_shares(used.corpus, self.task.actions, self.slots, sample)

    @cached_property
    def learning(self) -> OptimizerState:
        """The parameters in training, initialised on first use."""
        if self._base is not None:
            task, labels = self.task, self.task.data.encoder.labels
            return OptimizerState.begin(
                self._base.parameters(
                    self.shape, task.settings.seed, labels, task.pairs, self.atoms
                )
            )
        vectors = None if self._vectors is None else self._vectors[1]
        return OptimizerState.begin(new_parameters(self.shape, self.task.settings.seed, vectors))

    def learn_epoch(self, number: int) -> Iterator[int]:
        seed = self.task.settings.seed + (number << 32)
        exploring, n_done = number > self.task.settings.explore_after, 0
        for which, some in self.schedule.epoch(number):
            chosen = self.schedule.sets[which]
            batch = make_batch(chosen.words, some, self._capacity)
            self._learn(chosen, self._rollouts[which], batch, seed, exploring)
            n_done += len(some)
            yield n_done

    def _learn(
        self, chosen: TrainingSet, rollouts: Rollouts, batch: Batch, salt: int, exploring: bool
    ) -> None:
        now, dropout = self.learning, self.dropout
        seed = np.uint32((self.task.settings.seed * 1_000_003 + now.step) & 0xFFFFFFFF)
        words, backward = encode_with_gradient(
            self.shape, dropout, now.parameters, batch.arrays, self.tags.parts, seed
        )
        weights = {name: now.parameters[name] for name in STATE_PARAMETERS}
        # one call, so that transfers from a GPU overlap
        products, weights = jax.device_get((words.products, weights))
        rollout = rollouts.run(batch, weights, products, salt, exploring)
        tags, heads = chosen.targets(batch, self._capacity.words)
        now.parameters, now.average, now.mean, now.square, *_ = learn(
            self.shape,
            dropout,
            self.adamw,
            now.parameters,
            (now.average, now.mean, now.square),
            np.float32(now.step),
            seed,
            batch.arrays | (heads if self.shape.arcs else {}),
            rollout,
            tags,
            words,
            backward,
        )
        now.step += 1

    @property
    def n_updates(self) -> int:
        return self.learning.step

    def snapshot(self) -> LearnedScorer:
        average = self.learning.average
        if self._prunes:
            was_met = (self.learning.square["atom"] > 0).any(axis=1, keepdims=True)
            average = average | {"atom": average["atom"] * was_met}
        return self.learned(self.arrays_of(average))

    def arrays_of(self, parameters: Parameters) -> Arrays:
        """Return the arrays of a model with these parameters."""
        n_classes = self.task.actions.n_classes
        folded = export.fold(self.shape, parameters, self.tags.parts, self.atoms, n_classes)
        export.require_finite(folded)
        return export.to_arrays(folded, self.task.settings.network.precision)

    def learned(self, arrays: Arrays) -> LearnedScorer:
        """Return the scorer of a network with these arrays."""
        about = export.describe(self.shape, self.atoms, self.task.actions.n_classes)
        tag_classes, weights, symbols = self.tags.tag_classes, None, []
        if self.lemma_trainer is not None:
            tag_classes = [*tag_classes, self.lemma_trainer.tag_classes]
            weights = self.lemma_trainer.weights
            symbols = self.lemma_trainer.inventory.symbols
        elif self._base is not None:
            tag_classes = [*tag_classes, *([self._base.lemmas] if self._base.lemmas else [])]
            weights, symbols = self._base.tags.lemmas, self._base.tags.symbols
        whole = arrays | self.tags.arrays
        tags = NetworkTags(self.known, tag_classes, about, whole, weights, symbols)
        scorer = NetworkParserScorer(
            self.task.templates, self.task.data.encoder, NetworkTagger(tags)
        )
        kept = {f"{BEST}{name}": values for name, values in arrays.items()}
        return LearnedScorer(scorer, TrainingState(arrays=kept))

    def state(self) -> TrainingState:
        arrays = self.learning.saved(self.shape.given)
        return TrainingState(numbers={"step": self.learning.step}, arrays=arrays)

    def load_state(self, state: TrainingState) -> LearnedScorer | None:
        step = int(state.numbers["step"])
        self.learning.restore(step, state.arrays, self.shape.given)
        best = (name for name in state.arrays if name.startswith(BEST))
        arrays = {name.removeprefix(BEST): state.arrays[name] for name in best}
        return self.learned(arrays) if arrays else None

    def linear_settings(self) -> Settings:
        names = ("system", "root", "loss", "explore_after", "explore_rate", "seed")
        same = {name: getattr(self.task.settings, name) for name in names}
        return Settings(tags="predicted", **same).resolved()

    def stages(self) -> Iterator[Learner[Any]]:
        if self.lemma_trainer is not None:
            yield self.lemma_trainer

    def runs(self) -> dict[str, Run]:
        return {"lemmas": self.lemma_trainer} if self.lemma_trainer else {}

    def initial_settings(self) -> dict[str, Any]:
        files = self._silver_files
        varied = {"variants": self._variants} if self._variants else {}
        silver = {"silver_per_gold": files.per_gold} | files.learned() if files else {}
        return silver | varied

    def record(self) -> dict[str, Any]:
        found = super().record()
        if self.silver is None:
            return found
        files, data = self.silver.files, self.task.data
        return found | {
            "n_sentences": len(data.order),
            "n_words": data.n_words,
            "silver": {
                "n_sentences": len(self.silver.order),
                "n_words": self.silver.n_words,
                "per_gold": files.per_gold,
                **files.learned(),
            },
        }


def lemma_trainer(
    gold: GoldTreebanks, dev: list[Sentence], seed: int, lexicon: str = "", n_bytes: int = 0
) -> LemmaTrainer:
    """Return the trainer of lemmas, which silver lacks; it numbers tags as the network does."""
    settings = TaggerSettings(seed=seed, lexicon=lexicon)
    trainer = LemmaTrainer(gold.with_lemmas, dev or None, settings, n_first=len(gold.first))
    trainer.n_bytes = n_bytes
    return trainer
