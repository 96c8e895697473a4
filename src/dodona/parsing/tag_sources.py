"""Sources of tags for a parser in training: the treebank, or a tagger.

A parser that has only seen gold tags relies on them too much. Either a tagger is trained at the
same time, and the parser sees what it has just predicted for a sentence (Honnibal & Johnson 2015,
section 4), or each fold of the data is tagged by a tagger of the others (jackknifing, as in
Goldberg & Nivre 2012). Both put a tagger into the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dodona.core.weights.packed import PackedWeights
from dodona.settings import Settings, TaggerSettings
from dodona.tagging.tagger import Tagger
from dodona.tagging.tagger_training import TaggerTrainer
from dodona.training.treebanks import jackknife
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.sentence import Sentence

FOLD_EPOCHS = 5  # of jackknife taggers


@dataclass(frozen=True)
class TagSource:
    """The sentences as a parser sees them, and a tagger: in training, ready, or none."""

    sentences: list[Sentence]
    trainer: TaggerTrainer | None = None
    ready: Tagger | None = None

    def tagger(self, weights: Sequence[PackedWeights] = ()) -> Tagger | None:
        """Return the tagger of the model at present; one in training gets these weights."""
        return self.ready if self.trainer is None else self.trainer.snapshot(weights)


def tag_source(
    sentences: list[Sentence],
    settings: Settings,
    clusters: Clusters | None = None,
    tagger: Tagger | None = None,
) -> TagSource:
    """Return the source that the settings choose, or that of a given tagger.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], upos=["NOUN", "VERB"])
    >>> tag_source([oaks], Settings(epochs=1)).sentences[0].upos
    ['NOUN', 'VERB']
    """
    if tagger is not None:
        return TagSource([*tagger.tag_batch(sentences)], ready=tagger)
    chosen = TaggerSettings(
        seed=settings.seed,
        epochs=settings.epochs,
        clusters=settings.linear.clusters,
        prune=settings.linear.tagger_prune,
    )
    if settings.n_folds:  # depends only on data and settings: checkpoints do not contain it
        tagged = jackknife_tags(sentences, settings.n_folds, chosen, clusters)
        final = replace(chosen, epochs=TaggerSettings.epochs)
        trainer = TaggerTrainer(sentences, None, final, clusters)
        return TagSource(tagged, ready=trainer.complete().snapshot())
    if settings.tags == "predicted":
        return TagSource(sentences, TaggerTrainer(sentences, None, chosen, clusters))
    return TagSource(sentences)


def jackknife_tags(
    sentences: Sequence[Sentence],
    n_folds: int,
    settings: TaggerSettings,
    clusters: Clusters | None = None,
) -> list[Sentence]:
    """Return the sentences with tags from taggers that have not seen them."""
    short = replace(settings, epochs=FOLD_EPOCHS)

    def tag(others: list[Sentence], fold: list[Sentence]) -> list[Sentence]:
        tagger = TaggerTrainer(others, None, short, clusters).complete().snapshot()
        return [*tagger.tag_batch(fold)]

    return jackknife(sentences, n_folds, tag)
