"""Training a teacher, and what is kept of it."""

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
from dodona.distilling.rows import in_rows, length_for
from dodona.distilling.subject import Subject
from dodona.distilling.teacher_network import (
    Parameters,
    TeacherDropout,
    TeacherShape,
    new_teacher,
    teacher_loss,
)
from dodona.storage import container
from dodona.storage.container import Array
from dodona.training.checkpoint import TrainingState
from dodona.training.loop import Learner
from dodona.training.neural.optimizer import AdamWSettings, OptimizerState, adamw_step

KIND, VERSION = "teacher", 1
WARM = 100
NO_ANSWER = -1


@dataclass(frozen=True)
class TeacherSettings:
    """How to train a teacher.

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
    longest: int = 160  # sentences with more words are not learned from
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.epochs, self.width, self.layers, self.batch_words) < 1:
            raise ValueError("epochs, width, layers and batch_words of a teacher are above 0")
        if not 0 <= self.dropout < 1 or not 0 < self.learning_rate <= 1:
            raise ValueError("dropout of a teacher is below 1, and its learning rate up to 1")

    def shape(self, subject: Subject) -> TeacherShape:
        """The sizes of the network for a subject; narrow ones have fewer units everywhere."""
        few = min(self.width / TeacherShape.width, 1)
        return TeacherShape(
            subject.table_sizes,
            subject.n_characters,
            len(subject.labels),
            subject.tags.sizes,
            tuple((head, parts.shape[1]) for head, parts in subject.tags.parts.items()),
            vectors=subject.given.shape[1],
            form_width=max(int(TeacherShape.form_width * few), 16),
            hashed_width=max(int(TeacherShape.hashed_width * few), 8),
            characters=max(int(TeacherShape.characters * few), 8),
            character_units=max(int(TeacherShape.character_units * few), 16),
            layers=self.layers,
            width=self.width,
            arcs=max(int(TeacherShape.arcs * few), 16),
            labels=max(int(TeacherShape.labels * few), 16),
        )


@dataclass(frozen=True)
class Teacher:
    """A network that has learned a subject."""

    shape: TeacherShape
    parameters: Parameters

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write it, without the vectors that were given; `about` says what it learned from."""
        arrays = {
            name: Array("F32", memoryview(np.ascontiguousarray(value, np.float32)).cast("B"))
            for name, value in self.parameters.items()
        }
        sizes = {name: list(np.shape(value)) for name, value in self.parameters.items()}
        container.write(path, KIND, VERSION, {"about": about, "sizes": sizes}, arrays)

    @classmethod
    def load(cls, path: Path, subject: Subject, settings: TeacherSettings) -> Teacher:
        """Read what `save` wrote; only for the subject and the settings that it had then."""
        told, arrays = container.read(path, KIND, VERSION, VERSION, advice="remove it")
        if told["about"] != about_teacher(subject, settings):
            raise ValueError(
                f"{path}: this teacher learned from other data, or in another way; take another "
                "folder for --work, or remove it"
            )
        shape = settings.shape(subject)
        found = {
            name: np.frombuffer(arrays[name], np.float32).reshape(size)
            for name, size in told["sizes"].items()
        }
        expected = {name: value.shape for name, value in new_teacher(shape, 0).items()}
        if {name: value.shape for name, value in found.items()} != expected:
            raise ValueError(f"{path}: its numbers do not make a teacher; remove it")
        return cls(shape, found)


def about_teacher(subject: Subject, settings: TeacherSettings) -> dict[str, Any]:
    """What a teacher is made of: the same gives the same one."""
    return {"settings": asdict(settings), "checksums": subject.checksums()}


class TeacherTrainer(Learner[Parameters]):
    """Trains one teacher. What is kept is the average of its last steps."""

    part = "teacher"

    def __init__(self, subject: Subject, settings: TeacherSettings) -> None:
        super().__init__()
        self.subject = subject
        self.settings: TeacherSettings = settings
        self.shape = settings.shape(subject)
        self.spelled = subject.spell(subject.sentences)
        self._heads, self._labels, self._tags = subject.answers()
        sizes = self.spelled.n_words
        self.order = [i for i, n in enumerate(sizes) if 0 < n <= settings.longest]
        if not self.order:
            raise ValueError(f"no sentence of up to {settings.longest} words to learn from")
        self.n_pieces, self.n_words = len(self.order), int(sizes[self.order].sum())
        rate = settings.dropout
        self.dropout = TeacherDropout(min(0.15, rate), rate, rate, min(0.2, rate), rate)
        n_steps = self._count_steps()
        self.adamw = AdamWSettings(
            rate=settings.learning_rate,
            warm=min(WARM, 2 * n_steps),
            steps=n_steps * settings.epochs,
            decay=0.01,
        )

    def _count_steps(self) -> int:
        size, lengths = self.settings.batch_words, [*map(length_for, self.spelled.n_words)]
        counts = {n: sum(lengths[i] == n for i in self.order) for n in {*lengths}}
        return sum(-(-count // max(size // n, 1)) for n, count in counts.items())

    @cached_property
    def learning(self) -> OptimizerState:
        """The network on its way."""
        return OptimizerState.begin(new_teacher(self.shape, self.settings.seed))

    def learn_epoch(self, number: int) -> Iterator[int]:
        seed, n_done = self.settings.seed + (number << 32), 0
        order = [self.order[i] for i in shuffle(len(self.order), seed)]
        given, parts = jnp.asarray(self.subject.given), self.subject.tags.parts
        for rows in in_rows(self.spelled, order, self.settings.batch_words, seed):
            now = self.learning
            arrays = rows.arrays | {
                "heads": rows.filled(self._heads, NO_ANSWER),
                "labels": rows.filled(self._labels, NO_ANSWER),
                "tags": rows.filled(self._tags, NO_ANSWER),
            }
            key = jax.random.PRNGKey((self.settings.seed * 1_000_003 + now.step) & 0x7FFFFFFF)
            now.parameters, now.average, now.mean, now.square, self.loss = teach(
                self.shape,
                self.dropout,
                self.adamw,
                now.parameters,
                now.average,
                now.mean,
                now.square,
                np.float32(now.step),
                given,
                parts,
                arrays,
                key,
            )
            now.step += 1
            n_done += len(rows.sentences)
            yield n_done
        jax.block_until_ready(self.loss)

    @property
    def n_updates(self) -> int:
        return self.learning.step

    def average(self) -> Parameters:
        return self.learning.average

    def score(self, learned: Parameters) -> dict[str, float]:
        """Nothing: the last epoch is kept, when the rate has fallen to nothing."""
        return {}

    def checksum_data(self) -> dict[str, str]:
        return self.subject.checksums()

    def state(self) -> TrainingState:
        return TrainingState(numbers={"step": self.learning.step}, arrays=self.learning.saved())

    def load_state(self, state: TrainingState) -> None:
        self.learning.restore(int(state.numbers["step"]), state.arrays)
        self.best = self.learning.average

    def teacher(self) -> Teacher:
        """What was learned."""
        if self.best is None:
            raise ValueError("no epoch has been completed: there is no teacher yet")
        found = {name: np.asarray(value) for name, value in self.learning.average.items()}
        return Teacher(self.shape, found)


@partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=(3, 4, 5, 6))
def teach(
    shape: TeacherShape,
    dropout: TeacherDropout,
    adamw: AdamWSettings,
    p: Parameters,
    average: Parameters,
    mean: Parameters,
    square: Parameters,
    step: Any,
    given: Any,
    parts: dict[int, Any],
    arrays: dict[str, Any],
    key: Any,
) -> Any:
    """One step: new parameters, average, mean and square, and the loss."""

    def total(p: Parameters) -> Any:
        return teacher_loss(shape, p, given, parts, arrays, dropout, key)

    loss, gradients = jax.value_and_grad(total)(p)
    return *adamw_step(adamw, p, average, mean, square, gradients, step), loss
