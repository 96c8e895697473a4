"""Alignment of the words of two treebanks that segment the same text differently.

As in the CoNLL 2018 shared task (Zeman et al. 2018), words are aligned if their tokens cover the
same characters of the text. The words of a multiword token cover no characters of their own: they
are aligned by their forms, over all words that overlap the token, as a longest common subsequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dodona.evaluation.pairs import EvaluationError
from dodona.evaluation.text_positions import PlacedWord

# Pairs of words around one multiword token that are compared: 2,000 words on either side, a second.
# Tokens of treebanks have some ten words at most.
MOST_PAIRS = 4_000_000


class MultiwordBlock(NamedTuple):
    """The ranges of gold and system words around a multiword token."""

    gold: int
    system: int
    gold_end: int
    system_end: int


def align(gold: Sequence[PlacedWord], system: Sequence[PlacedWord]) -> list[tuple[int, int]]:
    """Return the pairs of positions of aligned words, in order."""
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        ours, theirs = gold[g], system[s]
        if ours.is_multiword or theirs.is_multiword:
            block = _block(gold, system, g, s)
            pairs += _same_forms(gold, system, block)
            g, s = block.gold_end, block.system_end
        elif ours.start == theirs.start and ours.end == theirs.end:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif ours.start <= theirs.start:
            g += 1
        else:
            s += 1
    return pairs


def _block(
    gold: Sequence[PlacedWord], system: Sequence[PlacedWord], g: int, s: int
) -> MultiwordBlock:
    """Return the words that overlap the multiword token that begins at `g` or `s`."""
    ours, theirs = gold[g], system[s]
    end = ours.end if ours.is_multiword else theirs.end
    # a single word that began before the multiword token does not belong to the block
    if not theirs.is_multiword and theirs.start < ours.start:
        s += 1
    elif not ours.is_multiword and ours.start < theirs.start:
        g += 1
    first = g, s
    while True:
        takes_gold, takes_system = _is_within(gold, g, end), _is_within(system, s, end)
        if not (takes_gold or takes_system):
            return MultiwordBlock(*first, g, s)
        # in the order of the text, so that a multiword token may extend `end` for both sides
        if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.is_multiword:
            end = max(end, word.end)


def _is_within(words: Sequence[PlacedWord], i: int, end: int) -> bool:
    """Return whether a word ends by `end` or, in a multiword token, begins before it."""
    if i >= len(words):
        return False
    return words[i].start < end if words[i].is_multiword else words[i].end <= end


def _same_forms(
    gold: Sequence[PlacedWord], system: Sequence[PlacedWord], block: MultiwordBlock
) -> list[tuple[int, int]]:
    """Return the positions of a longest common subsequence of the forms in a block."""
    g, s, g_end, s_end = block
    pairs = []
    while g < g_end and s < s_end and gold[g].form == system[s].form:
        pairs.append((g, s))
        g, s = g + 1, s + 1
    ours = [word.form for word in gold[g:g_end]]
    theirs = [word.form for word in system[s:s_end]]
    if len(ours) * len(theirs) > MOST_PAIRS:
        raise EvaluationError(
            f"a multiword token has {max(len(ours), len(theirs)):,} words, from character "
            f"{gold[block.gold].start + 1:,} of the text on: too many to align "
            f"(at most {MOST_PAIRS:,} pairs of gold and system words)"
        )
    # lengths of the longest common subsequences of ours[i:] and theirs[j:]
    lengths = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        for j in reversed(range(len(theirs))):
            if ours[i] == theirs[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            pairs.append((g + i, s + j))
            i, j = i + 1, j + 1
        elif lengths[i][j] == lengths[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
