"""The best end of a derivation of the swap system: fewest lost arcs, then fewest swaps.

From a state, every derivation shifts each word of the buffer once, attaches each word once, and
takes two more actions for each SWAP. The shortest derivation is the one with the fewest swaps.

Breadth-first search over the number of swaps finds an end that loses no arc. It attaches a word
that has all its dependents as soon as the word meets its head, or anything else if its head is
gone. That is not always best: a word may help to swap others. It is best if no swap is needed, and
so the result is proven if there is at most one swap. Otherwise all derivations are searched, as far
as few words are left. The tests compare the results with exhaustive search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

SHIFT, LEFT_ARC, RIGHT_ARC, SWAP = "SHIFT", "LEFT-ARC", "RIGHT-ARC", "SWAP"
ROOT = 0
FEW = 6  # words left: a complete search takes up to 40 ms
MAX_WORK = 30_000  # states of a search times words left: some 20 ms
LONG = 60  # words left: only ends without swaps are tried, so that long paths stay fast

Words: TypeAlias = tuple[int, ...]
Moves: TypeAlias = tuple[str, ...]


class BestEnd(NamedTuple):
    """A good way to end a derivation."""

    n_lost: int  # gold arcs between remaining words that are not built
    n_swaps: int
    moves: Moves
    is_shortest: bool  # proven: no derivation that loses so few arcs has fewer swaps


class Remaining:
    """The words on stack and buffer, and how many gold dependents each still waits for."""

    def __init__(self, heads: Sequence[int], stack: Sequence[int], buffer: Sequence[int]) -> None:
        self.heads, self.stack, self.buffer = heads, list(stack), list(reversed(buffer))
        self.n_waiting = dict.fromkeys((*stack, *buffer), 0)
        for word in self.n_waiting:
            if word != ROOT and heads[word - 1] in self.n_waiting:
                self.n_waiting[heads[word - 1]] += 1

    @property
    def key(self) -> tuple[Words, Words]:
        return tuple(self.stack), tuple(reversed(self.buffer))

    @property
    def can_swap(self) -> bool:
        return len(self.stack) > 2 and self.stack[-2] < self.stack[-1]

    @property
    def is_final(self) -> bool:
        return not self.buffer and len(self.stack) == 1

    def n_lost(self, head: int, word: int) -> int:
        """Return how many gold arcs are lost if `word` is attached to `head`."""
        own = self.heads[word - 1]
        return self.n_waiting[word] + (own != head and own in self.n_waiting)

    def valid(self) -> Iterator[tuple[str, int]]:
        """Yield the valid moves with the gold arcs that each loses."""
        if self.buffer:
            yield SHIFT, 0
        if len(self.stack) < 2:
            return
        lower, upper = self.stack[-2:]
        yield RIGHT_ARC, self.n_lost(lower, upper)
        if lower != ROOT:
            yield LEFT_ARC, self.n_lost(upper, lower)
        if self.can_swap:
            yield SWAP, 0

    def free_arc(self) -> str | None:
        """Return a move that attaches a word without losing an arc."""
        arcs = (move for move, n_lost in self.valid() if not n_lost and move.endswith("ARC"))
        return next(arcs, None)

    def take(self, move: str) -> None:
        if move == SHIFT:
            self.stack.append(self.buffer.pop())
            return
        upper = self.stack.pop()
        if move == RIGHT_ARC:
            self._remove(upper)
            return
        lower = self.stack.pop()
        self.stack.append(upper)
        if move == SWAP:
            self.buffer.append(lower)
        else:
            self._remove(lower)

    def _remove(self, word: int) -> None:
        del self.n_waiting[word]
        head = self.heads[word - 1]
        if head in self.n_waiting:
            self.n_waiting[head] -= 1


@lru_cache(maxsize=1 << 14)
def best_end(heads: Words, stack: Words, buffer: Words) -> BestEnd | None:
    """Return the best end of a derivation; None if none is found within the limits.

    >>> best_end((2, 3, 0, 3, 2), (0,), (1, 2, 3, 4, 5))[:2]  # 2 → 5 crosses 0 → 3
    (0, 1)
    """
    found = _without_loss(heads, stack, buffer)
    if (found is None or not found.is_shortest) and len(stack) - 1 + len(buffer) <= FEW:
        return _of_all(heads, stack, buffer)
    return found


def _without_loss(heads: Words, stack: Words, buffer: Words) -> BestEnd | None:
    """Search by the number of swaps for an end that loses no arc."""
    n_words = len(stack) + len(buffer)
    if n_words > LONG:
        end = _without_swap(Remaining(heads, stack, buffer), (), None, [])
        return None if end is None else BestEnd(0, 0, end, is_shortest=True)
    seen = set[tuple[Words, Words]]()
    level: list[tuple[tuple[Words, Words], Moves]] = [((stack, buffer), ())]
    n_swaps = 0
    while level and len(seen) * n_words < MAX_WORK:
        following: list[tuple[tuple[Words, Words], Moves]] = []
        for key, moves in reversed(level):  # late swaps first, as the oracles of the papers do
            end = _without_swap(Remaining(heads, *key), moves, seen, following)
            if end is not None:
                return BestEnd(0, n_swaps, end, n_swaps <= 1)
        level = following
        n_swaps += 1
    return None


def _without_swap(
    state: Remaining,
    before: Moves,
    seen: set[tuple[Words, Words]] | None,
    swapped: list[tuple[tuple[Words, Words], Moves]],
) -> Moves | None:
    """Continue without swaps; return the moves to the end, or collect the states after a SWAP.

    `seen` has the states of other paths, which are not continued again; None collects nothing.
    """
    moves = list(before)
    while not state.is_final:
        move = state.free_arc()
        if move is None:
            if seen is not None:
                key = state.key
                if key in seen:
                    return None
                seen.add(key)
                if state.can_swap:
                    after = (*key[0][:-2], key[0][-1]), (key[0][-2], *key[1])
                    swapped.append((after, (*moves, SWAP)))
            if not state.buffer:
                return None
            move = SHIFT
        state.take(move)
        moves.append(move)
    return tuple(moves)


def _of_all(heads: Words, stack: Words, buffer: Words) -> BestEnd:
    """Search all derivations in the order of lost arcs, then of swaps."""
    seen = set[tuple[Words, Words]]()
    queue: list[tuple[int, int, int, tuple[Words, Words], Moves]] = [(0, 0, 0, (stack, buffer), ())]
    while True:
        n_lost, n_swaps, _, key, moves = heappop(queue)
        state = Remaining(heads, *key)
        if state.is_final:
            return BestEnd(n_lost, n_swaps, moves, is_shortest=True)
        if key in seen:
            continue
        seen.add(key)
        for move, lost in state.valid():
            after = Remaining(heads, *key)
            after.take(move)
            swaps = n_swaps + (move == SWAP)
            # equal ends: the longest path first, so that one is followed to its end
            item = n_lost + lost, swaps, -len(moves), after.key, (*moves, move)
            heappush(queue, item)
