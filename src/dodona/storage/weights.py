"""What was learned, and the clusters that it builds on, as the arrays of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dodona.core.search.kernel_machines import KernelMachines
from dodona.core.weights.packed import FeatureScorer, PackedWeights
from dodona.storage.container import Array
from dodona.storage.said import said
from dodona.treebank.encoding.clusters import Clusters

KERNEL_ARRAYS = {
    "machines": "U64",
    "keys": "U64",
    "first_posting": "U32",
    "postings": "U32",
    "coefficients": "F32",
    "intercepts": "F32",
    "classes": "U16",
    "class_of": "U16",
}
CLUSTER_ARRAYS = {"clusters.words": "U8", "clusters.paths": "U8", "clusters.path_of_word": "U32"}


def numbers(weights: FeatureScorer) -> dict[str, float]:
    """What a model says of its weights beside the arrays."""
    if isinstance(weights, KernelMachines):
        return {"gamma": weights.gamma, "coef0": weights.coef0}
    assert isinstance(weights, PackedWeights)
    return {"step": weights.step}


def to_arrays(weights: FeatureScorer) -> dict[str, Array]:
    """The arrays of packed weights or of support vector machines."""
    if isinstance(weights, KernelMachines):
        return {
            f"svm.{name}": Array(type_, bytes(weights.arrays[name]))
            for name, type_ in KERNEL_ARRAYS.items()
        }
    assert isinstance(weights, PackedWeights)
    return to_packed_arrays("weights", weights)


def from_arrays(
    n_classes: int, about: Mapping[str, Any], arrays: Mapping[str, memoryview]
) -> FeatureScorer:
    """The weights that `numbers` and `to_arrays` tell of."""
    if "gamma" in about:
        gamma, coef0 = said(about, "gamma", float), said(about, "coef0", float)
        named = {name: arrays[f"svm.{name}"] for name in KERNEL_ARRAYS}
        return KernelMachines(n_classes, gamma, coef0, named)
    return from_packed_arrays("weights", n_classes, said(about, "step", float), arrays)


def to_packed_arrays(name: str, weights: PackedWeights) -> dict[str, Array]:
    """The arrays of packed weights under this name; their `step` is to be saved beside them."""
    return {
        f"{name}.buckets": Array("U32", weights.buckets_bytes()),
        f"{name}.rows": Array("I8", weights.rows_bytes()),
    }


def from_packed_arrays(
    name: str, n_classes: int, step: float, arrays: Mapping[str, memoryview]
) -> PackedWeights:
    """The weights that `to_packed_arrays` took apart."""
    buckets, rows = (arrays[f"{name}.{part}"].cast("B") for part in ("buckets", "rows"))
    return PackedWeights(n_classes, step, buckets, rows)


def to_cluster_arrays(clusters: Clusters | None) -> dict[str, Array]:
    """The arrays of clusters, if there are any; a parser and its tagger have the same."""
    if clusters is None:
        return {}
    saved = zip(CLUSTER_ARRAYS.items(), clusters.save(), strict=True)
    return {name: Array(type_, data) for (name, type_), data in saved}


def from_cluster_arrays(arrays: Mapping[str, memoryview]) -> Clusters | None:
    """The clusters that `to_cluster_arrays` took apart, if they are there."""
    if CLUSTER_ARRAYS.keys() <= arrays.keys():
        return Clusters.restore(*(arrays[name] for name in CLUSTER_ARRAYS))
    return None
