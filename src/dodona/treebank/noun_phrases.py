"""Base noun phrases of a tree in Universal Dependencies, like spaCy's noun chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dodona.treebank.span import Span
from dodona.treebank.word_index import WordIndex

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence

LABEL = "NP"
HEADS = frozenset({"NOUN", "PROPN", "PRON"})
PARTS = frozenset({"flat", "fixed", "compound", "goeswith"})  # of a name; not heads of phrases
NO_HEADS = PARTS | {"det", "amod", "advmod", "case", "mark", "cc", "expl", "discourse"}
# modifiers in front of the head: my old friend, the then president, at least two, both the men,
# a well known fact, Mr. Smith, Anna's car
BEFORE = PARTS | {"det", "amod", "nummod", "nmod", "clf", "advmod", "acl", "cc:preconj"}
OF_CLAUSES = frozenset({"advmod"})  # if the head has a copula: she is still a teacher


def noun_phrases(sentence: Sentence) -> list[Span]:
    """Return the phrases from left to right, without those inside another."""
    index = WordIndex([sentence])
    return [Span(index, first - 1, last, LABEL) for first, last in find_noun_phrases(sentence)]


def find_noun_phrases(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the numbers of the first and the last word of each phrase."""
    tree = _Tree(sentence)
    spans = [tree.phrase(word) for word in range(1, len(sentence) + 1) if tree.has_phrase(word)]
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not found or first > found[-1][1]:
            found.append((first, last))
    return found


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
        is_noun = self.upos[word - 1] in HEADS and not self._is_in(word, NO_HEADS)
        return is_noun and self.is_reached[word]

    def phrase(self, word: int) -> tuple[int, int]:
        """Return the first and last word of the phrase of a head."""
        first = next_one = last = word
        labels = BEFORE
        if any(self.labels[child - 1] == "cop" for child in self.children[word]):
            labels = BEFORE - OF_CLAUSES
        for child in reversed([child for child in self.children[word] if child < word]):
            if self.last[child] != next_one - 1:
                break
            if self._is_whole(child, labels):
                first = self.first[child]
            elif self.labels[child - 1] != "punct":  # a comma between adjectives
                break
            next_one = self.first[child]
        next_one = word
        for child in [child for child in self.children[word] if child > word]:
            if self.first[child] != next_one + 1:
                break
            if self._is_whole(child, PARTS):
                last = self.last[child]
            elif self.labels[child - 1] != "punct":  # a hyphen in a name
                break
            next_one = self.last[child]
        return first, last

    def _is_whole(self, word: int, labels: frozenset[str]) -> bool:
        """Return whether the label of a word is one of these and its subtree is contiguous."""
        n_between = self.last[word] - self.first[word] + 1
        return self._is_in(word, labels) and n_between == self.n_below[word]

    def _is_in(self, word: int, labels: frozenset[str]) -> bool:
        label = self.labels[word - 1]
        return label in labels or label.partition(":")[0] in labels
