"""The neural scorer of parsers: slots of a state, and the network that also tags the words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dodona.batches import Sentences
from dodona.core.features.corpus import Corpus
from dodona.core.network.network import Network
from dodona.core.network.slots import Slots
from dodona.core.search.scoring import NeuralScorer
from dodona.parsing.scorers import read_encoder
from dodona.records import record, replace
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import Payload
from dodona.tagging.network_tagger import NetworkTagger
from dodona.tagging.tag_classes import TagSignals
from dodona.tagging.tagger import Tagger
from dodona.treebank.encoding.encoding import Encoder


@record(repr=False)
class NetworkParserScorer:
    """Slots, and a network that reads words once for the tagger and the parser."""

    templates: str
    encoder: Encoder  # labels only: the network reads words by itself
    tagger: NetworkTagger

    def __post_init__(self) -> None:
        self.features = Slots(self.templates)
        self.state_scorer = NeuralScorer(self.features, self.weights)

    @property
    def weights(self) -> Network:
        """The network, which is saved with the tagger."""
        return self.tagger.scorer.network

    def with_tagger(self, tagger: Tagger | None) -> NetworkParserScorer:
        """Return the scorer with its own tagger, which may have other rules; refuse any other."""
        if isinstance(tagger, NetworkTagger) and tagger.scorer is self.tagger.scorer:
            return replace(self, tagger=tagger)
        if tagger is None or tagger.scorer.serialise() != self.tagger.scorer.serialise():
            raise ValueError("a parser with a network tags by itself: it takes no other tagger")
        return self

    def read(self, sentences: Sentences, keep: Collection[str] | None) -> tuple[Sentences, Corpus]:
        """Run the network on sentences, and tag them except for columns in `keep`."""
        corpus = self.tagger.scorer.read(sentences)
        if keep is not None:
            sentences = self.tagger.tag_corpus(corpus, sentences, keep)
        return sentences, corpus

    def read_scored(
        self, sentences: Sentences, keep: Collection[str] | None
    ) -> tuple[Sentences, Corpus, TagSignals | None]:
        if keep is None:
            return (*self.read(sentences, keep), None)
        corpus, signals = self.tagger.scorer.read_scored(sentences)
        return self.tagger.tag_corpus(corpus, sentences, keep), corpus, signals

    def describe(self) -> dict[str, Any]:
        arrays = self.tagger.scorer.arrays.values()
        return {
            "network": self.tagger.scorer.about,
            "n_numbers": sum(map(len, arrays)),
            "weight_bytes": sum(numbers.nbytes for numbers in arrays),
            "n_templates": None,
            "n_features": None,
        }

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Serialise nothing: the network goes into the file with the tagger."""
        return {}, {}

    @classmethod
    def deserialise(cls, payload: Payload) -> NetworkParserScorer:
        """Deserialise the scorer of a model file that has a part "network"."""
        tagger = payload.part("network", NetworkTagger)
        assert tagger is not None  # the caller has looked for the part
        return cls(read_field(payload.about, "templates", str), read_encoder(payload), tagger)
