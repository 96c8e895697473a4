"""Training, saving and loading of teachers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.core.weights.shuffle import shuffle
from dodona.distilling import teacher_network
from dodona.distilling.teacher_inventory import TeacherInventory, length_for, padded_batches
from dodona.distilling.teacher_network import Parameters, TeacherDropout, TeacherShape
from dodona.storage import container
from dodona.storage.container import Array
from dodona.training.checkpoint import TrainingState
from dodona.training.loop import Learner
from dodona.training.neural.optimizer import AdamWSettings, OptimizerState, adamw_step

KIND, VERSION = "teacher", 1
WARM = 100
LEAST = {"form_width": 16, "character_units": 16, "arcs": 16, "labels": 16}  # of narrow networks
LEAST |= {"hashed_width": 8, "characters": 8}
UNKNOWN = -1  # a head, label or tag that is not learned
Learned = tuple[Parameters, ...]  # the parameters, and their average, mean and square


@dataclass(frozen=True)
class TeacherSettings:
    """Settings of the training of a teacher.

    >>> TeacherSettings(epochs=0)
    Traceback (most recent call last):
    ValueError: epochs, width, layers and batch_words of a teacher are above 0
    """

    epochs: int = 40
    width: int = 400  # of an LSTM, in each direction
    layers: int = 3
    batch_words: int = 5000
    learning_rate: float = 0.002
    dropout: float = 0.33
    longest: int = 160  # sentences with more words are skipped
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.epochs, self.width, self.layers, self.batch_words) < 1:
            raise ValueError("epochs, width, layers and batch_words of a teacher are above 0")
        if not 0 <= self.dropout < 1 or not 0 < self.learning_rate <= 1:
            raise ValueError("dropout of a teacher is below 1, and its learning rate up to 1")

    def shape(self, inventory: TeacherInventory) -> TeacherShape:
        """Return the sizes of the network; narrow networks have fewer units everywhere."""
        few = min(self.width / TeacherShape.width, 1)
        return TeacherShape(
            inventory.table_sizes,
            inventory.n_characters,
            len(inventory.labels),
            inventory.tags.sizes,
            tuple((head, parts.shape[1]) for head, parts in inventory.tags.parts.items()),
            vectors=inventory.given.shape[1],
            **{name: max(int(getattr(TeacherShape, name) * few), n) for name, n in LEAST.items()},
            layers=self.layers,
            width=self.width,
        )


@dataclass(frozen=True)
class Teacher:
    """A trained network."""

    shape: TeacherShape
    parameters: Parameters

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write a file without the pretrained vectors; `about` describes data and settings."""
        arrays = {
            name: Array("F32", memoryview(np.ascontiguousarray(value, np.float32)).cast("B"))
            for name, value in self.parameters.items()
        }
        sizes = {name: list(np.shape(value)) for name, value in self.parameters.items()}
        container.write(path, KIND, VERSION, {"about": about, "sizes": sizes}, arrays)

    @classmethod
    def load(cls, path: Path, inventory: TeacherInventory, settings: TeacherSettings) -> Teacher:
        """Load a teacher that was trained with the same inventory and settings."""
        metadata, arrays = container.read(path, KIND, VERSION, VERSION, advice="remove it")
        if metadata["about"] != describe_teacher(inventory, settings):
            raise ValueError(
                f"{path}: this teacher was trained on other data or with other settings; remove "
                "it, or choose another folder by --work"
            )
        shape = settings.shape(inventory)
        found = {
            name: np.frombuffer(arrays[name], np.float32).reshape(size)
            for name, size in metadata["sizes"].items()
        }
        expected = {
            name: value.shape for name, value in teacher_network.new_teacher(shape, 0).items()
        }
        if {name: value.shape for name, value in found.items()} != expected:
            raise ValueError(f"{path}: the arrays are not those of a teacher; remove the file")
        return cls(shape, found)


def describe_teacher(inventory: TeacherInventory, settings: TeacherSettings) -> dict[str, Any]:
    """Return settings and digests of the data, which determine a teacher."""
    return {"settings": asdict(settings), "checksums": inventory.checksums()}


class TeacherTrainer(Learner[Parameters]):
    """The trainer of one teacher, which is the average of the last training steps."""

    part = "teacher"

    def __init__(self, inventory: TeacherInventory, settings: TeacherSettings) -> None:
        super().__init__()
        self.inventory, self.shape = inventory, settings.shape(inventory)
        self.settings: TeacherSettings = settings
        self.encoded = inventory.encode(inventory.sentences)
        self._gold = inventory.gold_classes()
        sizes = self.encoded.n_words
        self.order = [i for i, n in enumerate(sizes) if 0 < n <= settings.longest]
        if not self.order:
            raise ValueError(f"no sentence of up to {settings.longest} words to learn from")
        self.n_pieces, self.n_words = len(self.order), int(sizes[self.order].sum())
        rate = settings.dropout
        self.dropout = TeacherDropout(min(0.15, rate), rate, rate, min(0.2, rate), rate)
        n_steps = self._count_steps()
        warm, steps = min(WARM, 2 * n_steps), n_steps * settings.epochs
        self.adamw = AdamWSettings(settings.learning_rate, warm, steps, decay=0.01)

    def _count_steps(self) -> int:
        size, lengths = self.settings.batch_words, [*map(length_for, self.encoded.n_words)]
        counts = {n: sum(lengths[i] == n for i in self.order) for n in {*lengths}}
        return sum(-(-count // max(size // n, 1)) for n, count in counts.items())

    @cached_property
    def learning(self) -> OptimizerState:
        """Return the state of the optimiser."""
        return OptimizerState.begin(teacher_network.new_teacher(self.shape, self.settings.seed))

    def learn_epoch(self, number: int) -> Iterator[int]:
        seed, n_done = self.settings.seed + (number << 32), 0
        order = [self.order[i] for i in shuffle(len(self.order), seed)]
        given, parts = jnp.asarray(self.inventory.given), self.inventory.tags.parts
        for batch in padded_batches(self.encoded, order, self.settings.batch_words, seed):
            now = self.learning
            gold = {name: batch.padded(classes, UNKNOWN) for name, classes in self._gold.items()}
            key = jax.random.PRNGKey((self.settings.seed * 1_000_003 + now.step) & 0x7FFFFFFF)
            fixed, step = (self.shape, self.dropout, self.adamw), np.float32(now.step)
            learned: Learned = (now.parameters, now.average, now.mean, now.square)
            learned, self.loss = teach(fixed, learned, step, given, parts, batch.arrays | gold, key)
            now.parameters, now.average, now.mean, now.square = learned
            now.step += 1
            n_done += len(batch.sentences)
            yield n_done
        jax.block_until_ready(self.loss)

    @property
    def n_updates(self) -> int:
        return self.learning.step

    def average(self) -> Parameters:
        return self.learning.average

    def score(self, learned: Parameters) -> dict[str, float]:
        """Return no scores: the last epoch is kept, after the learning rate has decayed."""
        return {}

    def checksum_data(self) -> dict[str, str]:
        return self.inventory.checksums()

    def state(self) -> TrainingState:
        return TrainingState(numbers={"step": self.learning.step}, arrays=self.learning.saved())

    def load_state(self, state: TrainingState) -> None:
        self.learning.restore(int(state.numbers["step"]), state.arrays)
        self.best = self.learning.average

    def teacher(self) -> Teacher:
        """Return the trained teacher."""
        if self.best is None:
            raise ValueError("no epoch is complete: train the teacher first")
        found = {name: np.asarray(value) for name, value in self.learning.average.items()}
        return Teacher(self.shape, found)


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def teach(
    fixed: tuple[TeacherShape, TeacherDropout, AdamWSettings],
    learned: Learned,
    step: Any,
    given: Any,
    parts: dict[int, Any],
    arrays: dict[str, Any],
    key: Any,
) -> tuple[Learned, Any]:
    """Run one optimiser step, and return what is learned and the loss."""
    (shape, dropout, adamw), (p, average, mean, square) = fixed, learned

    def total(p: Parameters) -> Any:
        return teacher_network.teacher_loss(shape, p, given, parts, arrays, dropout, key)

    loss, gradients = jax.value_and_grad(total)(p)
    return adamw_step(adamw, p, (average, mean, square), gradients, step), loss
