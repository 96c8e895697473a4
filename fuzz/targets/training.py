"""Settings as callers pass them, of any type: what training accepts survives `save` and `load`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import dodona
from dodona.records import flat_fields
from dodona.settings import LINEAR, SegmenterSettings, Settings, TaggerSettings
from dodona.storage.json_fields import read_settings
from fuzz import samples
from fuzz.json_mutation import deep, json_values
from fuzz.mutation import BLIND
from fuzz.target import Target, promise

KINDS: dict[str, Any] = {
    "parser": Settings,
    "tagger": TaggerSettings,
    "segmenter": SegmenterSettings,
}
# {"numpy": "int8", "value": 3} in an input stands for a scalar of NumPy
SCALARS: dict[str, Any] = {
    name: getattr(np, name) for name in ("int8", "int64", "uint16", "float32", "float64", "bool_")
} | {"str_": np.str_, "array": np.array}
NAMES = [setting.name for kind in KINDS.values() for setting in flat_fields(kind)]
CHOICES = [
    choice
    for kind in KINDS.values()
    for setting in flat_fields(kind)
    for choice in setting.metadata["choices"] or ()
]
ODD = [{"numpy": name, "value": value} for name in SCALARS for value in (1, 2, 0.5, "swap")]


def run(data: bytes) -> object:
    """Make settings of the values; train, save and load with them, where that takes a moment."""
    try:
        given = json.loads(data)
    except RecursionError:
        raise ValueError("JSON that Python does not descend") from None
    if not isinstance(given, dict) or str(given.get("trainer")) not in KINDS:
        raise ValueError("expected an object with a trainer")
    kind = KINDS[str(given.pop("trainer"))]
    if unknown := given.keys() - {setting.name for setting in flat_fields(kind)}:
        raise ValueError(f"no setting {min(unknown)!r}")  # a TypeError of the constructor
    chosen = kind(**{name: _plain(value) for name, value in given.items()})
    flat = chosen.flat() if kind is Settings else vars(chosen)
    saved = json.loads(json.dumps({"settings": flat}, allow_nan=False))
    promise(read_settings(saved, kind) == chosen, "settings are the same after JSON")
    if kind is not Settings:
        return kind.__name__, *sorted(given)[:3]
    learner = chosen.linear.learner
    if chosen.scorer == LINEAR and learner in ("perceptron", "pa") and chosen.search.beam <= 8:
        parser = dodona.train(samples.few(), **chosen.flat() | {"epochs": 1})
        again = dodona.Parser.from_bytes(parser.to_bytes())
        promise(again.settings == parser.settings, "settings are the same after saving")
        trees = [[*map(bytes, each.pipe(samples.few()))] for each in (parser, again)]
        promise(trees[0] == trees[1], "trees are the same after saving")
    return chosen.system, chosen.graph, chosen.search.beam > 1, *sorted(given)[:3]


def _plain(value: Any) -> Any:
    """Return a value of the input, as the scalar of NumPy that it may stand for."""
    match value:
        case {"numpy": str(name), "value": inner} if name in SCALARS:
            try:
                return SCALARS[name](inner)
            except (TypeError, OverflowError) as error:
                raise ValueError(f"no {name}: {error}") from None
    return value


def _whole(data: bytes) -> tuple[bytes, bytes]:
    return b"", data


TARGET = Target(
    run=run,
    refuses=(ValueError, OSError),  # OSError: no such file
    mutators=[
        *BLIND,
        *[json_values(*NAMES, *CHOICES, *ODD, part=_whole)] * 6,
        deep(_whole),
    ],
    longest=600,
)
