"""A training run on disk: enough to go on from it as if it had never stopped."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights
from dodona.storage import container
from dodona.storage.container import Array

KIND, VERSION = "checkpoint", 3  # 2: other feature keys, and a tagger; 3: its lemmas
ARRAYS = {
    "keys": "U64",
    "n_cells": "U16",
    "classes": "U16",
    "weights": "F32",
    "totals": "F64",
}


@dataclass
class TaggerState:
    """A tagger that learns along: for each task its weights, how many words and updates it saw."""

    weights: list[Weights]
    times: list[tuple[float, int]]


@dataclass
class Checkpoint:
    """The weights with their averages, the random state, and the best parser so far."""

    settings: dict[str, Any]
    checksums: dict[str, str]
    history: list[dict[str, Any]]
    best_epoch: int
    state: tuple[int, float]
    weights: Weights
    best: PackedWeights | None
    tagger: TaggerState | None = None
    best_tagger: list[PackedWeights] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write the file, in place of an older one."""
        about = {
            "settings": self.settings,
            "checksums": self.checksums,
            "history": self.history,
            "best_epoch": self.best_epoch,
            "n_classes": self.weights.n_classes,
            "random": str(self.state[0]),  # 64 bits: more than a JSON number holds everywhere
            "time": self.state[1],
            "step": self.best.step if self.best else 0,
            "tagger_times": self.tagger.times if self.tagger else [],
            "tagger_classes": [w.n_classes for w in self.tagger.weights] if self.tagger else [],
            "tagger_steps": [weights.step for weights in self.best_tagger],
        }
        arrays = _saved(self.weights, "")
        for i, weights in enumerate(self.tagger.weights if self.tagger else []):
            arrays |= _saved(weights, f"tagger.{i}.")
        for i, best in enumerate(self.best_tagger):
            arrays[f"tagger.{i}.buckets"] = Array("U32", best.buckets_bytes())
            arrays[f"tagger.{i}.rows"] = Array("I8", best.rows_bytes())
        if self.best:
            arrays["best.buckets"] = Array("U32", self.best.buckets_bytes())
            arrays["best.rows"] = Array("I8", self.best.rows_bytes())
        container.write(path, KIND, VERSION, about, arrays)

    @classmethod
    def load(cls, path: Path, settings: dict[str, Any], checksums: dict[str, str]) -> Checkpoint:
        """Read what `save` wrote, if the run began with these settings and data."""
        about, arrays = container.read(path, KIND, VERSION, oldest=VERSION)
        _check(path, about, settings, checksums)
        n_classes = about["n_classes"]
        best = None
        if "best.buckets" in arrays:
            # copies: the next checkpoint replaces the file, which Windows forbids while mapped
            buckets, rows = bytes(arrays["best.buckets"]), bytes(arrays["best.rows"])
            best = PackedWeights(n_classes, about["step"], buckets, rows)
        return cls(
            settings=about["settings"],
            checksums=about["checksums"],
            history=about["history"],
            best_epoch=about["best_epoch"],
            state=(int(about["random"]), about["time"]),
            weights=Weights.restore(n_classes, *(arrays[name] for name in ARRAYS)),
            best=best,
            tagger=_restored_tagger(about, arrays),
            best_tagger=[
                PackedWeights(
                    about["tagger_classes"][i],
                    step,
                    bytes(arrays[f"tagger.{i}.buckets"]),
                    bytes(arrays[f"tagger.{i}.rows"]),
                )
                for i, step in enumerate(about["tagger_steps"])
            ],
        )


def _saved(weights: Weights, prefix: str) -> dict[str, Array]:
    parts = zip(ARRAYS.items(), weights.save(), strict=True)
    return {prefix + name: Array(type_, data) for (name, type_), data in parts}


def _restored_tagger(about: dict[str, Any], arrays: dict[str, memoryview]) -> TaggerState | None:
    if not about["tagger_classes"]:
        return None
    weights = [
        Weights.restore(n_classes, *(arrays[f"tagger.{i}.{name}"] for name in ARRAYS))
        for i, n_classes in enumerate(about["tagger_classes"])
    ]
    return TaggerState(weights, [(time, n) for time, n in about["tagger_times"]])


def _check(
    path: Path, about: dict[str, Any], settings: dict[str, Any], checksums: dict[str, str]
) -> None:
    """Refuse to go on with other data or other settings than the run began with."""
    for name, checksum in checksums.items():
        if checksum != about["checksums"][name]:
            raise ValueError(f"{path}: the {name} data are not those this run began with")
    for name, value in settings.items():
        if name != "epochs" and value != about["settings"][name]:
            began = about["settings"][name]
            raise ValueError(f"{path}: this run began with {name}={began!r}, not {value!r}")
