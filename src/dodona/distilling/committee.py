"""Annotation of sentences by a committee of models, which vote on every arc, label and tag.

Where no teacher larger than the student is at hand, several models of its size do: they err at
different places, and the tree that most of their arcs vote for is better than that of most of them
(Sagae & Lavie 2006). Every model annotates words alone, without the tags of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dodona.core.tagging.tag_templates import LEMMA
from dodona.distilling.silver_parts import write_part
from dodona.distilling.tree_decoding import best_trees
from dodona.parsing.parser import Parser
from dodona.tagging.tags import TAG_COLUMNS
from dodona.treebank.sentence import Sentence

COLUMNS = tuple(column for column in TAG_COLUMNS if column != LEMMA)

AnyArray = Any  # of NumPy


class Committee:
    """Models that annotate together; where they all disagree, the first decides.

    Only models of the first one's kind vote on tags: linear models have taggers alike, which err
    together and outvote a network (dev sets, three linear models and a network: UPOS of cy_ccg 95.6
    by all votes, 96.7 by the network, of de_gsd 93.8 and 93.1; FEATS of de_gsd 73.4 and 78.0).
    """

    def __init__(self, parsers: Sequence[Parser], *, projective: bool) -> None:
        if not parsers:
            raise ValueError("a committee needs at least one model")
        self.parsers, self.projective = parsers, projective
        kind = type(parsers[0].scorer)
        self._is_alike = [type(parser.scorer) is kind for parser in parsers]

    def annotate(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return the sentences with trees and tags, but without lemmas."""
        bare = [Sentence.from_columns(sentence.forms) for sentence in sentences]
        of_parsers = [list(parser.pipe(bare)) for parser in self.parsers]
        found = []
        for sentence, *votes in zip(sentences, *of_parsers, strict=True):
            found.append(self._elect(sentence, votes) if len(sentence) else sentence)
        return found

    def write(self, path: Path, sentences: Sequence[Sentence], found: list[Sentence]) -> None:
        """Write the sentences as `annotate` has found them."""
        write_part(path, found)

    def _elect(self, sentence: Sentence, votes: Sequence[Sentence]) -> Sentence:
        heads = elected_tree([heads_of(vote) for vote in votes], projective=self.projective)
        labels = []
        for word, head in enumerate(heads):
            supporters = [vote for vote in votes if vote.heads[word] == head] or votes
            labels.append(most_frequent(vote.deprels[word] for vote in supporters))
        tags = {}
        alike = [vote for vote, is_alike in zip(votes, self._is_alike, strict=True) if is_alike]
        for column in COLUMNS:
            of_votes = zip(*(getattr(vote, column) for vote in alike), strict=True)
            tags[column] = [most_frequent(some) for some in of_votes]
        return sentence.replace(heads=heads, deprels=labels, **tags)


def heads_of(sentence: Sentence) -> list[int]:
    """Return the heads of a parsed sentence."""
    return [head or 0 for head in sentence.heads]


def elected_tree(votes: Sequence[Sequence[int]], *, projective: bool) -> list[int]:
    """Return the tree whose arcs have most votes; the first vote decides between equal ones.

    >>> elected_tree([[2, 0, 2], [2, 0, 1], [3, 0, 2]], projective=True)
    [2, 0, 2]
    """
    n = len(votes[0])
    scores: AnyArray = np.zeros((1, n, n + 1))
    words = np.arange(n)
    for number, heads in enumerate(votes):
        # all first votes together count less than half a vote
        scores[0, words, heads] += 1.0 if number else 1.0 + 0.4 / n
    return best_trees(scores, [n], projective=projective)[0]


def most_frequent(values: Iterable[str]) -> str:
    """Return the most frequent value, of equally frequent ones the first.

    >>> most_frequent(["NOUN", "VERB", "VERB"]), most_frequent(["NOUN", "VERB"])
    ('VERB', 'NOUN')
    """
    return Counter(values).most_common(1)[0][0]
