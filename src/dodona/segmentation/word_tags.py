"""Grammatical classes of words, learned from the tags of a treebank.

The class of a word is its most frequent UPOS with FEATS. Features of sentence ends read it
(`core/segmenting/context_features`); a treebank without tags gives none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from dodona.core.segmenting.lexicon_index import VERB
from dodona.core.segmenting.text_words import simple_words
from dodona.segmentation.sentence_writer import code_points
from dodona.treebank.sentence import Sentence
from dodona.treebank.tokens import tokens

VERBS = ("VERB", "AUX")
LEAST = 2  # occurrences of a word: the class of a word seen once would be better known in training
NO_TAG = "_"

Tag = tuple[str, str]  # UPOS and FEATS


def learn_tags(sentences: Iterable[Sentence]) -> dict[str, int]:
    """Return the class of each word, in lower case: from VERB on for verbs, and below for others.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], upos=["NOUN", "VERB"])
    >>> tags = learn_tags([oaks, oaks])
    >>> tags["oaks"] < VERB <= tags["speak"]
    True
    """
    counts: defaultdict[str, Counter[Tag]] = defaultdict(Counter)
    for sentence in sentences:
        _count(sentence, counts)
    usual = {
        word: max(sorted(found), key=found.__getitem__)
        for word, found in counts.items()
        if found.total() >= LEAST
    }
    numbers = _numbers(Counter(usual.values()))
    return {word: numbers[tag] for word, tag in sorted(usual.items())}


def _count(sentence: Sentence, counts: defaultdict[str, Counter[Tag]]) -> None:
    """Count the tags of words; that of a multiword token is also the tag of its beginning."""
    forms, upos, feats = sentence.forms, sentence.upos, sentence.feats
    for form, *tag in zip(forms, upos, map(str, feats), strict=True):
        runs = _runs(form)
        if len(runs) == 1 and tag[0] != NO_TAG:
            counts[runs[0]][tag[0], tag[1]] += 1
    for token in tokens(sentence):
        runs = _runs(token.form)
        if token.last > token.first and runs and upos[token.first - 1] != NO_TAG:
            counts[runs[0]][upos[token.first - 1], str(feats[token.first - 1])] += 1


@cache
def _runs(form: str) -> Sequence[str]:
    """Return the runs of word characters of a form; of a mark, the mark itself."""
    return simple_words(code_points(form)) or ([form] if len(form) == 1 else [])


def _numbers(tags: Counter[Tag]) -> dict[Tag, int]:
    """Number the tags; rare ones beyond the limit share the number of their UPOS."""
    numbers: dict[Tag, int] = {}
    for first, chosen in (
        (VERB, [tag for tag in tags if tag[0] in VERBS]),
        (1, [tag for tag in tags if tag[0] not in VERBS]),
    ):
        plain = sorted({upos for upos, _ in chosen})
        limit = VERB - 1 - len(plain)
        often = sorted(chosen, key=lambda tag: (-tags[tag], tag))
        for i, tag in enumerate(often):
            numbers[tag] = first + (i if i < limit else limit + plain.index(tag[0]))
    return numbers
