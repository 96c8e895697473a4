"""Signals of arcs and labels in plain Python: the chance that no step loses an arc.

States, scores and costs come from the research interface; nothing of the core's own computation of
signals is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log

import dodona
from dodona import Action, Gold, State
from dodona.core.features.corpus import Corpus
from dodona.core.search.tracing import state_scores, trace

MOST = 20.0
Heads = Sequence[int | None]
BY_COSTS = ("arc-eager", "arc-eager-tree", "arc-hybrid", "nonmonotonic", "nonmonotonic-2013")


def log_odds(share: float) -> float:
    if share <= 0 or share >= 1:
        return MOST if share >= 1 else -MOST
    return max(-MOST, min(MOST, log(share) - log(1 - share)))


def arc_signals(
    parser: dodona.Parser, sentence: dodona.Sentence, temperature: float
) -> list[tuple[float, float]]:
    """The log-odds of the arc and of the label of every word."""
    corpus = parser.encode(sentence)
    parser.search.parse(corpus)
    heads = corpus.heads(0)
    steps = trace(parser.search, corpus)
    shares = [
        softmax(state_scores(parser.search, state, corpus), temperature) for state, _ in steps[:-1]
    ]
    return signals_along(steps, shares, heads)


def given_arc_signals(
    parser: dodona.Parser, corpus: Corpus, given: Gold, temperature: float, heads: Heads
) -> list[tuple[float, float]]:
    """The same of a greedy derivation that takes only actions which keep given arcs."""
    state, steps, shares = parser.system.start(len(heads)), [], []
    while not parser.system.is_final(state):
        kept = parser.system.keeping(state, given)
        scores = state_scores(parser.search, state, corpus)
        scores = {action: score for action, score in scores.items() if action in kept}
        best = max(scores, key=lambda action: scores[action])
        steps.append((state, best))
        shares.append(softmax(scores, temperature))
        state = parser.system.step(state, best)
    return signals_along([*steps, (state, None)], shares, heads)


def signals_along(
    steps: Sequence[tuple[State, Action | None]],
    shares: Sequence[dict[Action, float]],
    heads: Heads,
) -> list[tuple[float, float]]:
    """The log-odds of the arc and of the label of every word, along a derivation."""
    found = []
    for word, head in enumerate(heads, 1):
        assert head is not None
        chance = 1.0
        for (state, taken), share in zip(steps, shares, strict=False):
            assert taken is not None
            lost = moves_that_lose(state, share, taken, word, head)
            chance *= 1 - sum(p for action, p in share.items() if action.move in lost)
        found.append((log_odds(chance), label_signal(steps, shares, word, head)))
    return found


def softmax(scores: dict[Action, int], temperature: float) -> dict[Action, float]:
    highest = max(scores.values())
    powers = {a: exp((score - highest) / (256 * temperature)) for a, score in scores.items()}
    return {action: power / sum(powers.values()) for action, power in powers.items()}


def moves_that_lose(
    state: State, actions: Iterable[Action], taken: Action, word: int, head: int
) -> set[str]:
    """The moves that put the arc from the head to the word out of reach."""
    system, n_words = state.system, len(state)
    if system.name in BY_COSTS:
        wanted = [head if other == word else None for other in range(1, n_words + 1)]
        costs = system.costs(state, Gold(heads=wanted, labels=[None] * n_words))
        return {action.move for action, cost in costs.items() if cost > 0}
    one_of_each = {action.move: action for action in actions if action.move != taken.move}
    lost = set()
    for move, action in one_of_each.items():
        after = system.step(state, action).heads
        is_new = [after[i] != state.heads[i] for i in range(n_words)]
        gets_other = is_new[word - 1] and after[word - 1] != head
        gets_head = head > 0 and is_new[head - 1] and state.heads[word - 1] is None
        if gets_other or (system.joins == "stack" and gets_head):
            lost.add(move)
    return lost


def label_signal(
    steps: Sequence[tuple[State, Action | None]],
    shares: Sequence[dict[Action, float]],
    word: int,
    head: int,
) -> float:
    """The odds of the label among those of its move, where the arc was built for the last time."""
    final = steps[-1][0]
    if final.heads[word - 1] != head:
        return MOST if final.system.root == "none" and head == 0 else 0.0
    built = max(
        i
        for i in range(len(shares))
        if steps[i][0].heads[word - 1] != steps[i + 1][0].heads[word - 1]
    )
    taken = steps[built][1]
    assert taken is not None
    of_move = sum(p for action, p in shares[built].items() if action.move == taken.move)
    return log_odds(shares[built][taken] / of_move)
