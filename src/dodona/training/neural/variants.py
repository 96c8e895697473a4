"""Variants of sentences as people type them: in other casings, and without punctuation marks.

A network that has only seen edited text takes "paris" for a noun and a title for a list of names,
and waits for the full stop. It learns better from some sentences in lower case, in Title Case, in
CAPITALS or without punctuation marks, with the tags, lemmas and trees that they have otherwise.
Only marks without dependents are removed, so that a tree stays a tree, and a projective one stays
projective.

Silver sentences are replaced by their variants: there are many. Gold sentences get them as copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

import numpy as np

from dodona.training.neural.network import Numbers
from dodona.training.neural.training_sets import SoftTargets
from dodona.treebank.sentence import Sentence

Casing = Callable[[str, str], str]  # of a form, given its UPOS
APOSTROPHES = "'\u2019"  # in forms that do not begin a word: "n't" in "Don't"
SHORT = 3  # letters of function words that titles leave in lower case
SMALL = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"}


def _lower(form: str, upos: str) -> str:
    return form.lower()


def _capitals(form: str, upos: str) -> str:
    return form.upper()


def _title(form: str, upos: str) -> str:
    is_part = any(mark in form for mark in APOSTROPHES)
    return form if is_part else form[:1].upper() + form[1:]


def _headline(form: str, upos: str) -> str:
    return form if len(form) <= SHORT and upos in SMALL else _title(form, upos)


# kinds, with the casing, whether marks are removed, and how often each is drawn
KINDS: dict[str, tuple[Casing | None, bool, float]] = {
    "lower": (_lower, False, 0.3),
    "title": (_title, False, 0.1),
    "headline": (_headline, False, 0.1),
    "capitals": (_capitals, False, 0.15),
    "bare": (None, True, 0.2),
    "bare lower": (_lower, True, 0.15),
}


def variant(sentence: Sentence, kind: str) -> Sentence:
    """Return a variant of a sentence.

    >>> s = Sentence.from_columns(["Who", "?"], upos=["PRON", "PUNCT"], heads=[0, 1],
    ...                           deprels=["root", "punct"])
    >>> variant(s, "bare lower").forms, variant(s, "capitals").forms
    (['who'], ['WHO', '?'])
    """
    casing, is_bare, _ = KINDS[kind]
    kept = kept_words(sentence) if is_bare else range(len(sentence))
    forms, upos = sentence.forms, sentence.upos
    if casing is not None:
        forms = [casing(form, tag) for form, tag in zip(forms, upos, strict=True)]
    number = {0: 0} | {i + 1: n for n, i in enumerate(kept, 1)}
    heads = sentence.heads
    columns = sentence.lemmas, sentence.xpos, sentence.feats, sentence.deprels
    lemmas, xpos, feats, deprels = ([column[i] for i in kept] for column in columns)
    return Sentence.from_columns(
        [forms[i] for i in kept],
        lemmas=lemmas,
        upos=[upos[i] for i in kept],
        xpos=xpos,
        feats=feats,
        heads=[None if heads[i] is None else number[heads[i] or 0] for i in kept],
        deprels=deprels,
    )


def kept_words(sentence: Sentence) -> list[int]:
    """Return the indices of words other than punctuation marks without dependents.

    All words are kept if there is nothing but marks.
    """
    heads = {*sentence.heads}
    tagged = zip(sentence.upos, sentence.deprels, strict=True)
    kept = [
        i
        for i, (upos, label) in enumerate(tagged)
        if upos != "PUNCT" or label == "root" or i + 1 in heads
    ]
    return kept or [*range(len(sentence))]


class Variants:
    """A random choice of sentences that become variants; none if `share` is 0."""

    def __init__(self, share: float, seed: int) -> None:
        if not 0 <= share <= 1:
            raise ValueError(f"the share of variants is from 0 to 1, not {share}")
        self.share, self._random = share, Random(seed)

    def draw(self) -> str | None:
        """Return the kind of variant that the next sentence becomes, or None."""
        if not self.share or self._random.random() >= self.share:
            return None
        weights = [weight for *_, weight in KINDS.values()]
        return self._random.choices([*KINDS], weights)[0]

    def copies(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield variants of some of the sentences."""
        for sentence in sentences:
            kind = self.draw()
            if kind is not None:
                yield variant(sentence, kind)


def without_words(
    soft: SoftTargets, n_words: Sequence[int], kept: Sequence[Sequence[int] | None]
) -> SoftTargets:
    """Return soft targets without the words that variants lack.

    `n_words` are the lengths of sentences before, `kept` the indices of words that each has kept
    (None: all). Dependents of a removed word go to its head in the trees of teachers; as a possible
    head it gets the weight 0.
    """
    lengths = np.array(n_words)
    first: Numbers = np.repeat(np.cumsum(lengths) - lengths, lengths)
    number: Numbers = np.zeros(len(first), np.int32)  # per word: 1, 2, …, or 0 if removed
    begin = 0
    for n, some in zip(n_words, kept, strict=True):
        positions = range(n) if some is None else some
        number[begin + np.array(positions, np.int64)] = np.arange(1, len(positions) + 1)
        begin += n
    stays = number > 0

    def new(heads: Numbers, start: Numbers) -> Numbers:
        return np.where(heads > 0, number[start + np.maximum(heads, 1) - 1], heads)

    heads = new(soft.heads, first[:, None])
    weights = np.where((heads == 0) & (soft.heads > 0), 0, soft.head_weights)
    whole = weights.sum(axis=1, keepdims=True, dtype=np.float32)
    trees: Numbers = soft.trees.astype(np.int64)
    for tree in trees:
        while True:  # up to the next word that stays
            above = first + np.maximum(tree, 1) - 1
            is_removed = (tree > 0) & (number[above] == 0)
            if not is_removed.any():
                break
            tree[is_removed] = tree[above[is_removed]]
    return SoftTargets(
        heads[stays],
        (weights / np.maximum(whole, 1e-6)).astype(soft.head_weights.dtype)[stays],
        soft.tags[:, stays],
        soft.tag_weights[:, stays],
        new(trees, first)[:, stays].astype(soft.trees.dtype),
        soft.tree_labels[:, stays],
    )
