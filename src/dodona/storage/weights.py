"""Linear weights, support vector machines and word clusters as arrays of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dodona.core.search.kernel_machines import KernelMachines
from dodona.core.weights.packed import FeatureScorer, PackedWeights
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field
from dodona.treebank.encoding.clusters import Clusters

KERNEL_ARRAYS = {"machines": "U64", "keys": "U64", "first_posting": "U32", "postings": "U32"}
KERNEL_ARRAYS |= {"coefficients": "F32", "intercepts": "F32", "classes": "U16", "class_of": "U16"}
CLUSTER_ARRAYS = {"clusters.words": "U8", "clusters.paths": "U8", "clusters.path_of_word": "U32"}


def scalar_parameters(weights: FeatureScorer) -> dict[str, float]:
    """Return the scalars that are stored in the JSON beside the arrays of the weights."""
    if isinstance(weights, KernelMachines):
        return {"gamma": weights.gamma, "coef0": weights.coef0}
    assert isinstance(weights, PackedWeights)
    return {"step": weights.step}


def to_arrays(weights: FeatureScorer) -> dict[str, Array]:
    """Return the arrays of packed weights or of support vector machines."""
    if isinstance(weights, KernelMachines):
        arrays = weights.arrays
        return {f"svm.{name}": Array(t, bytes(arrays[name])) for name, t in KERNEL_ARRAYS.items()}
    assert isinstance(weights, PackedWeights)
    return to_packed_arrays("weights", weights)


def from_arrays(
    n_classes: int, about: Mapping[str, Any], arrays: Mapping[str, memoryview]
) -> FeatureScorer:
    """Restore weights from their `scalar_parameters` and `to_arrays`."""
    if "gamma" in about:
        gamma, coef0 = read_field(about, "gamma", float), read_field(about, "coef0", float)
        named = {name: arrays[f"svm.{name}"] for name in KERNEL_ARRAYS}
        return KernelMachines(n_classes, gamma, coef0, named)
    return from_packed_arrays("weights", n_classes, read_field(about, "step", float), arrays)


def to_packed_arrays(name: str, weights: PackedWeights) -> dict[str, Array]:
    """Return the arrays of packed weights under this name; the caller stores their `step`."""
    return {
        f"{name}.buckets": Array("U32", weights.buckets_bytes()),
        f"{name}.rows": Array("I8", weights.rows_bytes()),
    }


def from_packed_arrays(
    name: str, n_classes: int, step: float, arrays: Mapping[str, memoryview]
) -> PackedWeights:
    """Restore the weights that `to_packed_arrays` stored."""
    buckets, rows = (arrays[f"{name}.{part}"].cast("B") for part in ("buckets", "rows"))
    return PackedWeights(n_classes, step, buckets, rows)


def to_cluster_arrays(clusters: Clusters | None) -> dict[str, Array]:
    """Return the arrays of the clusters, which a parser and its tagger share."""
    if clusters is None:
        return {}
    saved = zip(CLUSTER_ARRAYS.items(), clusters.save(), strict=True)
    return {name: Array(type_, data) for (name, type_), data in saved}


def from_cluster_arrays(arrays: Mapping[str, memoryview]) -> Clusters | None:
    """Restore the clusters that `to_cluster_arrays` stored; None if there are none."""
    if CLUSTER_ARRAYS.keys() <= arrays.keys():
        return Clusters.restore(*(arrays[name] for name in CLUSTER_ARRAYS))
    return None
