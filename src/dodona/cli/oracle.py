"""`dodona oracle`: an oracle's walk through a sentence, and the cost of every way off it."""

import json as json_
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag
from dodona.cli.setting_flags import given, with_settings

if TYPE_CHECKING:
    from dodona.show.walk import Choice, Step
    from dodona.treebank.sentence import Sentence

MOST_LABELS = 3  # named in a line


@with_settings("system", "root", "loss")
def oracle(
    *,
    gold: Annotated[str, Flag("CoNLL-U file of gold trees ('-': stdin)")],
    sentence: Annotated[int, Flag("which one, counted from 1")] = 1,
    oracle: Annotated[
        str, Flag("the oracle to follow: static; for swap also eager, lazy, minimal")
    ] = "static",
    json: Annotated[bool, Flag("print JSON")] = False,
    **settings: Any,
) -> None:
    """Walk with an oracle through a sentence.

    Shows each state on the way to the gold tree, and what every valid move would cost: the number
    of gold arcs it puts out of reach (Goldberg & Nivre 2012).
    """
    from dodona.core.gold import Gold
    from dodona.core.registry import system
    from dodona.settings import Settings
    from dodona.show.walk import walk

    found = _sentence(gold, sentence)
    chosen = replace(Settings(), **given(settings)).resolved()
    labels = sorted(set(found.deprels))
    machine = system(chosen.system, labels=labels, root=chosen.root, loss=chosen.loss)
    try:
        steps = walk(machine, Gold(heads=found.heads, labels=found.deprels), oracle)
    except ValueError as error:
        raise ValueError(f"{found.source}:{found.line}: {error}") from error
    if json:
        data = {"forms": found.forms, "steps": [asdict(step) for step in steps]}
        print(json_.dumps(data, ensure_ascii=False, indent=2))
    else:
        _print(found, steps)


def _sentence(path: str, number: int) -> "Sentence":
    from dodona.treebank.reader import read

    if number < 1:
        raise UsageError(f"--sentence counts from 1; found {number}")
    with read(path) as reader:
        found = next(islice(reader, number - 1, None), None)
        if found is None:
            raise ValueError(f"{reader.source}: there is no sentence {number} in it")
    return found


def _print(sentence: "Sentence", steps: Sequence["Step"]) -> None:
    from dodona.drawing.terminal import draw, printable

    words = ["ROOT", *(f"{i}:{printable(form)}" for i, form in enumerate(sentence.forms, start=1))]
    for number, step in enumerate(steps):
        print(f"state {number}" + (", final" if step.taken is None else ""))
        print("  stack  ", *(words[i] for i in step.stack))
        print("  buffer ", *(words[i] for i in step.buffer))
        print("  arcs   ", ", ".join(_arc(arc, words) for arc in step.arcs))
        for line in describe(step.choices, step.taken):
            print(f"  {line}")
        print()
    heads = [head or 0 for head in sentence.heads]
    print(draw(sentence.forms, heads, sentence.deprels, colour=sys.stdout.isatty()))


def _arc(arc: tuple[int, str, int], words: Sequence[str]) -> str:
    head, label, dependent = arc
    return f"{words[head]} -{label}-> {words[dependent]}"


def describe(choices: Sequence["Choice"], taken: "Choice | None") -> list[str]:
    """A line for each move and cost, the labels together; an arrow points to the one taken.

    >>> from dodona.show.walk import Choice
    >>> shift, left = Choice("SHIFT", None, 0), Choice("LEFT-ARC", "obj", 1)
    >>> print(*describe([shift, left], shift), sep="\\n")
    → SHIFT      cost 0
      LEFT-ARC   cost 1  obj
    """
    groups: dict[tuple[str, int], list[Choice]] = {}
    for choice in sorted(choices, key=lambda choice: choice is not taken and choice != taken):
        groups.setdefault((choice.move, choice.cost), []).append(choice)
    order = list(dict.fromkeys(choice.move for choice in choices))
    width = max(map(len, order), default=0)
    lines = []
    for move, cost in sorted(groups, key=lambda group: (order.index(group[0]), group[1])):
        labels = [choice.label for choice in groups[move, cost] if choice.label is not None]
        more = f" and {len(labels) - MOST_LABELS} more" if len(labels) > MOST_LABELS else ""
        arrow = "→" if taken in groups[move, cost] else " "
        line = f"{arrow} {move:<{width}}   cost {cost}  {', '.join(labels[:MOST_LABELS])}{more}"
        lines.append(line.rstrip())
    return lines
