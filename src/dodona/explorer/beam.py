"""Beam search step by step: the hypotheses, and the step that prunes the last correct one.

A hypothesis is correct if the best tree reachable at the start is still reachable, that is, if each
of its actions had the lowest cost possible (Aufrant, Wisniewski & Yvon 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dodona.core.search.log_scores import LogScores
from dodona.settings import NEURAL

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.system import State
    from dodona.explorer.explore import Explorer
    from dodona.explorer.reachable import LabelledArc

WIDTH = 8


@dataclass(frozen=True)
class Hypothesis:
    score: float
    parent: int  # index in the previous step
    action: Action | None  # None: it was final already
    is_correct: bool | None  # None without a gold tree
    is_final: bool
    joined: LabelledArc | None  # the arc that the action built


@dataclass(frozen=True)
class BeamView:
    """The hypotheses after each step, best first; step 0 has the initial state."""

    steps: tuple[tuple[Hypothesis, ...], ...]
    fell_at: int | None  # the first step without a correct hypothesis
    fell_by: float | None  # how much its score was below the last hypothesis kept

    def path(self, step: int, index: int) -> list[Action]:
        """Return the actions of a hypothesis from the start."""
        actions = []
        for hypotheses in reversed(self.steps[1 : step + 1]):
            hypothesis = hypotheses[index]
            if hypothesis.action is not None:
                actions.append(hypothesis.action)
            index = hypothesis.parent
        return actions[::-1]


def explore_beam(explorer: Explorer, width: int = WIDTH) -> BeamView:
    """Run beam search with an explorer's model, and compare every hypothesis with the gold tree."""
    if explorer.parser is None:
        raise ValueError("beam search needs a model to score the hypotheses")
    states = [explorer.start()]
    has_gold = explorer.gold is not None
    is_final = explorer.system.is_final(states[0])
    steps: list[tuple[Hypothesis, ...]] = [
        (Hypothesis(0, 0, None, True if has_gold else None, is_final, None),)
    ]
    fell_at = fell_by = None
    for found in explorer.parser.trace_beam(explorer.sentence, width):
        parents, before = states, steps[-1]
        free = [_correct_actions(explorer, *pair) for pair in zip(parents, before, strict=True)]
        states, hypotheses = [], []
        for score, parent, action in found:
            state, is_correct, joined = parents[parent], before[parent].is_correct, None
            if action is not None:
                is_correct = is_correct and action in free[parent]
                state = explorer.step(state, action)
                joined = next(iter(state.arcs - parents[parent].arcs), None)
            is_final = explorer.system.is_final(state)
            states.append(state)
            hypotheses.append(Hypothesis(score, parent, action, is_correct, is_final, joined))
        steps.append(tuple(hypotheses))
        is_lost = has_gold and not any(hypothesis.is_correct for hypothesis in hypotheses)
        if is_lost and fell_at is None:
            fell_at = len(steps) - 1
            correct = _best_correct(explorer, parents, before, free)
            fell_by = None if correct is None else hypotheses[-1].score - correct
    return BeamView(tuple(steps), fell_at, fell_by)


def _best_correct(
    explorer: Explorer,
    states: Sequence[State],
    hypotheses: Sequence[Hypothesis],
    free: Sequence[set[Action]],
) -> float | None:
    """Return the score of the best correct candidate that was pruned; None if there is none."""
    candidates = [
        hypothesis.score + score
        for state, hypothesis, actions in zip(states, hypotheses, free, strict=True)
        if actions
        for action, score in _added_scores(explorer, state).items()
        if action in actions
    ]
    return max(candidates, default=None)


def _added_scores(explorer: Explorer, state: State) -> dict[Action, int]:
    """Return what beam search adds for each action; for networks, log probabilities."""
    scores = explorer.scores(state)
    if explorer.parser is None or explorer.parser.settings.scorer != NEURAL:
        return scores
    return dict(zip(scores, LogScores().normalised(scores.values()), strict=True))


def _correct_actions(explorer: Explorer, state: State, hypothesis: Hypothesis) -> set[Action]:
    """Return the actions that keep a correct hypothesis correct."""
    if explorer.gold is None or not hypothesis.is_correct or hypothesis.is_final:
        return set()
    costs = explorer.system.costs(state, explorer.gold)
    lowest = min(costs.values())
    return {action for action, cost in costs.items() if cost == lowest}
