"""Which word of one treebank is which word of another that splits the same text differently.

As in the CoNLL 2018 shared task (Zeman et al. 2018): words are the same if their tokens have the
same characters of the text. The words of a multiword token have none of their own: they are aligned
by their forms, over all words that overlap the token, as a longest common subsequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dodona.evaluation.text import Word


class Block(NamedTuple):
    """Words of both sides around a multiword token: from and up to these positions."""

    gold: int
    system: int
    gold_end: int
    system_end: int


def align(gold: Sequence[Word], system: Sequence[Word]) -> list[tuple[int, int]]:
    """The positions of words that are the same, as pairs, in order."""
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


def _block(gold: Sequence[Word], system: Sequence[Word], g: int, s: int) -> Block:
    """The words that belong together because a multiword token begins at `g` or `s`."""
    ours, theirs = gold[g], system[s]
    end = ours.end if ours.is_multiword else theirs.end
    # a single word that began before the multiword token is no part of it
    if not theirs.is_multiword and theirs.start < ours.start:
        s += 1
    elif not ours.is_multiword and ours.start < theirs.start:
        g += 1
    first = g, s
    while True:
        takes_gold, takes_system = _is_within(gold, g, end), _is_within(system, s, end)
        if not (takes_gold or takes_system):
            return Block(*first, g, s)
        # in the order of the text, so that a multiword token may draw `end` out for both sides
        if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.is_multiword:
            end = max(end, word.end)


def _is_within(words: Sequence[Word], i: int, end: int) -> bool:
    """Whether a word ends by `end` or, in a multiword token, begins before it."""
    if i >= len(words):
        return False
    return words[i].start < end if words[i].is_multiword else words[i].end <= end


def _same_forms(
    gold: Sequence[Word], system: Sequence[Word], block: Block
) -> list[tuple[int, int]]:
    """A longest common subsequence of the forms in a block, as positions."""
    g, s, g_end, s_end = block
    pairs = []
    while g < g_end and s < s_end and gold[g].form == system[s].form:
        pairs.append((g, s))
        g, s = g + 1, s + 1
    ours = [word.form for word in gold[g:g_end]]
    theirs = [word.form for word in system[s:s_end]]
    longest = _longest_common(ours, theirs)
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            pairs.append((g + i, s + j))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _longest_common(ours: Sequence[str], theirs: Sequence[str]) -> list[list[int]]:
    """In row i and column j, the length of the longest common subsequence of what begins there."""
    table = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        row, below = table[i], table[i + 1]
        for j in reversed(range(len(theirs))):
            if ours[i] == theirs[j]:
                row[j] = below[j + 1] + 1
            else:
                row[j] = max(below[j], row[j + 1])
    return table
