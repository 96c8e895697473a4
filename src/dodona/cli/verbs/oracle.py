"""`dodona oracle`: show a derivation and the cost of every action in its states."""

import json as json_
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from inspect import getdoc
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag, Json
from dodona.cli.setting_flags import drop_unset, with_settings
from dodona.cli.streams import has_colours
from dodona.core.transitions.registry import describe_systems
from dodona.settings import CONSTRAINTS, STATIC_ORACLES

if TYPE_CHECKING:
    from dodona.core.transitions.system import State
    from dodona.explorer.explore import Choice, Explorer, StateView
    from dodona.explorer.reachable import LabelledArc
    from dodona.treebank.sentence import Sentence

MOST_LABELS = 3  # per line
MOST_WORDS = 6  # of stack and buffer, next to where actions apply
MOST_ARCS = 3  # if there are more, only new ones are shown


@with_settings("system", "root", "loss")
def oracle(
    *,
    gold: Annotated[str, Flag("CoNLL-U file of gold trees ('-': stdin)")],
    sentence: Annotated[int, Flag("number of the sentence, from 1")] = 1,
    oracle: Annotated[
        str,
        Flag(
            f"oracle to follow: {', '.join(STATIC_ORACLES)}, if the system has it; model; best",
            metavar="NAME",
        ),
    ] = "static",
    model: Annotated[
        str | None,
        Flag("show the scores of this model, in its transition system", metavar="MODEL"),
    ] = None,
    actions: Annotated[
        str | None,
        Flag("take these actions instead, optimal or not: 'SHIFT LEFT-ARC:nsubj'", metavar="TEXT"),
    ] = None,
    constraints: Annotated[
        str | None,
        Flag(
            "ud: show what Universal Dependencies forbids, and why",
            choices=CONSTRAINTS,
            default="those of the model, if any",
        ),
    ] = None,
    json: Json = False,
    **settings: Any,
) -> None:
    """Show an oracle's derivation of a sentence, with the costs of all actions.

    Prints each state on the way to the gold tree and the cost of every valid action: the number of
    gold arcs that it makes unreachable (Goldberg & Nivre 2012). With --actions, any other
    derivation can be examined: which arcs it loses, and the best tree that remains reachable.
    """
    from dodona.explorer.explore import read_path

    found = _sentence(gold, sentence)
    try:
        explorer = _explorer(found, model, settings, constraints)
        path = explorer.derivation(oracle) if actions is None else read_path(actions)
        taken = explorer.follow(path)[1]
    except ValueError as error:
        raise ValueError(f"{found.source}:{found.line}: {error}") from error
    states = [explorer.start()]
    for action in path:
        states.append(explorer.step(states[-1], action))
    views = [explorer.view(state) for state in states]
    if json:
        steps = [_step(view, *pair) for view, *pair in zip(views, [*taken, None], strict=True)]
        print(json_.dumps({"forms": found.forms, "steps": steps}, ensure_ascii=False, indent=2))
    else:
        _print(explorer, views, [*taken, None])
        _print_outcome(explorer, states[-1], views[-1])


oracle.__doc__ = "\n\n".join([getdoc(oracle) or "", *describe_systems()])


def _explorer(
    found: "Sentence", model: str | None, settings: dict[str, Any], constraints: str | None
) -> "Explorer":
    from dodona.explorer.explore import Explorer
    from dodona.settings import Settings

    if model is not None:
        from dodona.models import locate
        from dodona.parsing.parser import Parser

        parser = Parser.load(locate(model))
        return Explorer(found, **drop_unset(settings), parser=parser, constraints=constraints)
    chosen = Settings(**drop_unset(settings)).resolved()
    return Explorer(
        found, chosen.system, root=chosen.root, loss=chosen.loss, constraints=constraints
    )


def _sentence(path: str, number: int) -> "Sentence":
    from dodona.treebank.conllu.reader import read

    if number < 1:
        raise UsageError(f"--sentence must be at least 1, not {number}")
    with read(path) as reader:
        found = next(islice(reader, number - 1, None), None)
        if found is None:
            raise ValueError(f"{reader.source}: the file has no sentence {number}")
    return found


def _step(view: "StateView", taken: "Choice | None") -> dict[str, Any]:
    from dodona.explorer.explore import in_order

    step = asdict(replace(view, reach=None)) | {"taken": None if taken is None else asdict(taken)}
    del step["reach"]
    if view.reach is not None:
        step["loss"], step["lost"] = view.reach.loss, in_order(view.reach.lost)
        step["best"] = in_order(view.reach.arcs)
    return step


def _print(
    explorer: "Explorer", views: Sequence["StateView"], taken: Sequence["Choice | None"]
) -> None:
    words = _words(explorer)
    before: frozenset[LabelledArc] = frozenset()
    for number, (view, choice) in enumerate(zip(views, taken, strict=True)):
        print(f"state {number}" + (", final" if view.is_final else ""))
        print("  stack  ", _few([words[i] for i in view.stack], from_end=True))
        print("  buffer ", _few([words[i] for i in view.buffer]))
        print("  arcs   ", _few_arcs(view.arcs, before, words))
        before = frozenset(view.arcs)
        if view.reach is not None and view.reach.lost:
            print("  lost   ", _arcs(sorted(view.reach.lost, key=lambda arc: arc[2]), words))
        for line in describe(view.choices, choice):
            print(f"  {line}")
        print()


def _print_outcome(explorer: "Explorer", state: "State", view: "StateView") -> None:
    from dodona.drawing.terminal import draw
    from dodona.explorer.explore import in_order

    if view.reach is None:
        return
    if view.reach.loss:
        name = "best reachable tree" if view.reach.is_best else "a reachable tree"
        print(f"{name} (loss {view.reach.loss}):")
    for action in view.reach.actions:
        state = explorer.step(state, action)
    arcs = in_order(explorer.system.finish(state).arcs)
    if [word for _, _, word in arcs] != list(range(1, len(explorer.sentence) + 1)):
        print(_arcs(arcs, _words(explorer)))  # several heads to a word: no tree to draw
        return
    heads, labels = [head for head, _, _ in arcs], [label or "" for _, label, _ in arcs]
    print(draw(explorer.sentence.forms, heads, labels, colour=has_colours()))


def _words(explorer: "Explorer") -> list[str]:
    from dodona.drawing.terminal import printable

    forms = map(printable, explorer.sentence.forms)
    return ["ROOT", *(f"{i}:{form}" for i, form in enumerate(forms, start=1))]


def _few(words: list[str], from_end: bool = False) -> str:
    """Return the words at the active end of stack or buffer, and the number of others.

    >>> _few(list("abcdefghi")), _few(list("abcdefghi"), from_end=True)
    ('a b c d e f … 3 more', '3 more … d e f g h i')
    """
    rest = len(words) - MOST_WORDS
    if rest <= 0:
        return " ".join(words)
    if from_end:
        return " ".join([f"{rest} more …", *words[rest:]])
    return " ".join([*words[:MOST_WORDS], f"… {rest} more"])


def _few_arcs(
    arcs: Iterable["LabelledArc"], before: frozenset["LabelledArc"], words: Sequence[str]
) -> str:
    """List all arcs if they are few, otherwise the new ones and the number of others."""
    found = list(arcs)
    if len(found) <= MOST_ARCS:
        return _arcs(found, words)
    new = [arc for arc in found if arc not in before]
    return ", ".join(filter(None, [f"… {len(found) - len(new)} as before", _arcs(new, words)]))


def _arcs(arcs: Iterable["LabelledArc"], words: Sequence[str]) -> str:
    return ", ".join(f"{words[head]} -{label}-> {words[word]}" for head, label, word in arcs)


def describe(choices: Sequence["Choice"], taken: "Choice | None") -> list[str]:
    """Return a line for each move and cost, with all labels; an arrow marks the action taken.

    ≈ marks costs that are estimates.

    >>> from dodona.explorer.explore import Choice
    >>> shift = Choice("SHIFT", None, 0, True, 7)
    >>> left = [Choice("LEFT-ARC", label, 1, False, None) for label in ("obj", "iobj")]
    >>> print(*describe([shift, *left], shift), sep="\\n")
    → SHIFT      cost 0  (score 7)
      LEFT-ARC   cost 1  obj, iobj
    """
    groups: dict[tuple[str, int, str], list[Choice]] = {}
    for choice in sorted(choices, key=lambda choice: (choice != taken, -(choice.score or 0))):
        key = choice.move, choice.cost or 0, choice.forbidden or ""
        groups.setdefault(key, []).append(choice)
    order = list(dict.fromkeys(choice.move for choice in choices))
    width = max(map(len, order), default=0)
    lines = []
    for key in sorted(groups, key=lambda group: (order.index(group[0]), *group[1:])):
        move, cost, forbidden = key
        scored = [(c.label, "" if c.score is None else f"(score {c.score})") for c in groups[key]]
        named = [" ".join(filter(None, pair)) for pair in scored]
        more = f" and {len(named) - MOST_LABELS} more" if len(named) > MOST_LABELS else ""
        arrow = "→" if taken in groups[key] else " "
        about, wasted = "≈" * groups[key][0].is_estimate, groups[key][0].n_wasted
        waste = f"(wastes {wasted} actions)  " if wasted else ""
        labels = f"{', '.join(named[:MOST_LABELS])}{more}"
        line = f"{arrow} {move:<{width}}   cost {about}{cost}  {waste}{labels}"
        lines.append(line.rstrip() + (f"  forbidden: {forbidden}" if forbidden else ""))
    return lines
