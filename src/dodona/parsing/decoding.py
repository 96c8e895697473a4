"""Decoding of parsed corpora: trees of sentences, with lifted arcs restored and rules obeyed."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from dodona.batches import Sentences
from dodona.core.features.corpus import Corpus
from dodona.records import record
from dodona.treebank.block import Block
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.projectivity import is_projective
from dodona.treebank.trees.pseudoprojective import SCHEMES, deprojectivise, lifted

if TYPE_CHECKING:  # loaded where it is needed
    from dodona.parsing.given import Given


@record
class TreeDecoder:
    """What makes sentences with trees from a parsed corpus."""

    encoder: Encoder
    labels: list[str]
    scheme: str  # by which arcs were lifted in training, if any were
    builds_crossing: bool  # trees may be non-projective before lifted arcs are restored

    def __post_init__(self) -> None:
        self._lifted = set[int]()  # labels that encode where a lifted arc belongs
        if self.scheme in SCHEMES:
            self._lifted = {i for i, label in enumerate(self.labels) if lifted(label)}

    def decode(
        self, batch: Sentences, corpus: Corpus, *, has_rules: bool, known: Sequence[Given] = ()
    ) -> Sentences:
        """Return the sentences with the trees of the corpus, and what is known of each.

        Trees that were searched for under rules of UD, and break them now, are repaired.
        """
        parsed = self.encoder.decode(corpus, batch)
        changed: dict[int, Sentence] = {}
        if known:
            from dodona.parsing.given_trees import with_labels

            changed = dict(enumerate(map(with_labels, parsed, known)))
        moved = {*corpus.broken, *changed, *self._restore(corpus, parsed, changed)}
        if has_rules and self.builds_crossing:
            for i, sentence in enumerate(parsed):
                if not is_projective([head or 0 for head in changed.get(i, sentence).heads]):
                    moved.add(i)
        for i in moved if has_rules else ():
            changed[i] = self._repair(changed.get(i) or parsed[i], known[i] if known else None)
        if isinstance(parsed, Block):
            return parsed.replaced(changed) if changed else parsed
        return [changed.get(i, sentence) for i, sentence in enumerate(parsed)]

    def _restore(
        self, corpus: Corpus, parsed: Sentences, changed: dict[int, Sentence]
    ) -> list[int]:
        """Restore lifted arcs, whose labels are no given ones; return the sentences with any."""
        if not self._lifted:
            return []
        found = self.encoder.sentences_with(corpus, self._lifted)
        for i in found:
            sentence = changed.get(i) or parsed[i]
            heads, labels = deprojectivise(
                [head or 0 for head in sentence.heads], sentence.deprels, self.scheme
            )
            changed[i] = sentence.replace(heads=heads, deprels=labels)
        return found

    def _repair(self, sentence: Sentence, known: Given | None) -> Sentence:
        """Return the sentence with a tree that obeys the rules, if what is given allows it."""
        tree = repaired(sentence, self.labels)
        if known is None:
            return tree
        from dodona.parsing.given_trees import first_lost

        if not (lost := first_lost(known, tree)):
            return tree
        warnings.warn(
            f"what is given of {tree.forms[lost - 1]!r} (word {lost} of {tree.text!r}) "
            "breaks the rules of UD; it is kept, and the rules are not",
            stacklevel=3,
        )
        return sentence


def repaired(sentence: Sentence, known: Collection[str]) -> Sentence:
    """Return the sentence with its tree repaired where it breaks a rule of UD."""
    from dodona.treebank.trees.ud_repair import repair_tree
    from dodona.treebank.trees.word_kinds import kinds_of

    before = [head or 0 for head in sentence.heads], sentence.deprels
    heads, labels = repair_tree(*before, kinds_of(sentence), known)
    return sentence if (heads, labels) == before else sentence.replace(heads=heads, deprels=labels)
