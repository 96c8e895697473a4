"""The best tree, given a score for every arc: what a graph-based parser ends with.

Scores are arrays with a row per word and a column per head, the first for the root: word d (from 0)
hangs on word h - 1 with `scores[d, h]`, and on the root with `scores[d, 0]`. A tree has one word
under the root. Where every word's best head makes a tree, that is the best one; else projective
trees are found by Eisner (1996), others by Chu & Liu (1965) and Edmonds (1967).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dodona.treebank.trees.projectivity import is_projective

Numbers = Any  # an array of NumPy
NEVER = -1e9  # the score of what is not allowed
FAR = 1e6  # more than scores differ by: a second word under the root costs as much


def best_trees(scores: Numbers, n_words: Sequence[int], *, projective: bool) -> list[list[int]]:
    """The heads of the best tree of each sentence of a batch, of as many words.

    `scores` has room for longer ones: sentence, word, head.
    """
    scores = np.asarray(scores, np.float64)
    chosen = scores.argmax(axis=2)
    found = [chosen[i, :n].tolist() for i, n in enumerate(n_words)]
    left = [i for i, heads in enumerate(found) if heads and not _is_wanted(heads, projective)]
    if projective and left:
        most = max(n_words[i] for i in left)
        some = scores[left, :most, : most + 1]
        better = eisner(some, [n_words[i] for i in left])
    else:
        better = [spanning_tree(scores[i, : n_words[i], : n_words[i] + 1]) for i in left]
    for i, heads in zip(left, better, strict=True):
        found[i] = heads
    return found


def _is_wanted(heads: list[int], projective: bool) -> bool:
    return heads.count(0) == 1 and _is_tree(heads) and (not projective or is_projective(heads))


def _is_tree(heads: list[int]) -> bool:
    """Whether all words lead to the root."""
    reached = {0}
    for word in range(1, len(heads) + 1):
        way = []
        while word not in reached:
            if word in way:
                return False
            way.append(word)
            word = heads[word - 1]
        reached.update(way)
    return True


def eisner(scores: Numbers, n_words: Sequence[int]) -> list[list[int]]:
    """The best projective tree of each sentence.

    Spans of all sentences and of one width are filled in at once. A span of words i…j is complete,
    headed by i or by j, or it is an arc between i and j; `split` has where it is best cut.
    """
    n, size = scores.shape[:2]
    right = np.full((n, size, size), NEVER)  # complete, headed by its first word
    left = np.full((n, size, size), NEVER)  # … by its last
    arc_right, arc_left = right.copy(), left.copy()
    split = np.zeros((3, n, size, size), np.int32)  # of arcs, of right, of left
    diagonal = np.arange(size)
    right[:, diagonal, diagonal] = left[:, diagonal, diagonal] = 0
    for width in range(1, size):
        i: Numbers = np.arange(size - width)[:, None]
        j: Numbers = i + width
        k = i + np.arange(width)
        first, last = i[:, 0], j[:, 0]
        halves = right[:, i, k] + left[:, k + 1, j]
        best = halves.argmax(axis=2)
        arcs = np.take_along_axis(halves, best[:, :, None], axis=2)[:, :, 0]
        split[0][:, first, last] = first + best
        arc_right[:, first, last] = arcs + scores[:, last, first + 1]
        arc_left[:, first, last] = arcs + scores[:, first, last + 1]
        for which, table, parts in (
            (1, right, arc_right[:, i, k + 1] + right[:, k + 1, j]),
            (2, left, left[:, i, k] + arc_left[:, k, j]),
        ):
            best = parts.argmax(axis=2)
            table[:, first, last] = np.take_along_axis(parts, best[:, :, None], axis=2)[:, :, 0]
            split[which][:, first, last] = first + best + (which == 1)
    found = []
    for s, n_here in enumerate(n_words):
        root = left[s, 0, :n_here] + right[s, :n_here, n_here - 1] + scores[s, :n_here, 0]
        found.append(_heads(split[:, s], int(root.argmax()), n_here))
    return found


def _heads(split: Numbers, root: int, n_words: int) -> list[int]:
    """The tree that the cuts of spans make, with this word under the root."""
    heads = [0] * n_words
    todo = [("left", 0, root), ("right", root, n_words - 1)]
    while todo:
        kind, i, j = todo.pop()
        if i == j:
            continue
        if kind == "right":
            k = int(split[1, i, j])
            heads[k] = i + 1
            todo += [("arc", i, k), ("right", k, j)]
        elif kind == "left":
            k = int(split[2, i, j])
            heads[k] = j + 1
            todo += [("left", i, k), ("arc", k, j)]
        else:
            k = int(split[0, i, j])
            todo += [("right", i, k), ("left", k + 1, j)]
    return heads


def spanning_tree(scores: Numbers) -> list[int]:
    """The best tree of one sentence, be its arcs crossing or not."""
    n = len(scores)
    whole = np.full((n + 1, n + 1), NEVER * FAR)
    whole[1:] = scores
    whole[1:, 0] -= FAR
    np.fill_diagonal(whole, NEVER * FAR)
    return [int(head) for head in _arborescence(whole)[1:]]


def _arborescence(scores: Numbers) -> Numbers:
    """The head of every node but 0: a cycle among the best heads becomes one node, and is opened
    where the tree of what is left enters it."""
    heads = scores.argmax(axis=1)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    inside: Numbers = np.zeros(len(scores), bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)
    # to enter the cycle at a word loses the arc within
    gains = scores[cycle][:, outside] - scores[cycle, heads[cycle]][:, None]
    entry, leaving = gains.argmax(axis=0), scores[outside][:, cycle].argmax(axis=1)
    m = len(outside)
    smaller = np.full((m + 1, m + 1), NEVER * FAR)
    smaller[:m, :m] = scores[np.ix_(outside, outside)]
    smaller[m, :m] = gains.max(axis=0)
    smaller[:m, m] = scores[outside][:, cycle].max(axis=1)
    np.fill_diagonal(smaller, NEVER * FAR)
    found = _arborescence(smaller)
    result = heads.copy()
    for i, node in enumerate(outside[1:], 1):
        head = found[i]
        result[node] = cycle[leaving[i]] if head == m else outside[head]
    result[cycle[entry[found[m]]]] = outside[found[m]]
    return result


def _cycle(heads: Numbers) -> Numbers | None:
    """The nodes of a cycle, if there is one."""
    state: Numbers = np.zeros(len(heads), np.int32)  # the walk that has come by
    state[0] = -1
    for start in range(1, len(heads)):
        node = start
        while state[node] == 0:
            state[node] = start
            node = heads[node]
        if state[node] == start:
            found = [node]
            while heads[found[-1]] != node:
                found.append(heads[found[-1]])
            return np.array(found)
    return None
