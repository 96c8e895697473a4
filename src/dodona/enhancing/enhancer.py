"""Enhancers: enhanced graphs made from the trees of any parser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dodona.batches import stream
from dodona.core.weights.packed import PackedWeights
from dodona.enhancing.arc_finder import ArcFinder, unknown_labels
from dodona.enhancing.inventory import Inventory
from dodona.enhancing.path_table import PathTable
from dodona.records import field, record
from dodona.storage.container import Array
from dodona.storage.json_fields import check_column_values, read_field
from dodona.storage.serialisable import FileFormat, Payload, Serialisable
from dodona.storage.weights import from_packed_arrays, to_packed_arrays
from dodona.treebank.graphs.graph_decoding import GraphDecoder
from dodona.treebank.sentence import Sentence

MOST_LABELS = 10_000  # of trees: a bound on the size of tables


@record(repr=False)
class Enhancer(Serialisable):
    """Patterns of paths in trees, and a linear model that chooses the arcs along them.

    Made by `train_enhancer`; a part of a parser (`Parser.enhancer`) or a file of its own. `labels`
    are those of the trees it was trained on; others are no obstacle.
    """

    FORMAT = FileFormat("enhancer", version=1, oldest=1, implied=1)

    inventory: Inventory
    labels: list[str]
    weights: PackedWeights
    record: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._compiled: tuple[list[str], PathTable, list[str]] | None = None

    def __repr__(self) -> str:
        return (
            f"<Enhancer of {len(self.inventory.patterns)} patterns, {self.weights.n_rows} weights>"
        )

    def pipe(self, sentences: Iterable[Sentence], *, threads: int = 1) -> Iterator[Sentence]:
        """Add graphs to a stream of sentences with complete trees, in order."""
        return stream(sentences, self.enhance, threads)

    def enhance(self, sentences: list[Sentence]) -> list[Sentence]:
        """Return sentences, which have complete trees, with graphs in their DEPS column.

        Every word of a graph can be reached from the root, and labels are valid in UD.
        """
        table, outputs = self._table_for(sentences)
        corpus = ArcFinder(table, self.weights).find(sentences)
        return GraphDecoder(outputs).decode(corpus, sentences)

    def _table_for(self, sentences: list[Sentence]) -> tuple[PathTable, list[str]]:
        """Return the compiled inventory and its output labels; it is kept for the next call."""
        labels, table, outputs = self._compiled or (self.labels, *self.inventory.table(self.labels))
        if unknown := unknown_labels(table.labels, sentences):
            labels = [*labels, *unknown]
            table, outputs = self.inventory.table(labels)
        self._compiled = labels, table, outputs
        return table, outputs

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        about = self.inventory.to_data() | {"labels": self.labels, "record": self.record}
        about["step"] = self.weights.step
        return about, to_packed_arrays("enhancer", self.weights)

    @classmethod
    def deserialise(cls, payload: Payload) -> Enhancer:
        about = payload.about
        inventory = Inventory.from_data(about)
        labels = read_field(about, "labels", list[str])
        check_column_values("deprels", labels)
        if len({*labels}) < len(labels) or len(labels) > MOST_LABELS:
            raise ValueError("a label of trees is repeated, or there are too many")
        step = read_field(about, "step", float)
        n_classes = len(inventory.classes)
        weights = from_packed_arrays("enhancer", n_classes, step, payload.arrays)
        return cls(inventory, labels, weights, read_field(about, "record", dict))
