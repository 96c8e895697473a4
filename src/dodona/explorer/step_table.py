"""The steps of a derivation as a table: action, stack, buffer and new arcs; as LaTeX and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dodona.explorer.reachable import LabelledArc, arcs_of

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.explorer.explore import Explorer

ROOT = "ROOT"
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_SPECIAL = re.compile("[" + re.escape("".join(_LATEX)) + "]")


class Step(NamedTuple):
    """A state of a derivation, and the action that led to it."""

    number: int
    action: str  # empty for the initial state
    cost: int | None  # None without a gold tree, and for the initial state
    stack: tuple[str, ...]  # the top last
    buffer: tuple[str, ...]
    arcs: tuple[tuple[str, str, str], ...]  # new ones: head, label, dependent
    is_estimate: bool = False  # of the cost


def list_steps(explorer: Explorer, path: Sequence[Action]) -> list[Step]:
    """Return the initial state and the state after each action of a path.

    >>> from dodona.explorer.explore import Explorer, read_path
    >>> from dodona.explorer.typed import read_typed
    >>> [sentence] = read_typed("Ask 0 root\\nthe 3 det\\noak 1 obj")
    >>> steps = list_steps(Explorer(sentence, "arc-eager"), read_path("RIGHT-ARC:root SHIFT"))
    >>> steps[1].stack, steps[1].buffer, steps[1].arcs
    (('ROOT', 'Ask'), ('the', 'oak'), (('ROOT', 'root', 'Ask'),))
    """
    _, taken = explorer.follow(path)
    forms = [ROOT, *explorer.sentence.forms]

    def name(arcs: Iterable[LabelledArc]) -> tuple[tuple[str, str, str], ...]:
        ordered = sorted(arcs, key=lambda arc: (arc[2], arc[0]))
        return tuple((forms[head], label or "", forms[word]) for head, label, word in ordered)

    state, built, steps = explorer.start(), frozenset[LabelledArc](), list[Step]()
    for number, choice in enumerate([None, *taken]):
        if choice is not None:
            state = explorer.step(state, choice.action)
        arcs = arcs_of(explorer.system, state)
        steps.append(
            Step(
                number,
                "" if choice is None else str(choice.action),
                None if choice is None else choice.cost,
                tuple(forms[word] for word in state.stack),
                tuple(forms[word] for word in state.buffer),
                name(arcs - built),
                choice is not None and choice.is_estimate,
            )
        )
        built = arcs
    return steps


def to_csv(steps: Iterable[Step]) -> str:
    """Return the table as CSV, words separated by spaces; ≈ marks estimated costs.

    >>> print(to_csv([Step(1, "RIGHT-ARC:obj", 0, ("ROOT", "Ask"), (), (("Ask", "obj", "oak"),))]))
    step,action,cost,stack,buffer,arcs
    1,RIGHT-ARC:obj,0,ROOT Ask,,obj(Ask; oak)
    <BLANKLINE>
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(["step", "action", "cost", "stack", "buffer", "arcs"])
    for step in steps:
        cost = "" if step.cost is None else f"{'≈' * step.is_estimate}{step.cost}"
        arcs = " ".join(f"{label}({head}; {word})" for head, label, word in step.arcs)
        words = " ".join(step.stack), " ".join(step.buffer)
        writer.writerow([step.number, step.action, cost, *words, arcs])
    return written.getvalue()


def to_latex(steps: Sequence[Step]) -> str:
    r"""Return the table as a LaTeX `tabular`, for the package booktabs.

    >>> steps = [Step(0, "", None, ("ROOT",), ("50_%",), ())]
    >>> print(to_latex(steps).splitlines()[4])
    0 &  & [\textsc{root}] & [50\_\%] &  \\
    """
    has_costs = any(step.cost is not None for step in steps)
    head = ["Step", "Action", *(["Cost"] if has_costs else []), "Stack", "Buffer", "New arcs"]
    lines = [
        rf"\begin{{tabular}}{{r{'l' * (len(head) - 1)}}}  % \usepackage{{booktabs}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
    ]
    for step in steps:
        about = r"$\approx$" if step.is_estimate else ""
        cost = ["" if step.cost is None else f"{about}{step.cost}"] if has_costs else []
        arcs = ", ".join(
            rf"{_word(head)} $\to$ {_word(word)} ({_escape(label)})"
            for head, label, word in step.arcs
        )
        words = [f"[{', '.join(map(_word, side))}]" for side in (step.stack, step.buffer)]
        cells = [str(step.number), _escape(step.action), *cost, *words, arcs]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _word(form: str) -> str:
    return r"\textsc{root}" if form == ROOT else _escape(form)


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: _LATEX[found[0]], text)
