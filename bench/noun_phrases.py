"""Compare noun phrases with spaCy's noun chunks, on the gold trees of a treebank.

python bench/noun_phrases.py DIR/en_ewt/dev.conllu [--show 20]

spaCy's English rules (`spacy.lang.en.syntax_iterators.noun_chunks`) read CLEAR labels. They get the
gold trees of Universal Dependencies, converted as in `LABELS` and `convert`: prepositions and
copulas become heads, names are headed by their last word, conjunctions and punctuation leave the
conjuncts. A phrase is compared where both schemes have one of this kind. Apart are counted:
expletives, which have other labels in CLEAR; unmarked adverbials ("last year"), vocatives and other
words for which spaCy's rules have no label; and heads whose part of speech differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

import dodona
from dodona.treebank.noun_phrases import find_noun_phrases

try:
    import spacy
    from spacy.lang.en.syntax_iterators import noun_chunks
    from spacy.tokens import Doc
except ImportError:
    sys.exit("skipped: spaCy is not installed (pip install spacy)")

LABELS = {
    "nsubj": "nsubj",
    "nsubj:outer": "nsubj",
    "nsubj:pass": "nsubjpass",
    "obj": "dobj",
    "iobj": "dative",
    "appos": "appos",
    "conj": "conj",
    "root": "ROOT",
    "xcomp": "oprd",
    "ccomp": "pcomp",  # with a preposition or a copula
}
UNDER_PREPOSITION, AFTER_COPULA = "pobj", "attr"
OUT_OF_NOUNS = ("cc", "punct", "mark", "discourse", "parataxis", "vocative", "expl", "reparandum")
OF_CLAUSES = ("nsubj", "csubj", "aux", "advcl", "advmod", "obl", "dislocated", "ccomp", "obj")
NAMES = ("flat", "goeswith")


class Converted:
    """Heads and labels of a sentence in CLEAR, as far as spaCy's rules look at them."""

    def __init__(self, sentence: dodona.Sentence) -> None:
        self.words = sentence.words
        self.heads = [head or 0 for head in sentence.heads]
        self.labels = [LABELS.get(label, label) for label in sentence.deprels]
        for word in self.words:
            if word.deprel.partition(":")[0] in NAMES:
                self._head_by_last(word)
        for word in self.words:
            self._convert(word)

    def _children(self, head: int) -> list[int]:
        return [i for i, of in enumerate(self.heads, start=1) if of == head]

    def _head_by_last(self, word: dodona.Word) -> None:
        """Make the last word of a name its head."""
        first = self.heads[word.id - 1]
        if first == 0 or first > word.id:
            return
        self.heads[word.id - 1] = self.heads[first - 1]
        self.labels[word.id - 1] = self.labels[first - 1]
        for child in self._children(first):
            self.heads[child - 1] = word.id
        self.heads[first - 1], self.labels[first - 1] = word.id, "compound"

    def _convert(self, word: dodona.Word) -> None:
        """Make a preposition or a copula the head of its noun; free conjuncts of their commas."""
        i, label = word.id, word.deprel.partition(":")[0]
        head = self.heads[i - 1]
        if head == 0:
            return
        is_left = i < head
        if label == "case" and is_left:
            self._swap(i, head, UNDER_PREPOSITION)
        elif label == "cop":
            self._swap(i, head, AFTER_COPULA)
            for child in self._children(head):
                base = self.words[child - 1].deprel.partition(":")[0]
                if base in (*OF_CLAUSES, *OUT_OF_NOUNS):
                    self.heads[child - 1] = i
        elif label in OUT_OF_NOUNS and word.deprel != "cc:preconj" and is_left:
            self._lift(i)

    def _lift(self, word: int) -> None:
        """Attach a word to the nearest ancestor that precedes it, or else to the root."""
        while (head := self.heads[word - 1]) > word:
            above = self.heads[head - 1]
            if above in (0, word):
                return
            self.heads[word - 1] = above

    def _swap(self, function: int, noun: int, label: str) -> None:
        above, old = self.heads[noun - 1], self.labels[noun - 1]
        if function == above:
            return
        self.heads[function - 1], self.labels[function - 1] = above, old
        self.heads[noun - 1], self.labels[noun - 1] = function, label

    def chunks(self, vocab: spacy.Vocab) -> list[tuple[int, int]]:
        """Return the first and last words of spaCy's noun chunks, from 1."""
        heads = [head - 1 if head else i for i, head in enumerate(self.heads)]
        doc = Doc(
            vocab,
            words=[word.form for word in self.words],
            heads=heads,
            deps=self.labels,
            pos=[word.upos for word in self.words],
        )
        return [(first + 1, end) for first, end, _ in noun_chunks(doc)]


def head_of(sentence: dodona.Sentence, first: int, last: int) -> dodona.Word:
    """Return the word of a span whose head is outside."""
    inside = range(first, last + 1)
    return next(
        (sentence[i - 1] for i in inside if (sentence.heads[i - 1] or 0) not in inside),
        sentence[last - 1],
    )


def why_apart(sentence: dodona.Sentence, span: tuple[int, int]) -> str:
    """Return "" if both schemes have phrases of this kind, else the reason why not."""
    word = head_of(sentence, *span)
    while word.deprel == "conj" and word.parent is not None:
        word = word.parent
    label = word.deprel.partition(":")[0]
    if label == "expl":
        return "expletives"
    if word.upos not in ("NOUN", "PROPN", "PRON"):
        return "heads that are not nouns"
    has_case = any(child.deprel == "case" and child.id < word.id for child in word.children)
    has_copula = any(child.deprel == "cop" for child in word.children)
    if has_case or has_copula or (word.deprel in LABELS and label != "conj"):
        return ""
    return f"{label} without preposition"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("treebank")
    arguments.add_argument("--show", type=int, default=0, help="differences to print")
    chosen = arguments.parse_args()
    vocab = spacy.blank("en").vocab
    n_same = n_ours = n_theirs = 0
    apart: Counter[str] = Counter()
    for sentence in dodona.read(chosen.treebank):
        both: list[set[tuple[int, int]]] = []
        for spans in (find_noun_phrases(sentence), Converted(sentence).chunks(vocab)):
            reasons = {span: why_apart(sentence, span) for span in spans}
            apart.update(reason for reason in reasons.values() if reason)
            both.append({span for span, reason in reasons.items() if not reason})
        ours, theirs = both
        n_same += len(ours & theirs)
        n_ours += len(ours)
        n_theirs += len(theirs)
        for span in sorted(ours ^ theirs):
            if chosen.show:
                chosen.show -= 1
                whose = "ours  " if span in ours else "theirs"
                words = " ".join(sentence.forms[span[0] - 1 : span[1]])
                print(f"{whose} [{words}]  {sentence.text}")
    print(f"{n_theirs:,} noun chunks of spaCy, {n_ours:,} noun phrases, {n_same:,} the same")
    print(f"exact match: {200 * n_same / (n_ours + n_theirs):.2f}% (F1)")
    for reason, n in apart.most_common():
        print(f"apart: {n:,} {reason}")


if __name__ == "__main__":
    main()
