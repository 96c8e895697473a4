"""How many swaps the oracles of `swap` need: on treebanks, and beside the fewest on small trees."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from dodona.core.transitions.gold import Gold
from dodona.core.transitions.registry import system
from dodona.core.transitions.system import System
from dodona.treebank.conllu.reader import read
from dodona.treebank.trees.projectivity import is_tree

ORACLES = ("eager", "lazy", "minimal")
BIN = 5  # words: sentences are put together by length

Heads = tuple[int, ...]


@dataclass(frozen=True)
class Swaps:
    """What the oracles do on a treebank: swaps in all, and transitions per word by length."""

    n_swaps: dict[str, int]
    per_word: dict[str, list[float]]  # of sentences with 1 to BIN words, the next BIN, …

    @property
    def reduction(self) -> float:
        """By how many percent lazy needs fewer swaps than eager."""
        eager, lazy = self.n_swaps["eager"], self.n_swaps["lazy"]
        return 100 * (eager - lazy) / eager if eager else 0.0


def n_swaps(heads: Sequence[int | None], oracle: str) -> int:
    """The swaps in the oracle's derivation of a tree.

    >>> n_swaps([7, 0, 2, 2, 6, 4, 4, 2], "eager"), n_swaps([7, 0, 2, 2, 6, 4, 4, 2], "lazy")
    (5, 2)
    """
    actions = _system().derivation(Gold(heads=list(heads)), oracle)
    return sum(action.move == "SWAP" for action in actions)


@cache
def _system() -> System:
    return system("swap", labels=["_"])


def count_swaps(path: Path) -> Swaps:
    """Over all sentences of a treebank; a derivation has two transitions a word and two a swap."""
    totals = dict.fromkeys(ORACLES, 0)
    n_words: Counter[int] = Counter()
    by_length: dict[str, Counter[int]] = {oracle: Counter() for oracle in ORACLES}
    for sentence in read(path, trees="required"):
        length = (len(sentence) - 1) // BIN
        n_words[length] += len(sentence)
        for oracle in ORACLES:
            count = n_swaps(sentence.heads, oracle)
            totals[oracle] += count
            by_length[oracle][length] += 2 * count
    full = next(i for i in range(len(n_words) + 1) if i not in n_words)  # bins without a gap
    per_word = {
        oracle: [2 + counts[i] / n_words[i] for i in range(full)]
        for oracle, counts in by_length.items()
    }
    return Swaps(totals, per_word)


def all_trees(n: int) -> Iterator[Heads]:
    """Every tree over n words.

    >>> len(list(all_trees(3)))
    16
    """
    return (heads for heads in product(range(n + 1), repeat=n) if is_tree(heads))


def fewest_swaps(heads: Heads) -> int:
    """The fewest swaps with which any derivation builds the tree, by search.

    >>> fewest_swaps((7, 0, 2, 2, 6, 4, 4, 2))
    2
    """
    start = ((0,), tuple(range(1, len(heads) + 1)))
    queue: deque[tuple[int, tuple[Heads, Heads]]] = deque([(0, start)])
    seen = set()
    while True:  # what costs a swap waits at the end: the first final state took the fewest
        count, state = queue.popleft()
        if state in seen:
            continue
        seen.add(state)
        stack, buffer = state
        if not buffer and len(stack) == 1:
            return count
        if buffer:
            queue.appendleft((count, ((*stack, buffer[0]), buffer[1:])))
        if len(stack) > 1:
            *rest, s1, s0 = stack
            for head, word in ((s1, s0), (s0, s1)):
                if word and heads[word - 1] == head and not _waits(word, heads, stack + buffer):
                    queue.appendleft((count, ((*rest, head), buffer)))
            if 0 < s1 < s0:
                queue.append((count + 1, ((*rest, s0), (s1, *buffer))))


def _waits(word: int, heads: Heads, left: Heads) -> bool:
    """Whether a dependent of the word is still without its head."""
    return any(heads[other - 1] == word for other in left if other)


def small_trees(n_most: int) -> dict[int, dict[str, int]]:
    """Swaps on all trees of 2, 3, … words by each oracle, and the fewest possible.

    >>> small_trees(3)[3]
    {'eager': 4, 'lazy': 4, 'minimal': 4, 'fewest': 4}
    """
    found = {}
    for n in range(2, n_most + 1):
        trees = list(all_trees(n))
        found[n] = {o: sum(n_swaps(heads, o) for heads in trees) for o in ORACLES}
        found[n]["fewest"] = sum(map(fewest_swaps, trees))
    return found
