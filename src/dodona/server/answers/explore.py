"""What the server answers to the explorer's page, as plain data for JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from dodona.core.transitions.registry import find_system, systems
from dodona.core.transitions.system import LOSSES
from dodona.explorer.beam import explore_beam
from dodona.explorer.explore import Choice, Explorer, in_order
from dodona.explorer.picture import draw_best, draw_state
from dodona.server.answers.turns import encode
from dodona.server.errors import bad
from dodona.server.requests.explore import ExploreRequest
from dodona.settings import CONSTRAINTS, NO_CONSTRAINTS

Show: TypeAlias = Callable[[ExploreRequest], dict[str, Any]]


def write_explored(show: Show, asked: ExploreRequest) -> bytes:
    """The answer."""
    try:
        return encode(show(asked))
    except ValueError as error:  # the explorer's: each is written for the person who reads it
        raise bad(str(error)) from error


def describe_systems() -> list[dict[str, Any]]:
    """Every transition system with the choices that it leaves.

    >>> next(found["oracles"] for found in describe_systems() if found["name"] == "swap")
    ['static', 'eager', 'lazy', 'minimal']
    """
    return [
        {
            "name": name,
            "roots": list(kind.roots),
            "root": kind.roots[0],
            "oracles": list(kind.oracles),
            "losses": list(LOSSES),
            "constraints": [NO_CONSTRAINTS] if kind.builds_graphs else list(CONSTRAINTS),
        }
        for name, kind in ((name, find_system(name)) for name in systems())
    ]


def show_state(asked: ExploreRequest) -> dict[str, Any]:
    """The state at the end of a path."""
    explorer = asked.explorer()
    state, taken = explorer.follow(asked.path)
    view = explorer.view(state)
    answer: dict[str, Any] = {
        "forms": explorer.sentence.forms,
        "system": _settings(explorer),
        "has_gold": explorer.gold is not None,
        "has_model": explorer.parser is not None,
        "history": [_choice(choice) for choice in taken],
        "stack": view.stack,
        "buffer": view.buffer,
        "arcs": view.arcs,
        "is_final": view.is_final,
        "choices": _sort(explorer, [_choice(choice) for choice in view.choices]),
        "svg": draw_state(explorer, view, asked.width),
    }
    if view.is_final:
        answer["finished"] = in_order(explorer.system.finish(state).arcs)
    if view.reach is not None:
        answer["loss"] = view.reach.loss
        answer["lost"] = in_order(view.reach.lost)
        answer["best"] = {
            "arcs": in_order(view.reach.arcs),
            "actions": list(map(str, view.reach.actions)),
            "svg": draw_best(explorer, view, asked.best_width or asked.width),
        }
    return answer


def show_derivation(asked: ExploreRequest) -> dict[str, Any]:
    """The actions of an oracle or of the model; those of `best` go on from the path."""
    explorer = asked.explorer()
    if asked.oracle != "best":
        return {"path": list(map(str, explorer.derivation(asked.oracle)))}
    state, _ = explorer.follow(asked.path)
    return {"path": [*map(str, asked.path), *map(str, explorer.derivation("best", state))]}


def show_beam(asked: ExploreRequest) -> dict[str, Any]:
    """The hypotheses of beam search, step by step."""
    view = explore_beam(asked.explorer(), asked.beam)
    return {
        "beam": asked.beam,
        "fell_at": view.fell_at,
        "steps": [
            [
                asdict(hypothesis)
                | {"action": None if hypothesis.action is None else str(hypothesis.action)}
                for hypothesis in hypotheses
            ]
            for hypotheses in view.steps
        ],
    }


SHOWN: dict[str, Show] = {  # what can be asked for, by its address
    "/api/explore": show_state,
    "/api/explore/derivation": show_derivation,
    "/api/explore/beam": show_beam,
}


def _settings(explorer: Explorer) -> dict[str, str]:
    made = explorer.system
    return {"name": made.name, "root": made.root, "loss": made.loss, "oracle": made.static_oracle}


def _choice(choice: Choice) -> dict[str, Any]:
    return asdict(choice) | {"action": str(choice.action)}


def _sort(explorer: Explorer, choices: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """By move in the system's order, within it the cheapest first, then the best score."""
    names = [*explorer.system.moves, *(explorer.system.other_names or {}).values()]

    def rank(choice: dict[str, Any]) -> tuple[int, int, int, str]:
        cost, score = choice["cost"] or 0, choice["score"]
        worst = -score if score is not None else 1 << 20
        return names.index(choice["move"]), cost, worst, choice["label"] or ""

    return sorted(choices, key=rank)
