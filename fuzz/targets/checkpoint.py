"""Checkpoints, as recipes: training goes on from them or says why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dodona
from dodona.storage import container
from dodona.storage.container import Array
from dodona.training.checkpoint import KIND, VERSION
from fuzz import samples
from fuzz.mutation import BLIND, change_lines
from fuzz.recipe_mutation import RecipeMutator
from fuzz.recipes import Whole, cook, name_sample
from fuzz.scratch import on_disk
from fuzz.target import Target, promise

TYPES = {code: name for name, code in container.FORMATS.items()}

# training of each kind, but for where it begins and how long it takes
RUNS: dict[str, Callable[..., Any]] = {
    "parser": partial(samples.train, samples.few, system="arc-eager"),
    "swap": partial(samples.train, samples.few, system="swap"),
    "beam": partial(samples.train, samples.few, system="arc-standard", beam=2),
    "pipeline": partial(samples.train, samples.few, pipeline="text", tags="predicted"),
    "tagger": lambda **how: dodona.train_tagger(samples.few(), cutoff=1, **how),
    "segmenter": lambda **how: dodona.train_segmenter(samples.few(), cutoff=1, **how),
}


@cache
def whole(name: str) -> Whole:
    """The checkpoint after the first epoch."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "checkpoint")
        RUNS[name](epochs=1, checkpoint=path)
        about, mapped = container.from_bytes(path.read_bytes(), KIND, VERSION)
    arrays = {
        key: Array(TYPES[array.format], bytes(array.cast("B"))) for key, array in mapped.items()
    }
    return Whole(KIND, VERSION, json.loads(json.dumps(about)), arrays)


def run(data: bytes) -> object:
    """Go on for one epoch more, and save what was learned."""
    name = name_sample(data, list(RUNS))
    learned = RUNS[name](epochs=2, resume=on_disk(cook(whole(name).copy(), data)))
    promise(len(type(learned).from_bytes(learned.to_bytes()).record) > 0, "the model is one")
    return name


TARGET = Target(
    run=run,
    refuses=(ValueError,),
    mutators=[*[RecipeMutator(whole, list(RUNS))] * 30, *BLIND, change_lines],
    longest=3000,
    seeds=lambda: [name.encode() for name in RUNS],
)
