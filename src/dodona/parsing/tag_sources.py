"""Sources of tags for a parser in training: the treebank, or a tagger.

A parser that has only seen gold tags relies on them too much. Either a tagger is trained at the
same time, and the parser sees what it has just predicted for a sentence (Honnibal & Johnson 2015,
section 4), or each fold of the data is tagged by a tagger of the others (jackknifing, as in
Goldberg & Nivre 2012). Both put a tagger into the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dodona.core.weights.packed import PackedWeights
from dodona.settings import Settings, TaggerSettings
from dodona.tagging.tagger import Tagger
from dodona.tagging.tagger_training import TaggerTrainer
from dodona.training.jackknife import jackknife
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.sentence import Sentence

FOLD_EPOCHS = 5  # of jackknife taggers


class GoldTags:
    """The tags of the treebank; no tagger."""

    trainer: TaggerTrainer | None = None  # of a tagger that is trained with the parser

    def __init__(
        self, sentences: list[Sentence], settings: Settings, clusters: Clusters | None = None
    ) -> None:
        self.sentences = sentences

    def learn(self, sentence: int) -> Sentence:
        """Return the sentence with the tags that the parser learns from."""
        return self.sentences[sentence]

    def tagger(self, weights: Sequence[PackedWeights] = ()) -> Tagger | None:
        """Return the tagger of the model at present; one in training gets these weights."""
        return None


class OnlineTags(GoldTags):
    """The predictions of a tagger that is trained with the parser."""

    trainer: TaggerTrainer

    def __init__(
        self, sentences: list[Sentence], settings: Settings, clusters: Clusters | None = None
    ) -> None:
        super().__init__(sentences, settings)
        self.trainer = TaggerTrainer(sentences, None, tagger_settings(settings), clusters)

    def learn(self, sentence: int) -> Sentence:
        self.trainer.learn(sentence)
        return self.trainer.read_tags(sentence)

    def tagger(self, weights: Sequence[PackedWeights] = ()) -> Tagger:
        return self.trainer.snapshot(weights)


class ReadyTags(GoldTags):
    """The predictions of a tagger that was trained before."""

    def __init__(self, sentences: list[Sentence], tagger: Tagger) -> None:
        self.sentences = tagger.tag_batch(sentences)
        self._tagger = tagger

    def tagger(self, weights: Sequence[PackedWeights] = ()) -> Tagger:
        return self._tagger


class JackknifedTags(GoldTags):
    """The predictions of a tagger of the other folds; the model's tagger learns from all of them.

    All of this depends only on data and settings: a checkpoint does not contain it.
    """

    def __init__(
        self, sentences: list[Sentence], settings: Settings, clusters: Clusters | None = None
    ) -> None:
        chosen = tagger_settings(settings)
        super().__init__(jackknife_tags(sentences, settings.n_folds, chosen, clusters), settings)
        final = replace(chosen, epochs=TaggerSettings.epochs)
        self._tagger = TaggerTrainer(sentences, None, final, clusters).complete().snapshot()

    def tagger(self, weights: Sequence[PackedWeights] = ()) -> Tagger:
        return self._tagger


def tag_source(
    sentences: list[Sentence],
    settings: Settings,
    clusters: Clusters | None = None,
    tagger: Tagger | None = None,
) -> GoldTags:
    """Return the source that the settings choose, or that of a given tagger.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], upos=["NOUN", "VERB"])
    >>> tag_source([oaks], Settings()).learn(0).upos
    ['NOUN', 'VERB']
    """
    if tagger is not None:
        return ReadyTags(sentences, tagger)
    if settings.n_folds:
        return JackknifedTags(sentences, settings, clusters)
    kind = OnlineTags if settings.tags == "predicted" else GoldTags
    return kind(sentences, settings, clusters)


def tagger_settings(settings: Settings) -> TaggerSettings:
    """Return the settings of the tagger in a parser."""
    return TaggerSettings(
        seed=settings.seed,
        epochs=settings.epochs,
        clusters=settings.clusters,
        prune=settings.tagger_prune,
    )


def jackknife_tags(
    sentences: Sequence[Sentence],
    n_folds: int,
    settings: TaggerSettings,
    clusters: Clusters | None = None,
) -> list[Sentence]:
    """Return the sentences with tags from taggers that have not seen them."""
    short = replace(settings, epochs=FOLD_EPOCHS)

    def tag(others: list[Sentence], fold: list[Sentence]) -> list[Sentence]:
        return TaggerTrainer(others, None, short, clusters).complete().snapshot().tag_batch(fold)

    return jackknife(sentences, n_folds, tag)
