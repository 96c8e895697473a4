"""Several gold treebanks of one language, of which the first determines labels and lemmas.

Other names for the same relation would only confuse the parser. A label that the first treebank
lacks becomes its universal part, if the first has that; else only the arc is learned, without a
label. Tags are made to agree with those of the first (`harmony`); what it lacks even so is not
learned (`tag_heads.learn_tags`). Likewise a form that the first has with the same tags gets its
lemma from there: the lemma of "people" is "people" in one treebank of English and "person" in
another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dodona.parsing.preparation import load_trees
from dodona.training.harmony import Conventions, by_source, harmonise
from dodona.training.harmony_list import HarmonyList
from dodona.training.treebanks import Treebank
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

NO_SPACE = b"SpaceAfter=No"
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
    """The first treebank, and others with the labels, tags and lemmas of the first."""

    first: list[Sentence]
    others: list[list[Sentence]]

    @classmethod
    def load(
        cls, train: Treebank, more: Iterable[Treebank] = (), decided: HarmonyList | None = None
    ) -> GoldTreebanks:
        """Read the treebanks; what a list has decided comes before the rules."""
        decided = decided or HarmonyList()
        first, *others = (decided.apply(load_trees(treebank)) for treebank in (train, *more))
        if others:
            labels, lemmas, conventions = labels_of(first), lemmas_of(first), Conventions(first)
            labelled = (with_known_labels(some, labels) for some in others)
            tagged = (harmonise(conventions, some) for some in labelled)
            others = [with_known_lemmas(some, lemmas) for some in tagged]
        return cls(first, others)

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences of all treebanks, in their order."""
        return [*self.first, *(sentence for some in self.others for sentence in some)]

    @property
    def with_lemmas(self) -> list[Sentence]:
        """The sentences of the first treebank, and those of others that have lemmas."""
        others = (s for some in self.others for s in some if {*s.lemmas} - {UNANNOTATED})
        return [*self.first, *others]

    @property
    def with_spacing(self) -> list[Sentence]:
        """The sentences of the first treebank, and of sources that record where no space is."""
        found = list(self.first)
        for some in self.others:
            sources = by_source(some)
            spaced = {name for name, s in zip(sources, some, strict=True) if NO_SPACE in bytes(s)}
            found += [s for name, s in zip(sources, some, strict=True) if name in spaced]
        return found
