"""Reference implementation of Brown clustering, which recomputes everything at each step.

It maximises the average mutual information of the current clusters (Brown et al. 1992), with
sentence boundaries as a cluster; words are added by frequency (Liang 2005). Losses that differ by
less than rounding errors count as equal, and the lowest pair wins.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from math import log

Cluster = frozenset[int]
EDGE = frozenset([-1])
EQUAL = 1e-9


def bigrams_of(sentences: Iterable[Sequence[int]]) -> Counter[tuple[int, int]]:
    """Count the pairs of adjacent words."""
    return Counter(pair for sentence in sentences for pair in pairwise([-1, *sentence, -1]))


def information(clusters: Iterable[Cluster], bigrams: Counter[tuple[int, int]]) -> float:
    """Return the mutual information of adjacent clusters."""
    home = {word: cluster for cluster in [EDGE, *clusters] for word in cluster}
    total = bigrams.total()
    joint: Counter[tuple[Cluster, Cluster]] = Counter()
    left: Counter[Cluster] = Counter()
    right: Counter[Cluster] = Counter()
    for (a, b), count in bigrams.items():
        if a in home:
            left[home[a]] += count
        if b in home:
            right[home[b]] += count
        if a in home and b in home:
            joint[home[a], home[b]] += count
    return sum(
        count / total * log(count * total / (left[a] * right[b])) for (a, b), count in joint.items()
    )


def best_pair(clusters: set[Cluster], bigrams: Counter[tuple[int, int]]) -> tuple[Cluster, Cluster]:
    """Return the two clusters whose merger keeps the most information."""
    best, most = None, float("-inf")
    for a, b in combinations(sorted(clusters, key=min), 2):
        left = information(clusters - {a, b} | {a | b}, bigrams)
        if left > most + EQUAL:
            best, most = (a, b), left
    assert best is not None
    return best


def merges(
    sentences: Sequence[Sequence[int]], n_words: int, n_clusters: int
) -> list[tuple[int, int]]:
    """Return the merged pairs in order; a cluster is named by its lowest word."""
    bigrams = bigrams_of(sentences)
    clusters: set[Cluster] = set()
    done = []
    for word in range(n_words + min(n_clusters, n_words) - 1):
        if word < n_words:
            clusters.add(frozenset([word]))
        if len(clusters) > n_clusters or word >= n_words:
            a, b = best_pair(clusters, bigrams)
            clusters = clusters - {a, b} | {a | b}
            done.append((min(a), min(b)))
    return done


def paths(sentences: Sequence[Sequence[int]], n_words: int, n_clusters: int) -> list[str]:
    """Return the bit string of every word, from the root of the cluster tree down."""
    tree: dict[int, object] = {word: [word] for word in range(n_words)}
    for i, (a, b) in enumerate(merges(sentences, n_words, n_clusters)):
        one, other = tree.pop(a), tree.pop(b)
        if i < n_words - n_clusters:
            tree[a] = one + other  # type: ignore[operator]
        else:
            tree[a] = (one, other)
    found: dict[int, str] = {}

    def walk(node: object, path: str) -> None:
        if isinstance(node, tuple):
            walk(node[0], path + "0")
            walk(node[1], path + "1")
        elif isinstance(node, list):
            found.update(dict.fromkeys(node, path))

    walk(tree[0], "")
    return [found[word] for word in range(n_words)]
