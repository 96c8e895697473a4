"""Which word of one treebank is which word of another that splits the same text differently.

As in the CoNLL 2018 shared task (Zeman et al. 2018): words are the same if their tokens have the
same characters of the text. The words of a multiword token have none of their own: they are aligned
by their forms, over all words that overlap the token, as a longest common subsequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dodona.evaluation.pairs import EvaluationError
from dodona.evaluation.text import Word

MOST_PAIRS = 1_000_000_000  # of words in multiword tokens; a bit for each: 125 MB, half a second


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
    if len(ours) * len(theirs) > MOST_PAIRS:
        raise EvaluationError(
            f"a multiword token has {max(len(ours), len(theirs)):,} words, from character "
            f"{gold[block.gold].start + 1:,} of the text on: too many to align"
        )
    longest = _Longest(ours, theirs)
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            pairs.append((g + i, s + j))
            i, j = i + 1, j + 1
        elif longest.common(i, j) == longest.common(i + 1, j):
            i += 1
        else:
            j += 1
    return pairs


class _Longest:
    """The lengths of longest common subsequences of what begins at two places.

    A row for each place in `ours`, from the end; in it a bit for each place in `theirs`, from the
    end, which is 0 where the length grows by one (Crochemore et al. 2001): 64 places in one step.
    """

    def __init__(self, ours: Sequence[str], theirs: Sequence[str]) -> None:
        self.n_theirs = len(theirs)
        all_places = (1 << len(theirs)) - 1
        at: dict[str, int] = {}
        for i, form in enumerate(reversed(theirs)):
            at[form] = at.get(form, 0) | 1 << i
        self.rows = [all_places]
        for form in reversed(ours):
            row = self.rows[-1]
            met = row & at.get(form, 0)
            self.rows.append((row + met | row - met) & all_places)
        self.rows.reverse()

    def common(self, i: int, j: int) -> int:
        """The length for ours[i:] and theirs[j:]."""
        n = self.n_theirs - j
        return n - (self.rows[i] & (1 << n) - 1).bit_count()
