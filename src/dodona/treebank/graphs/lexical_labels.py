"""Delexicalisation of enhanced labels: nmod:of becomes nmod:{case}, and back.

Enhanced dependencies put the preposition, conjunction or case of a phrase into its label
(obl:in_front_of, conj:and, obl:loc). A parser that learns each of them as a label of its own has
hundreds of rare classes, and none for unseen words. The word is in the sentence, so that part of
the label is replaced by a placeholder:

  {case} {mark} {cc}   lemma of the dependent's child of that relation, with the children that are
                       fixed to it; without such a child, that of a conjunct
  {Case}               the dependent's morphological case, in lower case

A part that no placeholder stands for stays as it is, so that nothing is lost that UD allows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from dodona.treebank.graphs.enhanced import GraphArc
from dodona.treebank.graphs.legal_labels import legal_label
from dodona.treebank.sentence import Sentence

MARKERS = ("case", "mark", "cc")
MORPHOLOGICAL = "{Case}"
PLACEHOLDERS = (MORPHOLOGICAL, *(f"{{{relation}}}" for relation in MARKERS))
NONE = -1  # no word


class Phrases:
    """The words that mark the phrases of a sentence: prepositions, conjunctions, cases."""

    def __init__(self, sentence: Sentence, arcs: Iterable[GraphArc]) -> None:
        self.sentence, self.feats = sentence, sentence.feats
        self.markers: dict[tuple[int, str], list[int]] = {}
        self.conjuncts: dict[int, list[int]] = {}  # neighbours of a word by conj, heads first
        self.fixed: dict[int, list[int]] = {}
        self._found_cc: dict[int, list[int]] = {}
        for head, label, word in sorted(arcs, key=lambda arc: (arc[2], arc[0])):
            relation = label.partition(":")[0]
            if relation in MARKERS:
                self.markers.setdefault((head, relation), []).append(word)
            elif relation == "conj":
                self.conjuncts.setdefault(word, []).insert(0, head)
                self.conjuncts.setdefault(head, []).append(word)
            elif relation == "fixed":
                self.fixed.setdefault(head, []).append(word)

    def words(self, word: int, part: str) -> str:
        """Return what a placeholder such as {case} stands for at a word; empty if nothing."""
        if part == MORPHOLOGICAL:
            features = (feature.partition("=") for feature in self.feats[word - 1].split("|"))
            return next((value.lower() for name, _, value in features if name == "Case"), "")
        relation = part[1:-1]
        marked = word if (word, relation) in self.markers else self._marked_near(word, relation)
        found = self.markers.get((marked, relation), [])
        parts = [w for first in found for w in (first, *self.fixed.get(first, []))]
        return "_".join(self._texts[w - 1] for w in parts)

    def _marked_near(self, word: int, relation: str) -> int:
        """Return the first conjunct with such a marker; for cc, their conjuncts to the right."""
        near = self.conjuncts.get(word, [])
        if relation == "cc":
            found = (other for one in near for other in self._with_cc(one) if other > word)
        else:
            found = (one for one in near if (one, relation) in self.markers)
        return next(found, NONE)

    def _with_cc(self, word: int) -> list[int]:
        """Return the conjuncts of a word that have a cc."""
        if word not in self._found_cc:
            near = self.conjuncts.get(word, [])
            self._found_cc[word] = [one for one in near if (one, "cc") in self.markers]
        return self._found_cc[word]

    @cached_property
    def _texts(self) -> list[str]:
        pairs = zip(self.sentence.lemmas, self.sentence.forms, strict=True)
        return [(form if lemma == "_" else lemma).lower() for lemma, form in pairs]


def delexicalise(sentence: Sentence, arcs: Iterable[GraphArc]) -> frozenset[GraphArc]:
    """Replace the lexical parts of labels by placeholders.

    >>> s = Sentence.from_columns(["leaves", "of", "oaks"], lemmas=["leaf", "of", "oak"])
    >>> graph = [(0, "root", 1), (1, "nmod:of", 3), (3, "case", 2)]
    >>> sorted(delexicalise(s, graph))[1]
    (1, 'nmod:{case}', 3)
    >>> lexicalise(s, delexicalise(s, graph)) == frozenset(graph)
    True
    """
    arcs = list(arcs)
    phrases = Phrases(sentence, arcs)
    return frozenset(
        (head, _delexicalise_label(phrases, word, label), word) for head, label, word in arcs
    )


def lexicalise(sentence: Sentence, arcs: Iterable[GraphArc]) -> frozenset[GraphArc]:
    """Replace placeholders by the words they stand for.

    A placeholder without a word is dropped, and so are parts that UD does not allow
    (`legal_labels`).
    """
    arcs = list(arcs)
    if any("{" in label for _, label, _ in arcs):
        phrases = Phrases(sentence, arcs)
        arcs = [(head, _lexicalise_label(phrases, word, label), word) for head, label, word in arcs]
    return frozenset((head, legal_label(label), word) for head, label, word in arcs)


def _delexicalise_label(phrases: Phrases, word: int, label: str) -> str:
    relation, *parts = label.split(":")
    named = (
        next((name for name in PLACEHOLDERS if phrases.words(word, name) == part), part)
        for part in parts
    )
    return ":".join([relation, *named])


def _lexicalise_label(phrases: Phrases, word: int, label: str) -> str:
    if "{" not in label:
        return label
    parts = [p if "{" not in p else phrases.words(word, p) for p in label.split(":")]
    return ":".join(part for part in parts if part)
