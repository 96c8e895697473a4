"""Training the task of lemmas for a network, which finds the tags.

Beside it a whole tagger is trained, and then left: a task that learns from what other tasks predict
finds more lemmas than one that learns from the treebank's tags (hu 93.4 and 93.0, ko 87.2 and 86.2,
ta 89.3 and 88.6).
"""

from __future__ import annotations

from collections.abc import Mapping

from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.weights.packed import PackedWeights
from dodona.tagging.tagger import Answers
from dodona.tagging.training import TaggerTrainer


class LemmaTrainer(TaggerTrainer):
    """Trains a tagger of which only the lemmas are wanted."""

    part = "lemmas"

    def rate(self, scores: Mapping[str, float]) -> float:
        return scores[LEMMA]

    @property
    def answers(self) -> Answers:
        """The scripts, and the dictionary."""
        return self.knowledge.answers[-1]

    @property
    def weights(self) -> PackedWeights:
        """Those of the best epoch, for words that are not in the dictionary."""
        if self.best is None:
            raise ValueError("no epoch has been completed: there are no lemmas yet")
        return self.best[-1]
