"""Base noun phrases of a tree in Universal Dependencies, like spaCy's noun chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dodona.treebank.word import words

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence
    from dodona.treebank.word import Word

HEADS = frozenset({"NOUN", "PROPN", "PRON"})
PARTS = frozenset({"flat", "fixed", "compound", "goeswith"})  # of a name; not heads of phrases
BEFORE = PARTS | {"det", "amod", "nummod", "nmod:poss", "clf", "advmod"}
AFTER = PARTS


def noun_phrases(sentence: Sentence) -> list[list[Word]]:
    """Return the phrases from left to right, without those inside another."""
    tree = _Tree(sentence)
    spans = [tree.phrase(word) for word in range(1, len(sentence) + 1) if tree.has_phrase(word)]
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not found or first > found[-1][1]:
            found.append((first, last))
    all_words = words(sentence)
    return [all_words[first - 1 : last] for first, last in found]


class _Tree:
    """The children of each word, and the extent of its subtree."""

    def __init__(self, sentence: Sentence) -> None:
        self.upos, self.labels = sentence.upos, sentence.deprels
        n_words = len(sentence)
        self.children: list[list[int]] = [[] for _ in range(n_words + 1)]
        for word, head in enumerate(sentence.heads, start=1):
            self.children[head or 0].append(word)
        self.first = list(range(n_words + 1))
        self.last = list(range(n_words + 1))
        self.n_below = [1] * (n_words + 1)
        order = [0]  # words on a cycle are never reached and have no phrases
        for word in order:
            order += self.children[word]
        self.is_reached = [False] * (n_words + 1)
        for head in reversed(order):
            self.is_reached[head] = True
            for word in self.children[head]:
                self.first[head] = min(self.first[head], self.first[word])
                self.last[head] = max(self.last[head], self.last[word])
                self.n_below[head] += self.n_below[word]

    def has_phrase(self, word: int) -> bool:
        """Return whether the word is the head of a phrase."""
        is_noun = self.upos[word - 1] in HEADS and not self._is_in(word, PARTS)
        return is_noun and self.is_reached[word]

    def phrase(self, word: int) -> tuple[int, int]:
        """Return the first and last word of the phrase of a head."""
        first = last = word
        for child in reversed([child for child in self.children[word] if child < word]):
            if not (self._is_whole(child, BEFORE) and self.last[child] == first - 1):
                break
            first = self.first[child]
        for child in [child for child in self.children[word] if child > word]:
            if not (self._is_whole(child, AFTER) and self.first[child] == last + 1):
                break
            last = self.last[child]
        return first, last

    def _is_whole(self, word: int, labels: frozenset[str]) -> bool:
        """Return whether the label of a word is one of these and its subtree is contiguous."""
        n_between = self.last[word] - self.first[word] + 1
        return self._is_in(word, labels) and n_between == self.n_below[word]

    def _is_in(self, word: int, labels: frozenset[str]) -> bool:
        label = self.labels[word - 1]
        return label in labels or label.partition(":")[0] in labels
