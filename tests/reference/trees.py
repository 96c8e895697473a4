"""Gold trees for tests: all trees of short sentences, random trees of longer ones.

A tree over words 1..n is the tuple of their heads; head 0 is the artificial root, which may have
several dependents.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from reference.search import Arc

Heads = tuple[int, ...]


def ancestors(heads: Heads, word: int) -> list[int]:
    """Return the ancestors of a word; the last is 0, unless there is a cycle."""
    path: list[int] = []
    while word != 0 and len(path) < len(heads):
        word = heads[word - 1]
        path.append(word)
    return path


def is_tree(heads: Heads) -> bool:
    """Whether the root is an ancestor of every word."""
    return all(0 in ancestors(heads, word) for word in range(1, len(heads) + 1))


def is_projective(heads: Heads) -> bool:
    """Whether each head dominates every word between itself and its dependent."""
    return all(
        head in ancestors(heads, between)
        for word, head in enumerate(heads, 1)
        for between in range(min(head, word) + 1, max(head, word))
    )


def all_trees(n: int) -> Iterator[Heads]:
    """Yield every tree over n words."""
    return (heads for heads in product(range(n + 1), repeat=n) if is_tree(heads))


def projective_trees(n: int) -> Iterator[Heads]:
    """Yield every projective tree over n words."""
    return filter(is_projective, all_trees(n))


def nonprojective_trees(n: int) -> Iterator[Heads]:
    """Yield every non-projective tree over n words."""
    return (heads for heads in all_trees(n) if not is_projective(heads))


def random_tree(n: int, random: Random) -> Heads:
    """Return a random tree over n words; every tree is possible."""
    heads = [0] * n
    attached = [0]
    for word in random.sample(range(1, n + 1), n):
        heads[word - 1] = random.choice(attached)
        attached.append(word)
    return tuple(heads)


def random_projective_tree(n: int, random: Random) -> Heads:
    """Return a random projective tree over n words; every one is possible."""
    heads = [0] * n

    def fill(words: Sequence[int], head: int) -> None:
        """Divide words into adjacent subtrees and attach each to `head`."""
        while words:
            size = random.randint(1, len(words))
            subtree, words = words[:size], words[size:]
            top = random.randrange(size)
            heads[subtree[top] - 1] = head
            fill(subtree[:top], subtree[top])
            fill(subtree[top + 1 :], subtree[top])

    fill(range(1, n + 1), 0)
    return tuple(heads)


def arcs_of(heads: Heads, labels: Sequence[str]) -> frozenset[Arc]:
    """Return a tree as a set of arcs."""
    return frozenset(
        (head, label, word) for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
    )
