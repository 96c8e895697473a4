"""Export of trained networks to the arrays that `core/network` reads.

Gains of norms are folded into the matrices behind them, and tag heads with parts become plain ones.
In int8, every row of a matrix has its own scale, by which its largest number is 127.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dodona.errors import DodonaError
from dodona.training.neural.network import Numbers, Parameters, Shape

LARGEST = 127
MOST = 127.0  # largest value that the core accepts
INT8, FLOAT32 = "int8", "float32"
PRECISIONS = INT8, FLOAT32


class DivergedError(DodonaError, ArithmeticError):
    """A network whose numbers have become infinite, or no numbers."""


def describe(shape: Shape, atoms: Sequence[int], n_classes: int) -> dict[str, Any]:
    """Return the sizes of a network for `Network`."""
    return {
        "width": shape.width,
        "layers": shape.layers,
        "hidden": shape.hidden,
        "slots": shape.n_slots,
        "classes": n_classes,
        "fields": list(shape.field_widths),
        "tags": list(shape.tag_sizes),
        "back": list(shape.fed_back),
        "atoms": list(atoms),
    }


def fold(
    shape: Shape,
    parameters: Parameters,
    parts: Mapping[int, Numbers],
    atoms: Sequence[int],
    n_classes: int,
) -> dict[str, Numbers]:
    """Return the arrays of a network for parsing, in float32."""
    p = {name: np.asarray(value, np.float32) for name, value in parameters.items()}
    d, gain = shape.width, p["gain"]
    found = {f"word.{i}": p[f"word.{i}"] for i in range(len(shape.table_sizes))}
    found |= {name: p[name] for name in ("word.maxout", "word.maxout.bias", "hidden.bias")}
    for i in range(shape.layers):
        name = f"layer.{i}"
        found[f"{name}.conv"] = p[f"{name}.conv"] * p[f"{name}.gain"]
        for part in ("in", "out", "out.bias"):
            found[f"{name}.{part}"] = p[f"{name}.{part}"]
        found[f"{name}.in.bias"] = p[f"{name}.in.bias"].copy()
        found[f"{name}.in.bias"][d : 2 * d] += 1  # bias of the forget gate
    for i in range(len(shape.tag_sizes)):
        own = p[f"tag.{i}"]
        whole = own if i not in parts else own + parts[i] @ p[f"tag.{i}.parts"]
        found[f"tag.{i}"] = whole * gain
        found[f"tag.{i}.bias"] = p[f"tag.{i}.bias"]
    for i in shape.fed_back:
        back = p[f"tag.{i}.back"] / gain[:, None]
        found[f"tag.{i}.back"] = np.clip(back, -MOST, MOST)  # for gains close to 0
    found["slot"] = p["slot"] * gain
    for name in ("missing", "root"):
        found[f"slot.{name}"] = (p["slot"] @ p[name]).reshape(shape.n_slots, shape.hidden)
    ends = np.cumsum([0, *atoms])
    for i, (begin, end) in enumerate(pairwise(ends)):
        found[f"atom.{i}"] = p["atom"][begin:end]
    found["class"], found["class.bias"] = p["class"][:n_classes], p["class.bias"][:n_classes]
    return found


def require_finite(folded: Mapping[str, Numbers]) -> None:
    """Raise DivergedError if an array has numbers that are not finite.

    >>> require_finite({"class": np.array([1.0, np.nan])})
    Traceback (most recent call last):
    dodona.training.neural.export.DivergedError: training diverged: class is not finite; repeat ...
    """
    for name, values in folded.items():
        if not np.isfinite(values).all():
            raise DivergedError(
                f"training diverged: {name} is not finite; repeat the command (--resume goes on "
                "from the last epoch that was saved), or lower --learning-rate"
            )


def is_quantised(name: str) -> bool:
    """Return whether an array is saved as int8: tables and matrices are."""
    is_matrix = not name.endswith((".bias", ".conv"))
    return is_matrix and not name.startswith(("slot.", "atom.", "hidden."))


def quantise(matrix: Numbers) -> tuple[Numbers, Numbers]:
    """Return a matrix as int8, and the scale of each row."""
    scale = np.abs(matrix).max(axis=1) / LARGEST
    safe = np.where(scale > 0, scale, 1)
    return np.rint(matrix / safe[:, None]).astype(np.int8), scale.astype(np.float32)


def to_arrays(folded: Mapping[str, Numbers], precision: str) -> dict[str, memoryview]:
    """Return the arrays of a model in the given precision."""
    arrays: dict[str, Numbers] = {}
    for name, values in folded.items():
        if precision == INT8 and is_quantised(name):
            arrays[name], arrays[f"{name}.scale"] = quantise(values)
        else:
            arrays[name] = np.asarray(values, np.float32)
    return {name: memoryview(np.ascontiguousarray(x).ravel()) for name, x in arrays.items()}
