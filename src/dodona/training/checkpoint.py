"""Checkpoints of training runs, from which a run resumes as if it had never stopped.

All learners share one format: parsers, taggers, segmenters; a run of several parts contains the
checkpoints of its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import FeatureScorer, PackedWeights
from dodona.storage import container
from dodona.storage.container import Array, ContainerError
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import reporting_damage
from dodona.storage.weights import from_arrays, scalar_parameters, to_arrays

ADVICE = "start anew without --resume"
KIND, VERSION = "checkpoint", 4  # 4: nested parts
ARRAYS = {"keys": "U64", "n_cells": "U16", "classes": "U16", "weights": "F32", "totals": "F64"}
TYPES = {"f": "F32", "b": "I8"}  # by buffer format
Arrays = Mapping[str, memoryview]


@dataclass
class TrainingState:
    """What a learner needs beside its data and settings to resume to the same bits."""

    numbers: dict[str, Any] = field(default_factory=dict)  # JSON
    weights: dict[str, Weights] = field(default_factory=dict)  # in training, with averages
    best: dict[str, FeatureScorer] = field(default_factory=dict)  # of the best epoch
    texts: dict[str, bytes] = field(default_factory=dict)
    arrays: dict[str, memoryview] = field(default_factory=dict)  # of a network, float32 or int8

    def weights_of(self, name: str, n_classes: int) -> Weights:
        """Return the weights in training of that name, after checking their classes."""
        found = self.weights[name]
        if found.n_classes != n_classes:
            raise ValueError(f"weights of {found.n_classes} classes, not {n_classes}")
        return found

    def best_of(self, name: str, n_classes: int) -> PackedWeights:
        """Return the packed weights of the best epoch of that name, checking their classes."""
        found = self.best[name]
        if not isinstance(found, PackedWeights) or found.n_classes != n_classes:
            raise ValueError(f"the best {name} has no weights of {n_classes} classes")
        return found


@dataclass
class Checkpoint:
    """The settings, data, epochs and state of a run, and the checkpoints of its parts."""

    part: str
    settings: dict[str, Any]
    checksums: dict[str, str]
    history: list[dict[str, Any]] = field(default_factory=list)
    best_epoch: int = 0
    state: TrainingState = field(default_factory=TrainingState)
    parts: dict[str, Checkpoint] = field(default_factory=dict)
    path: Path = Path()  # for messages

    def save(self, path: Path) -> None:
        """Write the file, replacing an older one."""
        container.write(path, KIND, VERSION, *_serialise(self))

    @classmethod
    def load(cls, path: Path) -> Checkpoint:
        """Read what `save` wrote."""
        about, arrays = container.read(path, KIND, VERSION, VERSION, advice=ADVICE)
        with reporting_damage(path, KIND, ADVICE):
            return _deserialise(path, about, arrays)

    def check(self, part: str, settings: Mapping[str, Any], checksums: Mapping[str, str]) -> None:
        """Refuse other data or settings than those of the run, except for epochs."""
        if part != self.part:
            raise ContainerError(f"{self.path}: the checkpoint of a {self.part}, not of a {part}")
        for name, checksum in checksums.items():
            if checksum != self.checksums.get(name):
                raise ContainerError(
                    f"{self.path}: the {name} data are not those this run began with"
                )
        for name, value in settings.items():
            initial = self.settings.get(name)
            if name != "epochs" and value != initial:
                raise ContainerError(
                    f"{self.path}: this run began with {name}={initial!r}, not {value!r}"
                )


def _serialise(run: Checkpoint) -> tuple[dict[str, Any], dict[str, Array]]:
    state = run.state
    about: dict[str, Any] = {
        "part": run.part,
        "settings": run.settings,
        "checksums": run.checksums,
        "history": run.history,
        "best_epoch": run.best_epoch,
        "numbers": state.numbers,
        "weights": {name: weights.n_classes for name, weights in state.weights.items()},
        "best": {
            name: {"n_classes": best.n_classes, **scalar_parameters(best)}
            for name, best in state.best.items()
        },
        "texts": list(state.texts),
        "parts": {},
    }
    arrays = {f"texts.{name}": Array("U8", text) for name, text in state.texts.items()}
    for name, numbers_ in state.arrays.items():
        arrays[f"arrays.{name}"] = Array(TYPES[numbers_.format], numbers_.cast("B"))
    for name, weights in state.weights.items():
        for (array, type_), data in zip(ARRAYS.items(), weights.save(), strict=True):
            arrays[f"weights.{name}.{array}"] = Array(type_, data)
    for name, best in state.best.items():
        arrays |= _under(f"best.{name}.", to_arrays(best))
    for name, part in run.parts.items():
        about["parts"][name], its_arrays = _serialise(part)
        arrays |= _under(f"parts.{name}.", its_arrays)
    return about, arrays


def _deserialise(path: Path, about: Mapping[str, Any], arrays: Arrays) -> Checkpoint:
    sizes = read_field(about, "weights", dict)
    weights = {}
    for name in sizes:
        found = _within(f"weights.{name}.", arrays)
        n_classes = read_field(sizes, name, int)
        weights[name] = Weights.restore(n_classes, *(found[array] for array in ARRAYS))
    state = TrainingState(
        numbers=read_field(about, "numbers", dict),
        weights=weights,
        best={
            name: from_arrays(
                read_field(entry, "n_classes", int), entry, _within(f"best.{name}.", arrays)
            )
            for name, entry in read_field(about, "best", dict).items()
        },
        texts={
            name: bytes(arrays[f"texts.{name}"]) for name in read_field(about, "texts", list[str])
        },
        arrays=_within("arrays.", arrays),
    )
    parts = {
        name: _deserialise(path, part, _within(f"parts.{name}.", arrays))
        for name, part in read_field(about, "parts", dict).items()
    }
    return Checkpoint(
        part=read_field(about, "part", str),
        settings=read_field(about, "settings", dict),
        checksums=read_field(about, "checksums", dict),
        history=read_field(about, "history", list[dict[str, Any]]),
        best_epoch=read_field(about, "best_epoch", int),
        state=state,
        parts=parts,
        path=path,
    )


def _under(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {prefix + name: array for name, array in arrays.items()}


def _within(prefix: str, arrays: Arrays) -> dict[str, memoryview]:
    return {n.removeprefix(prefix): array for n, array in arrays.items() if n.startswith(prefix)}
