"""Scorers of parsers: what a parser knows about the model that scores its actions.

A `ParserScorer` reads sentences into the form that a search parses, and gives the search its
features and weights. It is linear (here) or a network (`network_scorer`); a `Parser` treats both
alike.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.network.network import Network
from dodona.core.network.slots import Slots
from dodona.core.parsing.greedy import Greedy
from dodona.core.weights.packed import Scorer
from dodona.records import record, replace
from dodona.storage.container import Array
from dodona.storage.said import check_values, said
from dodona.storage.saved import Pieces
from dodona.storage.weights import from_arrays, numbers, to_arrays, to_cluster_arrays
from dodona.tagging.tagger import Tagger
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence


class ParserScorer(Protocol):
    """The model of a parser: features with weights, or slots with a network."""

    templates: str
    encoder: Encoder  # labels, and the vocabularies of the columns that features use

    @property
    def features(self) -> Features | Slots:
        """The features, or slots, of a state."""

    @property
    def weights(self) -> Scorer | Network:
        """The weights, or the network, that score actions."""

    @property
    def greedy(self) -> type[Greedy]:
        """The greedy search for trees that is fastest with this scorer."""

    @property
    def tagger(self) -> Tagger | None:
        """The tagger that goes with the parser, if any."""

    def with_tagger(self, tagger: Tagger | None) -> ParserScorer:
        """Return the scorer with another tagger."""

    def read(
        self, sentences: list[Sentence], keep: Collection[str] | None
    ) -> tuple[list[Sentence], Corpus]:
        """Tag sentences, except for columns in `keep`, and encode them for a search.

        With `keep` None the sentences stay as they are.
        """

    def describe(self) -> dict[str, Any]:
        """Return the facts that `dodona info` shows."""

    def take_apart(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Serialise what is not in the tagger: metadata and arrays."""


@record(repr=False)
class LinearScorer:
    """Features and their packed weights, or support vector machines."""

    templates: str
    encoder: Encoder
    weights: Scorer
    tagger: Tagger | None = None

    greedy = Greedy

    def __post_init__(self) -> None:
        self.features = Features(self.templates)
        if self.features.columns != self.encoder.columns:
            raise ValueError(
                f"templates for the columns {self.features.columns}, not {self.encoder.columns}"
            )

    def with_tagger(self, tagger: Tagger | None) -> LinearScorer:
        return replace(self, tagger=tagger)

    def read(
        self, sentences: list[Sentence], keep: Collection[str] | None
    ) -> tuple[list[Sentence], Corpus]:
        if self.tagger is not None and keep is not None:
            sentences = self.tagger.tag_batch(sentences, keep=keep)
        return sentences, self.encoder.encode(sentences)

    def describe(self) -> dict[str, Any]:
        return {
            "network": None,
            "n_templates": self.features.n_templates,
            "n_features": self.weights.n_rows,
            "weight_bytes": sum(len(array.data) for array in to_arrays(self.weights).values()),
        }

    def take_apart(self) -> tuple[dict[str, Any], dict[str, Array]]:
        arrays = to_arrays(self.weights)
        for name, vocabulary in zip(self.encoder.columns, self.encoder.vocabularies, strict=True):
            arrays[f"vocabulary.{name}"] = Array("U8", b"\n".join(vocabulary.strings()))
        return dict(numbers(self.weights)), arrays | to_cluster_arrays(self.encoder.clusters)

    @classmethod
    def put_together(cls, pieces: Pieces, n_classes: int) -> LinearScorer:
        """Deserialise the scorer of a model file, with its tagger."""
        return cls(
            said(pieces.about, "templates", str),
            read_encoder(pieces),
            from_arrays(n_classes, pieces.about, pieces.arrays),
            pieces.part("tagger", Tagger),
        )


def read_encoder(pieces: Pieces) -> Encoder:
    """Return the encoder of a model file: labels, and vocabularies by column."""
    columns = said(pieces.about, "columns", list[str])
    labels = said(pieces.about, "labels", list[str])
    check_values("deprels", labels)
    texts = [pieces.arrays[f"vocabulary.{name}"].cast("B") for name in columns]
    vocabularies = [Vocabulary.of_lines(text) for text in texts]
    return Encoder(columns, vocabularies, [*map(str.encode, labels)], pieces.clusters)
