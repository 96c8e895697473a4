"""Step through a parse and show the cost of every action, as plain data.

`dodona oracle` prints the data, and the explorer's page shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dodona.core.search.tracing import noted_state, state_scores
from dodona.core.transitions.action import Action
from dodona.core.transitions.gold import Gold
from dodona.core.transitions.registry import find_system
from dodona.core.transitions.registry import system as make_system
from dodona.explorer.ratings import Rating, rate, rate_one
from dodona.explorer.reachable import LabelledArc, Reachable, arcs_of, reach, split_lost
from dodona.settings import CONSTRAINTS, NO_CONSTRAINTS
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.universal import UNANNOTATED

if TYPE_CHECKING:
    from dodona.core.transitions.system import State, System
    from dodona.parsing.parser import Parser
    from dodona.treebank.sentence import Sentence
    from dodona.treebank.trees.ud_rules import SentenceRules

MODEL, BEST, ANY = "model", "best", "any"  # derivations in addition to those of static oracles


@dataclass(frozen=True)
class Choice:
    """A valid action with its cost and optimality by the gold tree, and its score by the model.

    These are None without a gold tree or model, and for actions unknown to the model. `n_wasted`
    counts the actions more than needed after an action that costs nothing, where that is known.
    `forbidden` gives the reason why a constraint of the treebank forbids the action.
    """

    move: str
    label: str | None
    cost: int | None
    optimal: bool | None
    score: int | None
    forbidden: str | None = None
    n_wasted: int | None = None
    is_estimate: bool = False  # of the cost

    @property
    def action(self) -> Action:
        return Action(self.move, self.label)


@dataclass(frozen=True)
class StateView:
    """A state, its valid actions, and the best tree reachable from it."""

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[LabelledArc, ...]  # by dependent
    is_final: bool
    choices: tuple[Choice, ...]
    reach: Reachable | None  # None without a gold tree
    never: tuple[LabelledArc, ...]  # lost gold arcs that were never reachable


class Explorer:
    """A sentence with its gold tree, a transition system and, optionally, a parser.

    With a parser, the system is the parser's, and so are the constraints by default. The labels are
    those of the parser, the gold tree and the argument `labels` together.

    >>> from dodona.explorer.typed import read_typed
    >>> [sentence] = read_typed("Ask 0 root\\nthe 3 det\\noak 1 obj")
    >>> explorer = Explorer(sentence, "arc-eager", root="first")
    >>> state, taken = explorer.follow([Action("SHIFT")])  # the root's arc is lost
    >>> taken[0].cost, explorer.view(state).reach.lost
    (1, frozenset({(0, 'root', 1)}))
    """

    def __init__(
        self,
        sentence: Sentence,
        system: str | None = None,
        *,
        root: str | None = None,
        loss: str | None = None,
        static_oracle: str | None = None,
        parser: Parser | None = None,
        constraints: str | None = None,
        labels: Iterable[str] = (),
    ) -> None:
        if parser is not None and constraints is not None:
            parser = parser.with_constraints(constraints)
        elif constraints is None:
            constraints = NO_CONSTRAINTS if parser is None else parser.settings.constraints
        self.sentence, self.parser = sentence, parser
        chosen = system or (parser.settings.system if parser else "arc-eager")
        self.gold = (graph_of if find_system(chosen).builds_graphs else gold_of)(sentence)
        asked = {"system": system, "root": root, "loss": loss, "static_oracle": static_oracle}
        if parser is None:
            known = _labels(self.gold)
            arcs = () if self.gold is None else self.gold.arcs
            roots = {label for head, label, _ in arcs if head == 0}
            root_label = (roots.pop() if len(roots) == 1 else None) or "root"
        else:
            for name, value in asked.items():
                asked[name] = own = getattr(parser.settings, name)
                if value not in (None, own):
                    why = f"the model has {name} {own}, not {value}; omit {name} or the model"
                    raise ValueError(why)
            known, root_label = [*parser.labels, *_labels(self.gold)], parser.root_label
            self._corpus = parser.encode(sentence)
        self.system = make_system(
            chosen,
            labels=list(dict.fromkeys([*known, *labels])) or ["dep"],
            root=asked["root"],
            loss=asked["loss"] or "labelled",
            root_label=root_label,
            static_oracle=asked["static_oracle"] or "static",
        )
        self.rules = _rules_of(constraints, self.system, parser, sentence)
        if self.gold is not None and not self.system.takes_partial and _is_partial(self.gold):
            raise ValueError(f"{self.system.name} needs a complete tree; some words have no head")

    def start(self) -> State:
        """Return the initial state."""
        return self._with_notes(self.system.start(len(self.sentence)))

    def step(self, state: State, action: Action) -> State:
        """Return the state after an action."""
        return self._with_notes(self.system.step(state, action))

    def choices(self, state: State) -> dict[Action, Choice]:
        """Return every valid action with its cost and score."""
        scores = self.scores(state)
        rated: dict[Action, Rating] = {}
        if self.gold is not None and not self.system.is_final(state):
            rated = rate(self.system, state, self.gold)
        return {
            action: self._choice(state, action, rated.get(action), scores.get(action))
            for action in self.system.valid(state)
        }

    def follow(self, path: Iterable[Action]) -> tuple[State, list[Choice]]:
        """Return the state at the end of a path, and the path's actions as choices."""
        state, taken, error = self.follow_valid(path)
        if error is not None:
            raise error
        return state, taken

    def follow_valid(self, path: Iterable[Action]) -> tuple[State, list[Choice], ValueError | None]:
        """Follow a path up to its first invalid action, and also return that action's error."""
        state, taken = self.start(), list[Choice]()
        for number, action in enumerate(path, start=1):
            try:
                after = self.step(state, action)
            except ValueError as error:
                return state, taken, ValueError(f"action {number}: {error}")
            rated = None
            if self.gold is not None:
                rated = rate_one(self.system, state, self.gold, action)
            taken.append(self._choice(state, action, rated, self.scores(state).get(action)))
            state = after
        return state, taken, None

    def view(self, state: State) -> StateView:
        found = None if self.gold is None else reach(self.system, state, self.gold)
        return StateView(
            state.stack,
            state.buffer,
            in_order(arcs_of(self.system, state)),
            self.system.is_final(state),
            tuple(self.choices(state).values()),
            found,
            () if found is None else in_order(split_lost(found.lost, self.unreachable)[0]),
        )

    @cached_property
    def unreachable(self) -> frozenset[LabelledArc]:
        """Gold arcs that the system cannot build, or not together with the others."""
        if self.gold is None:
            return frozenset()
        return reach(self.system, self.start(), self.gold).lost

    def derivation(self, oracle: str, state: State | None = None) -> list[Action]:
        """Return the actions of an oracle or of the model up to a final state.

        `oracle` is a static oracle of the system, "model", or one that continues from a state:
        "best" follows the gold tree, and "any" takes the first valid action of each state.
        """
        if oracle == ANY:
            return list(self._any(state or self.start()))
        if oracle == BEST:
            if self.gold is None:
                raise ValueError("the best derivation needs a gold tree")
            return list(reach(self.system, state or self.start(), self.gold).actions)
        if oracle == MODEL:
            if self.parser is None:
                raise ValueError("the derivation of a model needs a model")
            return [action for _, action in self.parser.trace(self.sentence) if action is not None]
        if self.gold is None or _is_partial(self.gold):
            raise ValueError("a static oracle needs a complete gold tree; some words have no head")
        return self.system.derivation(self.gold, oracle)

    def _any(self, state: State) -> Iterator[Action]:
        while not self.system.is_final(state):
            action = self.system.valid(state)[0]
            yield action
            state = self.step(state, action)

    def _choice(
        self, state: State, action: Action, rated: Rating | None, score: int | None
    ) -> Choice:
        forbidden = self._forbidden(state, action)
        if rated is None:
            return Choice(action.move, action.label, None, None, score, forbidden)
        cost, optimal, n_wasted, is_estimate = rated
        return Choice(
            action.move, action.label, cost, optimal, score, forbidden, n_wasted, is_estimate
        )

    def _forbidden(self, state: State, action: Action) -> str | None:
        """Return why a constraint forbids the action; None if it is allowed."""
        return None if self.rules is None else self.rules.why_not(state, action)

    def scores(self, state: State) -> dict[Action, int]:
        """Return the model's scores of the valid actions that it knows; empty without a model."""
        if self.parser is None or self.system.is_final(state):
            return {}
        return state_scores(self.parser.search, state, self._corpus)

    def _with_notes(self, state: State) -> State:
        """Return the state with what the search records of the model's scores."""
        if self.parser is None or self.system.is_final(state):
            return state
        return noted_state(self.parser.search, state, self._corpus)


def _rules_of(
    constraints: str, system: System, parser: Parser | None, sentence: Sentence
) -> SentenceRules | None:
    if constraints not in CONSTRAINTS:
        known = ", ".join(CONSTRAINTS)
        raise ValueError(f"constraints must be one of {known}, not {constraints!r}")
    if constraints == NO_CONSTRAINTS:
        return None
    if system.builds_graphs:
        raise ValueError(f"constraints are for trees, and {system.name} builds graphs")
    from dodona.treebank.trees.ud_rules import SentenceRules

    return SentenceRules(system.labels, sentence if parser is None else parser.tagged(sentence))


def gold_of(sentence: Sentence) -> Gold | None:
    """Return the tree of a sentence; None if no word has a head.

    >>> from dodona.explorer.typed import read_typed
    >>> gold_of(read_typed("Ask the oak")[0]) is None
    True
    """
    if all(head is None for head in sentence.heads):
        return None
    labels = sentence.deprels
    if set(labels) != {UNANNOTATED}:
        return Gold(sentence.heads, [None if label == UNANNOTATED else label for label in labels])
    return Gold(sentence.heads, labels)


def graph_of(sentence: Sentence) -> Gold | None:
    """Return the graph of the DEPS column or, if that is empty, the tree as a graph.

    >>> from dodona import Sentence
    >>> both = Sentence.from_columns(["Ask", "oaks"], deps=["0:root", "0:root|1:obj"])
    >>> sorted(graph_of(both).arcs)
    [(0, 'root', 1), (0, 'root', 2), (1, 'obj', 2)]
    """
    arcs = {arc for arc in enhanced_graph(sentence) if arc[0] != arc[2]}
    tree = gold_of(sentence)
    if arcs or tree is None:
        return Gold(arcs=sorted(arcs), n_words=len(sentence)) if arcs else None
    labelled = [(head, label, word) for head, label, word in tree.arcs if label is not None]
    return Gold(arcs=labelled, n_words=len(sentence))


def read_path(names: str | Sequence[str]) -> list[Action]:
    """Read actions by their names.

    >>> read_path("SHIFT LEFT-ARC:nsubj:pass")
    [Action(move='SHIFT', label=None), Action(move='LEFT-ARC', label='nsubj:pass')]
    """
    actions = []
    for name in names.split() if isinstance(names, str) else names:
        move, _, label = name.partition(":")
        actions.append(Action(move, label or None))
    return actions


def in_order(arcs: Iterable[LabelledArc]) -> tuple[LabelledArc, ...]:
    """Sort arcs by dependent, then by head."""
    return tuple(sorted(arcs, key=lambda arc: (arc[2], arc[0])))


def _labels(gold: Gold | None) -> list[str]:
    return [] if gold is None else sorted({label for _, label, _ in gold.arcs if label is not None})


def _is_partial(gold: Gold) -> bool:
    attached = {dependent for _, label, dependent in gold.arcs if label is not None}
    return len(attached) < len(gold)
