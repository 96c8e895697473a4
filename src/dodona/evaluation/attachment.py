"""How many words have the right head, and label too, where nothing else is asked."""

from __future__ import annotations

from collections.abc import Sequence

from dodona.evaluation.counts import Attachment
from dodona.evaluation.pairs import pair
from dodona.evaluation.parsed import Parsed
from dodona.evaluation.tally import is_right


def count_attachment(gold: Sequence[Parsed], system: Sequence[Parsed]) -> Attachment:
    """What `evaluate` would count, punctuation included, without the rest of its work.

    >>> from types import SimpleNamespace as Sentence
    >>> words = dict(forms=["Oaks", "speak"], upos=["NOUN", "VERB"])
    >>> gold = Sentence(**words, heads=[2, None], deprels=["nsubj", "_"])
    >>> count_attachment([gold], [Sentence(**words, heads=[2, 0], deprels=["obj", "root"])])
    Attachment(n_words=1, n_attached=1, n_labelled=0)
    """
    n_words = n_attached = n_labelled = 0
    for expected, found, words in pair(gold, system, punctuation=True):
        heads, labels = expected.heads, expected.deprels
        guesses, guessed_labels = found.heads, found.deprels
        attached = [i for i in words if guesses[i] == heads[i]]
        n_words += len(words)
        n_attached += len(attached)
        n_labelled += sum(is_right(labels[i], guessed_labels[i]) for i in attached)
    return Attachment(n_words, n_attached, n_labelled)
