"""Training the task of lemmas alone, beside a network that finds the tags.

It is told the tags of the treebank, which the network comes near to on the words it learns from.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from dodona.core.tagging.tag_training import TagTrainer
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights, pack
from dodona.core.weights.shuffle import shuffle
from dodona.settings import TaggerSettings
from dodona.tagging.lemma_learning import learn_lemmas
from dodona.tagging.spelling import NO_AMBIGUITY
from dodona.tagging.tagger import Answers, Knowledge
from dodona.tagging.tags import keep_tags
from dodona.tagging.training import MARGIN
from dodona.tagging.word_learning import column_of, flatten
from dodona.treebank.sentence import Sentence


@dataclass(frozen=True)
class LemmaTask:
    """The scripts, the dictionary, and the weights for words that are not in it."""

    answers: Answers
    weights: PackedWeights


def train_lemmas(
    sentences: Sequence[Sentence],
    tags: Sequence[Answers],
    gold: Sequence[Sequence[int]],
    settings: TaggerSettings,
) -> LemmaTask:
    """The task of the lemmas of a treebank, after the tasks that answer with `tags`.

    `gold` has the classes of its words, for each of these.
    """
    forms, values = (flatten(column_of(sentences, name)) for name in ("forms", "lemma"))
    lemmas = learn_lemmas(forms, values, gold, settings.certain)
    known = [form.encode() for form in sorted(set(forms))]
    ambiguity = array("I", [NO_AMBIGUITY] * len(known))
    knowledge = Knowledge(known, ambiguity, [*tags, lemmas.in_training])
    columns = [answers.column for answers in knowledge.answers]
    corpus = knowledge.speller().encode(sentences, len(columns))
    for answers in tags:
        meanings = [answers.meanings for answers in knowledge.answers]
        keep_tags(corpus, sentences, columns, meanings, answers.column)
    task, weights = knowledge.tasks()[-1], Weights(lemmas.answers.n_classes)
    trainer = TagTrainer(corpus, task, weights, lemmas.gold, margin=MARGIN, cutoff=settings.cutoff)
    for epoch in range(1, settings.epochs + 1):
        trainer.train(shuffle(len(sentences), settings.seed + (epoch << 32)))
    return LemmaTask(lemmas.answers, pack(weights, trainer.time, least=settings.prune))
