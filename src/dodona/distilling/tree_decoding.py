"""Decoding of graph-based parsers: the best tree, given a score for every arc.

Scores are arrays with a row per dependent and a column per head, the first of them for the root:
`scores[d, h]` is the score of word h - 1 as the head of word d, `scores[d, 0]` that of the root. A
tree has one word under the root. If the best heads of all words form a tree, it is the best one;
otherwise Eisner (1996) finds projective trees, Chu & Liu (1965) and Edmonds (1967) any others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dodona.treebank.trees.projectivity import is_projective

AnyArray = Any  # of NumPy
FORBIDDEN = -1e9  # score
ROOT_PENALTY = 1e6  # above any difference of scores: it forbids a second word under the root


def best_trees(scores: AnyArray, n_words: Sequence[int], *, projective: bool) -> list[list[int]]:
    """Return the heads of the best tree of each sentence in a batch.

    `scores` is padded: sentence, word, head.
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
    """Return whether all words lead to the root."""
    reached = {0}
    for word in range(1, len(heads) + 1):
        path = []
        while word not in reached:
            if word in path:
                return False
            path.append(word)
            word = heads[word - 1]
        reached.update(path)
    return True


def eisner(scores: AnyArray, n_words: Sequence[int]) -> list[list[int]]:
    """Return the best projective tree of each sentence (Eisner 1996).

    Spans of one width are filled in for all sentences together. A span of words i…j is complete,
    headed by i or by j, or it is an arc between i and j; `split` holds its best split point.
    """
    n, size = scores.shape[:2]
    right = np.full((n, size, size), FORBIDDEN)  # complete, headed by its first word
    left = np.full((n, size, size), FORBIDDEN)  # … by its last
    arc_right, arc_left = right.copy(), left.copy()
    split = np.zeros((3, n, size, size), np.int32)  # of arcs, of right, of left
    diagonal = np.arange(size)
    right[:, diagonal, diagonal] = left[:, diagonal, diagonal] = 0
    for width in range(1, size):
        i: AnyArray = np.arange(size - width)[:, None]
        j: AnyArray = i + width
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


def _heads(split: AnyArray, root: int, n_words: int) -> list[int]:
    """Follow the split points to the heads, with the word `root` under the root."""
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


def spanning_tree(scores: AnyArray) -> list[int]:
    """Return the best tree of one sentence, projective or not (Chu & Liu 1965, Edmonds 1967)."""
    n = len(scores)
    whole = np.full((n + 1, n + 1), FORBIDDEN * ROOT_PENALTY)
    whole[1:] = scores
    whole[1:, 0] -= ROOT_PENALTY
    np.fill_diagonal(whole, FORBIDDEN * ROOT_PENALTY)
    return [int(head) for head in _arborescence(whole)[1:]]


def _arborescence(scores: AnyArray) -> AnyArray:
    """Return the heads of all nodes but 0: a cycle among the best heads is contracted to one node,
    and opened where the tree of the smaller graph enters it."""
    heads = scores.argmax(axis=1)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    inside: AnyArray = np.zeros(len(scores), bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)
    # entering the cycle at a word removes that word's arc within it
    gains = scores[cycle][:, outside] - scores[cycle, heads[cycle]][:, None]
    entry, leaving = gains.argmax(axis=0), scores[outside][:, cycle].argmax(axis=1)
    m = len(outside)
    smaller = np.full((m + 1, m + 1), FORBIDDEN * ROOT_PENALTY)
    smaller[:m, :m] = scores[np.ix_(outside, outside)]
    smaller[m, :m] = gains.max(axis=0)
    smaller[:m, m] = scores[outside][:, cycle].max(axis=1)
    np.fill_diagonal(smaller, FORBIDDEN * ROOT_PENALTY)
    found = _arborescence(smaller)
    result = heads.copy()
    for i, node in enumerate(outside[1:], 1):
        head = found[i]
        result[node] = cycle[leaving[i]] if head == m else outside[head]
    result[cycle[entry[found[m]]]] = outside[found[m]]
    return result


def _cycle(heads: AnyArray) -> AnyArray | None:
    """Return the nodes of a cycle, or None."""
    state: AnyArray = np.zeros(len(heads), np.int32)  # the start of the path that visited a node
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
