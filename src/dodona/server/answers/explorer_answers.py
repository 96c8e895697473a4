"""Answers to the explorer's page, as plain data for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from dodona.core.transitions.registry import find_system, systems
from dodona.core.transitions.registry import system as make_system
from dodona.core.transitions.system import LOSSES
from dodona.explorer.beam import explore_beam
from dodona.explorer.cost_explanation import explain
from dodona.explorer.explore import ANY, BEST, Choice, Explorer, graph_of, in_order
from dodona.explorer.reachable import LabelledArc, Reachable, arcs_of, crossed
from dodona.explorer.state_drawing import (
    draw_animation,
    draw_best,
    draw_graph,
    draw_slide,
    draw_state,
)
from dodona.explorer.step_table import list_steps, to_csv, to_latex
from dodona.query.pattern import Pattern
from dodona.server.answers.responses import encode
from dodona.server.errors import bad
from dodona.server.requests.explorer_request import ExploreRequest
from dodona.settings import CONSTRAINTS, NO_CONSTRAINTS
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.sentence import Sentence

MAX_MATCHES = 1000  # per sentence

Show: TypeAlias = Callable[[ExploreRequest], dict[str, Any]]


def write_explored(show: Show, asked: ExploreRequest) -> bytes:
    """Return the encoded answer; errors of the explorer refuse the request."""
    try:
        return encode(show(asked))
    except ValueError as error:
        raise bad(str(error)) from error
    except RecursionError as error:
        raise bad("the request is nested too deeply") from error


def describe_systems() -> list[dict[str, Any]]:
    """Describe every transition system with its options.

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
            "paper": kind.paper or None,
            "projective_only": kind.projective_only,
            "builds_graphs": kind.builds_graphs,
            "moves": make_system(name, labels=["dep"]).describe_moves(),
        }
        for name, kind in ((name, find_system(name)) for name in systems())
    ]


def show_state(asked: ExploreRequest) -> dict[str, Any]:
    """Describe the state at the end of a path."""
    explorer = asked.explorer()
    state, taken, stopped = explorer.follow_valid(asked.path)
    if stopped is not None and not asked.lenient:
        raise stopped
    view, made = explorer.view(state), explorer.system
    answer: dict[str, Any] = {
        "forms": explorer.sentence.forms,
        "system": {
            **{"name": made.name, "root": made.root},
            **{"loss": made.loss, "oracle": made.static_oracle},
        },
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
    if stopped is not None:
        answer["stopped"] = str(stopped)
    if view.is_final:
        answer["finished"] = in_order(explorer.system.finish(state).arcs)
    if view.reach is not None:
        gold = frozenset() if explorer.gold is None else explorer.gold.arcs
        never = [{"arc": arc, "crosses": in_order(crossed(arc, gold))} for arc in view.never]
        answer["loss"], answer["lost"] = (
            view.reach.loss,
            in_order(view.reach.lost - set(view.never)),
        )
        answer |= {"never": never, "best": _best(explorer, view.arcs, view.reach, asked)}
    return answer


def _best(
    explorer: Explorer, built: Iterable[LabelledArc], reach: Reachable, asked: ExploreRequest
) -> dict[str, Any]:
    return {
        "arcs": in_order(reach.arcs),
        "actions": list(map(str, reach.actions)),
        "is_best": reach.is_best,
        "is_shortest": reach.is_shortest,
        "svg": draw_best(explorer, built, reach, asked.best_width or asked.width),
    }


def show_why(asked: ExploreRequest) -> dict[str, Any]:
    """Explain the cost of an action after the path, with the best tree reachable after it."""
    if asked.action is None:
        raise bad("no action to explain; send action, as in RIGHT-ARC:obj")
    explorer = asked.explorer()
    state, _ = explorer.follow(asked.path)
    why = explain(explorer, state, asked.action)
    built = arcs_of(explorer.system, explorer.step(state, asked.action))
    return {
        "action": str(asked.action),
        "cost": why.cost,
        "optimal": why.is_optimal,
        "loses": in_order(why.loses),
        "instead": in_order(why.instead),
        "mislabelled": in_order(why.mislabelled),
        "wrong": in_order(why.wrong),
        "repairs": [str(repair.action) for repair in why.repairs],
        "repaired": [repair.words for repair in why.repairs],
        "n_wasted": why.n_wasted,
        "is_estimate": why.is_estimate,
        "loss": why.reach.loss,
        "best": _best(explorer, built, why.reach, asked),
    }


def show_derivation(asked: ExploreRequest) -> dict[str, Any]:
    """List the actions of an oracle or of the model; `best` and `any` continue the path."""
    explorer = asked.explorer()
    if asked.oracle not in (BEST, ANY):
        return {"path": list(map(str, explorer.derivation(asked.oracle)))}
    state, _ = explorer.follow(asked.path)
    return {"path": [*map(str, asked.path), *map(str, explorer.derivation(asked.oracle, state))]}


def show_beam(asked: ExploreRequest) -> dict[str, Any]:
    """Describe the hypotheses of beam search, step by step."""
    explorer = asked.explorer()
    view = explore_beam(explorer, asked.beam)
    return {
        "beam": asked.beam,
        "fell_at": view.fell_at,
        "fell_by": view.fell_by,
        "forms": explorer.sentence.forms,
        "steps": [
            [
                asdict(hypothesis)
                | {"action": None if hypothesis.action is None else str(hypothesis.action)}
                for hypothesis in hypotheses
            ]
            for hypotheses in view.steps
        ],
    }


def show_tree(asked: ExploreRequest) -> dict[str, Any]:
    """Draw a gold tree or graph that is being edited, and return it as CoNLL-U."""
    sentence = asked.read_sentence()
    graph = graph_of(sentence)
    arcs = frozenset() if graph is None else graph.arcs
    return {"svg": draw_graph(sentence, arcs, asked.width), "conllu": sentence.to_conllu()}


def show_drawings(asked: ExploreRequest) -> dict[str, Any]:
    """Draw the trees and enhanced graphs of sentences; null for those beyond the limits."""
    return {"sentences": [_draw_sentence(one, asked) for one in asked.read_sentences()]}


def _draw_sentence(sentence: Sentence, asked: ExploreRequest) -> dict[str, str | None]:
    if len(sentence) > asked.limits.explore_words:
        return {"svg": None, "graph_svg": None}
    arcs = enhanced_graph(sentence)
    can_draw = 0 < len(arcs) <= asked.limits.explore_arcs
    return {
        "svg": sentence.to_svg(width=asked.width, standalone=False),
        "graph_svg": draw_graph(sentence, arcs, asked.width) if can_draw else None,
    }


def show_table(asked: ExploreRequest) -> dict[str, Any]:
    """List the states of the path as a table, also as LaTeX and CSV."""
    steps = list_steps(asked.explorer(), asked.path)
    rows = [step._asdict() for step in steps]
    return {"steps": rows, "latex": to_latex(steps), "csv": to_csv(steps)}


def show_slide(asked: ExploreRequest) -> dict[str, Any]:
    """Draw the state, or all states on the path, as a self-contained picture."""
    draw = draw_animation if asked.film else draw_slide
    return {"svg": draw(asked.explorer(), asked.path, asked.width)}


def show_matches(asked: ExploreRequest) -> dict[str, Any]:
    """List the matches of a pattern in each sentence, as word numbers."""
    if asked.pattern is None:
        raise bad("no pattern to search for; send pattern, as in upos=VERB >nsubj *")
    pattern = Pattern(asked.pattern)
    found = [
        [match.ids for match in pattern.matches(sentence, most=MAX_MATCHES)]
        for sentence in asked.read_sentences()
    ]
    return {"names": pattern.name_places, "matches": found}


SHOWN: dict[str, Show] = {  # by address
    "/api/explore": show_state,
    "/api/explore/derivation": show_derivation,
    "/api/explore/beam": show_beam,
    "/api/explore/why": show_why,
    "/api/explore/tree": show_tree,
    "/api/explore/drawings": show_drawings,
    "/api/explore/table": show_table,
    "/api/explore/slide": show_slide,
    "/api/explore/match": show_matches,
}


def _choice(choice: Choice) -> dict[str, Any]:
    return asdict(choice) | {"action": str(choice.action)}


def _sort(explorer: Explorer, choices: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort by move in the system's order, then by cost, then by score."""
    names = [*explorer.system.moves, *(explorer.system.other_names or {}).values()]

    def rank(choice: dict[str, Any]) -> tuple[int, int, int, str]:
        cost, score = choice["cost"] or 0, choice["score"]
        worst = -score if score is not None else 1 << 20
        return names.index(choice["move"]), cost, worst, choice["label"] or ""

    return sorted(choices, key=rank)
