"""Several treebanks of one language: the first says which labels there are.

What others call differently would teach two names for one thing. A label that the first has not
becomes its universal part, if the first has that; else it is not learned, and the arc alone is.
(Tags that the first has not are not learned, either: `knowledge.learn_tags`.) Likewise a form that
the first has, with these tags, never has the lemma of another treebank there: "people" is of
"people" in one treebank of English and of "person" in another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dodona.parsing.preparation import load_trees
from dodona.training.treebanks import Treebank
from dodona.treebank.columns import UNANNOTATED
from dodona.treebank.sentence import Sentence

OFTEN = 2  # as often a form with its tags was seen whose lemma is no slip
Tagged = tuple[str, str, str]  # a form, UPOS and FEATS
Lemmas = Mapping[Tagged, Counter[str]]


def labels_of(sentences: Iterable[Sentence]) -> set[str]:
    """Every label that arcs have."""
    return {label for sentence in sentences for label in sentence.deprels} - {UNANNOTATED}


def known_label(label: str, known: set[str]) -> str:
    """The label, or what stands for it.

    >>> known_label("nsubj:outer", {"nsubj"}), known_label("flat:name", {"nsubj"})
    ('nsubj', '_')
    """
    universal = label.partition(":")[0]
    return label if label in known else universal if universal in known else UNANNOTATED


def with_known_labels(sentences: Sequence[Sentence], known: set[str]) -> list[Sentence]:
    """The sentences with labels of the first treebank only."""
    found = []
    for sentence in sentences:
        labels = [known_label(label, known) for label in sentence.deprels]
        found.append(sentence if labels == sentence.deprels else sentence.replace(deprels=labels))
    return found


def lemmas_of(sentences: Iterable[Sentence]) -> Lemmas:
    """The lemmas of all words with their tags, and how often each was seen."""
    found: defaultdict[Tagged, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, lemma in zip(_tagged(sentence), sentence.lemmas, strict=True):
            if lemma != UNANNOTATED:
                found[word][lemma] += 1
    return found


def known_lemma(lemma: str, seen: Counter[str]) -> str:
    """The lemma, unless others have been seen, and often enough to be no slip.

    >>> known_lemma("person", Counter(people=30)), known_lemma("have", Counter(be=9, have=1))
    ('people', 'have')
    """
    if lemma == UNANNOTATED or seen[lemma] or seen.total() < OFTEN:
        return lemma
    return seen.most_common(1)[0][0]


def with_known_lemmas(sentences: Sequence[Sentence], known: Lemmas) -> list[Sentence]:
    """The sentences with the lemmas of the first treebank, where its words have any."""
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
    """The first treebank, and others, with the labels and lemmas of the first."""

    first: list[Sentence]
    others: list[list[Sentence]]

    @classmethod
    def load(cls, train: Treebank, more: Iterable[Treebank] = ()) -> GoldTreebanks:
        """Read them."""
        first = load_trees(train)
        labels, lemmas = labels_of(first), lemmas_of(first)
        others = (with_known_labels(load_trees(treebank), labels) for treebank in more)
        return cls(first, [with_known_lemmas(some, lemmas) for some in others])

    @property
    def sentences(self) -> list[Sentence]:
        """Those of all treebanks, the first before others."""
        return [*self.first, *(sentence for some in self.others for sentence in some)]

    @property
    def with_lemmas(self) -> list[Sentence]:
        """Those of the first, and of others that have lemmas at all."""
        others = [some for some in self.others if any(map(_has_lemmas, some))]
        return [*self.first, *(sentence for some in others for sentence in some)]


def _has_lemmas(sentence: Sentence) -> bool:
    return any(lemma != UNANNOTATED for lemma in sentence.lemmas)
