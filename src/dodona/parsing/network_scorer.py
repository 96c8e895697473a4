"""The neural scorer of parsers: slots of a state, and the network that also tags the words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.core.network.network import Network
from dodona.core.network.slots import Slots
from dodona.core.parsing.neural_greedy import NeuralGreedy
from dodona.parsing.scorers import read_encoder
from dodona.records import record
from dodona.storage.container import Array
from dodona.storage.said import said
from dodona.storage.saved import Pieces
from dodona.tagging.network_tagger import NetworkTagger
from dodona.tagging.tagger import Tagger
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence


@record(repr=False)
class NetworkScorer:
    """Slots, and a network that reads words once for the tagger and the parser."""

    templates: str
    encoder: Encoder  # labels only: the network reads words by itself
    tagger: NetworkTagger

    greedy = NeuralGreedy

    def __post_init__(self) -> None:
        self.features = Slots(self.templates)

    @property
    def weights(self) -> Network:
        """The network, which is saved with the tagger."""
        return self.tagger.scorer.network

    def with_tagger(self, tagger: Tagger | None) -> NetworkScorer:
        """Return the scorer itself if the tagger is its own; refuse any other."""
        if tagger is None or tagger.scorer.take_apart() != self.tagger.scorer.take_apart():
            raise ValueError("a parser with a network tags by itself: it takes no other tagger")
        return self

    def read(
        self, sentences: list[Sentence], keep: Collection[str] | None
    ) -> tuple[list[Sentence], Corpus]:
        """Run the network on sentences, and tag them except for columns in `keep`."""
        corpus = self.tagger.scorer.read(sentences)
        if keep is not None:
            sentences = self.tagger.tag_corpus(corpus, sentences, keep)
        return sentences, corpus

    def describe(self) -> dict[str, Any]:
        arrays = self.tagger.scorer.arrays.values()
        return {
            "network": self.tagger.scorer.about,
            "n_numbers": sum(map(len, arrays)),
            "weight_bytes": sum(numbers.nbytes for numbers in arrays),
            "n_templates": None,
            "n_features": None,
        }

    def take_apart(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Serialise nothing: the network goes into the file with the tagger."""
        return {}, {}

    @classmethod
    def put_together(cls, pieces: Pieces) -> NetworkScorer:
        """Deserialise the scorer of a model file that has a part "network"."""
        tagger = pieces.part("network", NetworkTagger)
        assert tagger is not None  # the caller has looked for the part
        return cls(said(pieces.about, "templates", str), read_encoder(pieces), tagger)
