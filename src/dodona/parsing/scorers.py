"""Scorers of parsers: what a parser knows about the model that scores its actions.

A `ParserScorer` reads sentences into the form that a search parses, and gives the search what
scores the actions of a state. It is linear (here) or a network (`network_scorer`); a `Parser`
treats both alike.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from dodona.batches import Sentences
from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.search.scoring import LinearScorer, StateScorer
from dodona.core.weights.packed import FeatureScorer
from dodona.records import record, replace
from dodona.storage.container import Array
from dodona.storage.json_fields import check_column_values, read_field
from dodona.storage.serialisable import Payload
from dodona.storage.weights import from_arrays, scalar_parameters, to_arrays, to_cluster_arrays
from dodona.tagging.tag_classes import TagSignals
from dodona.tagging.tagger import Tagger
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.encoding.vocabulary import Vocabulary


class ParserScorer(Protocol):
    """The model of a parser: features with weights, or slots with a network."""

    templates: str
    encoder: Encoder  # labels, and the vocabularies of the columns that features use

    @property
    def state_scorer(self) -> StateScorer:
        """What a search asks for the scores of a state's actions."""

    @property
    def tagger(self) -> Tagger | None:
        """The tagger that goes with the parser, if any."""

    def with_tagger(self, tagger: Tagger | None) -> ParserScorer:
        """Return the scorer with another tagger."""

    def read(self, sentences: Sentences, keep: Collection[str] | None) -> tuple[Sentences, Corpus]:
        """Tag sentences, except for columns in `keep`, and encode them for a search.

        With `keep` None the sentences stay as they are.
        """

    def read_scored(
        self, sentences: Sentences, keep: Collection[str] | None
    ) -> tuple[Sentences, Corpus, TagSignals | None]:
        """Read sentences as `read` does, and return the signals of their tags, if it tags any."""

    def describe(self) -> dict[str, Any]:
        """Return the facts that `dodona info` shows."""

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Serialise what is not in the tagger: metadata and arrays."""


@record(repr=False)
class LinearParserScorer:
    """Features and their packed weights, or support vector machines."""

    templates: str
    encoder: Encoder
    weights: FeatureScorer
    tagger: Tagger | None = None

    def __post_init__(self) -> None:
        self.features = Features(self.templates)
        if self.features.columns != self.encoder.columns:
            raise ValueError(
                f"templates for the columns {self.features.columns}, not {self.encoder.columns}"
            )
        self.state_scorer = LinearScorer(self.features, self.weights)

    def with_tagger(self, tagger: Tagger | None) -> LinearParserScorer:
        return replace(self, tagger=tagger)

    def read(self, sentences: Sentences, keep: Collection[str] | None) -> tuple[Sentences, Corpus]:
        if self.tagger is not None and keep is not None:
            sentences = self.tagger.tag_batch(sentences, keep=keep)
        return sentences, self.encoder.encode(sentences)

    def read_scored(
        self, sentences: Sentences, keep: Collection[str] | None
    ) -> tuple[Sentences, Corpus, TagSignals | None]:
        if self.tagger is None or keep is None:
            return (*self.read(sentences, keep), None)
        corpus, signals = self.tagger.scorer.read_scored(sentences)
        tagged = self.tagger.tag_corpus(corpus, sentences, keep)
        return tagged, self.encoder.encode(tagged), signals

    def describe(self) -> dict[str, Any]:
        return {
            "network": None,
            "n_templates": self.features.n_templates,
            "n_features": self.weights.n_rows,
            "weight_bytes": sum(len(array.data) for array in to_arrays(self.weights).values()),
        }

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        arrays = to_arrays(self.weights)
        for name, vocabulary in zip(self.encoder.columns, self.encoder.vocabularies, strict=True):
            arrays[f"vocabulary.{name}"] = Array("U8", b"\n".join(vocabulary.strings()))
        return dict(scalar_parameters(self.weights)), arrays | to_cluster_arrays(
            self.encoder.clusters
        )

    @classmethod
    def deserialise(cls, payload: Payload, n_classes: int) -> LinearParserScorer:
        """Deserialise the scorer of a model file, with its tagger."""
        return cls(
            read_field(payload.about, "templates", str),
            read_encoder(payload),
            from_arrays(n_classes, payload.about, payload.arrays),
            payload.part("tagger", Tagger),
        )


def read_encoder(payload: Payload) -> Encoder:
    """Return the encoder of a model file: labels, and vocabularies by column."""
    columns = read_field(payload.about, "columns", list[str])
    labels = read_field(payload.about, "labels", list[str])
    check_column_values("deprels", labels)
    texts = [payload.arrays[f"vocabulary.{name}"].cast("B") for name in columns]
    vocabularies = [Vocabulary.of_lines(text) for text in texts]
    return Encoder(columns, vocabularies, [*map(str.encode, labels)], payload.clusters)
