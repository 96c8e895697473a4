"""Random networks, as models have them."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from random import Random
from typing import Any

Arrays = dict[str, "array[Any]"]


@dataclass(frozen=True)
class Shape:
    """How large a network is."""

    width: int = 32
    layers: int = 2
    hidden: int = 16
    slots: int = 3
    classes: int = 5
    fields: tuple[int, ...] = (8, 4)
    tags: tuple[int, ...] = (3, 17)
    back: tuple[int, ...] = (1,)
    atoms: tuple[int, ...] = (4,)
    n_rows: int = 11  # of each field's table

    def about(self) -> dict[str, Any]:
        """As a model says it."""
        names = ("width", "layers", "hidden", "slots", "classes")
        lists = ("fields", "tags", "back", "atoms")
        return {
            **{name: getattr(self, name) for name in names},
            **{name: list(getattr(self, name)) for name in lists},
        }

    def matrices(self) -> dict[str, tuple[int, int, bool]]:
        """Rows and columns of each matrix that may be int8, and whether it has a bias."""
        d = self.width
        found = {f"word.{i}": (self.n_rows, width, False) for i, width in enumerate(self.fields)}
        found["word.maxout"] = (3 * d, sum(self.fields), True)
        for i in range(self.layers):
            found[f"layer.{i}.in"] = (3 * d, d, True)
            found[f"layer.{i}.out"] = (d, d, True)
        for i, n_tags in enumerate(self.tags):
            found[f"tag.{i}"] = (n_tags, d, True)
            if i in self.back:
                found[f"tag.{i}.back"] = (d, n_tags, False)
        found["slot"] = (self.slots * self.hidden, d, False)
        found["class"] = (self.classes, self.hidden, True)
        return found

    def tables(self) -> dict[str, tuple[int, int]]:
        """Rows and columns of what is always float32."""
        found = dict.fromkeys(("slot.missing", "slot.root"), (self.slots, self.hidden))
        found |= {f"atom.{i}": (n, self.hidden) for i, n in enumerate(self.atoms)}
        found |= {f"layer.{i}.conv": (3, self.width) for i in range(self.layers)}
        return found | {"hidden.bias": (1, self.hidden)}


def random_arrays(shape: Shape, random: Random, *, int8: bool, scale: float = 1.0) -> Arrays:
    """Weights of the size that training gives them, times a scale."""
    arrays: Arrays = {}

    def floats(n: int, spread: float) -> array[float]:
        return array("f", [random.gauss(0, spread * scale) for _ in range(n)])

    for name, (n_rows, width, has_bias) in shape.matrices().items():
        if int8:
            arrays[name] = array("b", [random.randint(-127, 127) for _ in range(n_rows * width)])
            largest = 2 * scale / width**0.5
            scales = [random.uniform(0, 2 * largest) / 127 for _ in range(n_rows)]
            arrays[f"{name}.scale"] = array("f", scales)
        else:
            arrays[name] = floats(n_rows * width, width**-0.5)
        if has_bias:
            arrays[f"{name}.bias"] = floats(n_rows, 0.3)
    for name, (n_rows, width) in shape.tables().items():
        arrays[name] = floats(n_rows * width, 1.0)
    return arrays


def spellings(shape: Shape, random: Random, n_types: int) -> list[list[list[int]]]:
    """Word types: one row of most fields, any number of the last, none among them."""
    return [
        [
            [
                random.randrange(shape.n_rows)
                for _ in range(random.randint(0, 4) if i == len(shape.fields) - 1 else 1)
            ]
            for i in range(len(shape.fields))
        ]
        for _ in range(n_types)
    ]


def as_lists(types: list[list[list[int]]]) -> tuple[array[int], array[int]]:
    """Their rows one after the other, and where the list of each field begins."""
    rows, starts = array("i"), array("i", [0])
    for fields in types:
        for field in fields:
            rows.extend(field)
            starts.append(len(rows))
    return rows, starts
