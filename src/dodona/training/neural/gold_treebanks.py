"""Several gold treebanks of one language, of which the first determines labels and lemmas.

Other names for the same relation would only confuse the parser. A label that the first treebank
lacks becomes its universal part, if the first has that; else only the arc is learned, without a
label. (Tags that the first lacks are not learned either: `tag_heads.learn_tags`.) Likewise a form
that the first has with the same tags gets its lemma from there: the lemma of "people" is "people"
in one treebank of English and "person" in another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dodona.parsing.preparation import load_trees
from dodona.training.treebanks import Treebank
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

OFTEN = 2  # occurrences of a form with its tags from which on its lemma is trusted
Tagged = tuple[str, str, str]  # a form, UPOS and FEATS
Lemmas = Mapping[Tagged, Counter[str]]


def labels_of(sentences: Iterable[Sentence]) -> set[str]:
    """Return every label of the arcs."""
    return {label for sentence in sentences for label in sentence.deprels} - {UNANNOTATED}


def known_label(label: str, known: set[str]) -> str:
    """Return the label, or its universal part, or UNANNOTATED.

    >>> known_label("nsubj:outer", {"nsubj"}), known_label("flat:name", {"nsubj"})
    ('nsubj', '_')
    """
    universal = label.partition(":")[0]
    return label if label in known else universal if universal in known else UNANNOTATED


def with_known_labels(sentences: Sequence[Sentence], known: set[str]) -> list[Sentence]:
    """Return the sentences with labels of the first treebank only."""
    found = []
    for sentence in sentences:
        labels = [known_label(label, known) for label in sentence.deprels]
        found.append(sentence if labels == sentence.deprels else sentence.replace(deprels=labels))
    return found


def lemmas_of(sentences: Iterable[Sentence]) -> Lemmas:
    """Count the lemmas of every form with its tags."""
    found: defaultdict[Tagged, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, lemma in zip(_tagged(sentence), sentence.lemmas, strict=True):
            if lemma != UNANNOTATED:
                found[word][lemma] += 1
    return found


def known_lemma(lemma: str, seen: Counter[str]) -> str:
    """Return the lemma, unless only others have been seen, and often enough to trust them.

    >>> known_lemma("person", Counter(people=30)), known_lemma("have", Counter(be=9, have=1))
    ('people', 'have')
    """
    if lemma == UNANNOTATED or seen[lemma] or seen.total() < OFTEN:
        return lemma
    return seen.most_common(1)[0][0]


def with_known_lemmas(sentences: Sequence[Sentence], known: Lemmas) -> list[Sentence]:
    """Return the sentences with the lemmas of the first treebank, as far as it has their words."""
    found = []
    for sentence in sentences:
        words = zip(sentence.lemmas, _tagged(sentence), strict=True)
        lemmas = [known_lemma(lemma, known.get(word, Counter())) for lemma, word in words]
        found.append(sentence if lemmas == sentence.lemmas else sentence.replace(lemmas=lemmas))
    return found


def _tagged(sentence: Sentence) -> Iterator[Tagged]:
    return zip(sentence.forms, sentence.upos, sentence.feats, strict=True)


@dataclass(frozen=True)
class GoldTreebanks:
    """The first treebank, and others with the labels and lemmas of the first."""

    first: list[Sentence]
    others: list[list[Sentence]]

    @classmethod
    def load(cls, train: Treebank, more: Iterable[Treebank] = ()) -> GoldTreebanks:
        """Read the treebanks."""
        first = load_trees(train)
        labels, lemmas = labels_of(first), lemmas_of(first)
        others = (with_known_labels(load_trees(treebank), labels) for treebank in more)
        return cls(first, [with_known_lemmas(some, lemmas) for some in others])

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences of all treebanks, in their order."""
        return [*self.first, *(sentence for some in self.others for sentence in some)]

    @property
    def with_lemmas(self) -> list[Sentence]:
        """The sentences of the first treebank, and of others that have lemmas at all."""
        others = [some for some in self.others if any({*s.lemmas} - {UNANNOTATED} for s in some)]
        return [*self.first, *(sentence for some in others for sentence in some)]
