"""The reference implementations, and the papers' formulas against exhaustive search."""

from collections.abc import Callable, Iterator
from math import comb
from random import Random
from typing import NamedTuple

import pytest

from reference.arc_eager import REDUCE, SHIFT, ArcEager, State
from reference.search import LOSSES, Action, Arc, Definition, Space, graded, labelled, unlabelled
from reference.trees import (
    Heads,
    all_trees,
    arcs_of,
    is_projective,
    nonprojective_trees,
    projective_trees,
    random_projective_tree,
    random_tree,
)

ROOTS = ["first", "last", "none"]
LABELS = ("root", "obj")


# --- trees


@pytest.mark.parametrize("n", range(1, 6))
def test_the_number_of_trees_is_cayleys(n: int) -> None:
    assert sum(1 for _ in all_trees(n)) == (n + 1) ** (n - 1)


@pytest.mark.parametrize("n", range(1, 6))
def test_the_number_of_projective_trees_is_the_known_one(n: int) -> None:
    trees = list(projective_trees(n))
    assert len(trees) == comb(3 * n, n) // (2 * n + 1)  # 1, 3, 12, 55, 273: OEIS A001764
    one_root = [heads for heads in trees if heads.count(0) == 1]
    assert len(one_root) == comb(3 * n - 2, n - 1) // n  # 1, 2, 7, 30, 143: OEIS A006013


def test_random_trees_are_all_the_trees_in_the_long_run() -> None:
    random = Random(1)
    assert {random_tree(3, random) for _ in range(2000)} == set(all_trees(3))
    assert {random_projective_tree(3, random) for _ in range(2000)} == set(projective_trees(3))


def test_a_long_random_projective_tree_is_projective() -> None:
    assert all(is_projective(random_projective_tree(40, Random(seed))) for seed in range(20))


# --- losses and the transition system


def test_losses_of_a_missing_arc_and_of_a_wrong_label() -> None:
    gold = arcs_of((2, 0, 2), ("nsubj", "root", "obj"))
    built = arcs_of((2, 0, 2), ("nsubj", "root", "iobj")) - {(2, "nsubj", 1)}
    assert (labelled(built, gold), unlabelled(built, gold), graded(built, gold)) == (2, 1, 3)


def test_the_start_of_each_kind_of_root() -> None:
    starts = [ArcEager(LABELS, root).start(2)[:2] for root in ROOTS]
    assert starts == [((0,), (1, 2)), ((), (1, 2, 0)), ((), (1, 2))]


def test_the_two_derivations_of_the_papers_example() -> None:
    """Sequences (1) and (2) of section 2.2 build the same tree."""
    system = ArcEager(("dep",))
    for moves in ["S L R R S L D R D R", "S L R R D S L R D R"]:
        state = system.start(6)
        for letter in moves.split():
            action = {"S": SHIFT, "D": REDUCE}.get(letter) or Action(
                {"L": "LEFT-ARC", "R": "RIGHT-ARC"}[letter], "dep"
            )
            assert action in system.valid(state)
            state = system.step(state, action)
        assert system.is_final(state)
        assert state.arcs == arcs_of(PAPER, ("dep",) * 6)


@pytest.mark.parametrize("root", ROOTS)
def test_exactly_the_projective_forests_can_be_derived(root: str) -> None:
    """Soundness and completeness (Nivre 2008): head 0 or no head at all makes the same forest."""
    system = ArcEager(("root",), root)
    final = [state for state in Space(system).reachable(4) if system.is_final(state)]
    forests = {frozenset(arc for arc in system.arcs(state) if arc[0] != 0) for state in final}
    trees = {arcs_of(heads, ("root",) * 4) for heads in projective_trees(4)}
    assert forests == {frozenset(arc for arc in tree if arc[0] != 0) for tree in trees}
    assert trees <= {system.arcs(state) for state in final}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("root", ROOTS)
def test_some_action_is_free_in_every_state(root: str, loss: str) -> None:
    """An optimal action exists by definition (end of section 3.1), for any gold tree."""
    space = Space(ArcEager(LABELS, root))
    for heads in all_trees(3):
        definition = Definition(space, arcs_of(heads, ("root", "obj", "root")), LOSSES[loss])
        for state in space.reachable(3):
            if state.buffer:
                assert min(definition.costs(state).values()) == 0


# --- formulas for the costs


class View(NamedTuple):
    """A state in the paper's notation: s above `below`, b before `behind`, and the gold arcs."""

    s: int | None
    below: tuple[int, ...]
    b: int
    behind: tuple[int, ...]
    headless: frozenset[int]  # stack words without a head, as yet
    gold: frozenset[Arc]

    def arcs(self, heads: object, words: object) -> int:
        """Count the gold arcs from any of `heads` to any of `words` (words or collections)."""
        return sum(_within(head, heads) and _within(word, words) for head, _, word in self.gold)


def _within(word: int, where: object) -> bool:
    return word in where if isinstance(where, tuple | frozenset) else word == where


def view(state: State, gold: frozenset[Arc]) -> View:
    *below, s = state.stack or (None,)
    headless = frozenset(word for word in state.stack if not state.has_head(word))
    return View(s, tuple(below), state.buffer[0], state.buffer[1:], headless, gold)


Formula = Callable[[View, Action], int]


def figure_4(v: View, action: Action) -> int:
    """Figure 4 of Goldberg & Nivre 2012, as printed."""
    if action.move == "LEFT-ARC":
        return v.arcs(v.behind, v.s) + v.arcs(v.s, v.behind)
    if action.move == "RIGHT-ARC":
        return v.arcs(v.below + v.behind, v.b) + v.arcs(v.b, v.below)
    if action.move == "REDUCE":
        return v.arcs(v.s, (v.b, *v.behind))
    return v.arcs((*v.below, v.s), v.b) + v.arcs(v.b, (*v.below, v.s))


def corrected(v: View, action: Action) -> int:
    """Return the exact labelled costs, with the root first or last."""
    move, label = action
    if move == "LEFT-ARC":
        mislabelled = v.arcs(v.b, v.s) and (v.b, label, v.s) not in v.gold
        return v.arcs(v.behind, v.s) + v.arcs(v.s, (v.b, *v.behind)) + mislabelled
    if move == "RIGHT-ARC":
        mislabelled = v.arcs(v.s, v.b) and (v.s, label, v.b) not in v.gold
        return v.arcs(v.below + v.behind, v.b) + v.arcs(v.b, v.headless) + mislabelled
    if move == "REDUCE":
        return v.arcs(v.s, (v.b, *v.behind))
    return v.arcs((*v.below, v.s), v.b) + v.arcs(v.b, v.headless)


def corrected_without_root(v: View, action: Action) -> int:
    """Return the exact costs if a headless word counts as a dependent of the root."""
    popped_or_attached = {"LEFT-ARC": v.s, "RIGHT-ARC": v.b}.get(action.move)
    return corrected(v, action) + ((0, "root", popped_or_attached) in v.gold)


def corrected_for_leftovers(v: View, action: Action) -> int:
    """Return the exact costs with the root first, if leftovers are attached to it."""
    if action.move == "LEFT-ARC":
        return corrected(v, action) + v.arcs(0, v.s)
    return corrected(v, action) - (v.arcs(0, v.b) if action.move == "SHIFT" else 0)


class LeftoversCount(ArcEager):
    """Arc-eager whose loss is computed after leftovers are correctly attached to the root."""

    def arcs(self, state: State) -> frozenset[Arc]:
        leftovers = [word for word in state.stack if word != 0 and not state.has_head(word)]
        return state.arcs | {(0, "root", word) for word in leftovers}


def differences(
    system: ArcEager, formula: Formula, n: int, trees: Iterator[Heads]
) -> Iterator[tuple[int, int]]:
    """Yield (formula, exact cost) for every labelled gold tree, reachable state and action."""
    random, space = Random(n), Space(system)
    for heads in trees:
        labels = [random.choice(system.labels) if head else "root" for head in heads]
        definition = Definition(space, arcs_of(heads, labels), labelled)
        for state in space.reachable(n):
            for action, truth in definition.costs(state).items():
                yield formula(view(state, definition.gold), action), truth


EXACT = {
    "first": (ArcEager, "first", corrected),
    "last": (ArcEager, "last", corrected),
    "none": (ArcEager, "none", corrected_without_root),
    "leftovers": (LeftoversCount, "first", corrected_for_leftovers),
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("n", "labels"),
    [(1, LABELS), (2, LABELS), (3, LABELS), (4, ("root",))],
    ids=["1", "2", "3", "4-one-label"],
)
@pytest.mark.parametrize("name", EXACT)
def test_corrected_costs_equal_the_definition(name: str, n: int, labels: tuple[str, ...]) -> None:
    system, root, formula = EXACT[name]
    pairs = differences(system(labels, root), formula, n, projective_trees(n))
    assert all(cost == truth for cost, truth in pairs)


@pytest.mark.thorough
@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("name", EXACT)
def test_corrected_costs_of_nonprojective_gold_only_overestimate(name: str, n: int) -> None:
    system, root, formula = EXACT[name]
    pairs = list(differences(system(("root",), root), formula, n, nonprojective_trees(n)))
    assert all(cost >= truth for cost, truth in pairs)
    assert any(cost > truth for cost, truth in pairs)


@pytest.mark.parametrize(
    ("heads", "arcs", "action", "printed", "truth"),
    [
        ((0, 1), [], Action("LEFT-ARC", "dep"), 0, 1),  # forgets s → b
        ((2, 0), [], Action("RIGHT-ARC", "dep"), 1, 2),  # forgets b → s
        ((2, 0), [(0, "dep", 1)], SHIFT, 2, 1),  # counts b → k for k that has a head
    ],
)
def test_figure_4_as_printed_is_wrong(
    heads: Heads, arcs: list[Arc], action: Action, printed: int, truth: int
) -> None:
    state = State((0, 1), (2,), frozenset(arcs))
    definition = Definition(Space(ArcEager(("dep",))), arcs_of(heads, ("dep", "dep")), labelled)
    assert figure_4(view(state, definition.gold), action) == printed
    assert definition.cost(state, action) == truth


def test_figure_4_ignores_the_label_of_the_arc_itself() -> None:
    state = State((0,), (1,), frozenset())
    definition = Definition(Space(ArcEager(LABELS)), arcs_of((0,), ("root",)), labelled)
    mislabelled = Action("RIGHT-ARC", "obj")
    assert figure_4(view(state, definition.gold), mislabelled) == 0
    assert definition.cost(state, mislabelled) == 1


def test_footnote_4_is_wrong_about_leftovers() -> None:
    """A gold dependent of the root that is shifted is lost, unless leftovers are attached."""
    gold = arcs_of((0,), ("root",))
    for system, loss in [(ArcEager(LABELS), 1), (LeftoversCount(LABELS), 0)]:
        shifted = system.step(system.start(1), SHIFT)
        assert Definition(Space(system), gold, labelled).min_loss(shifted) == loss


# --- the static oracle, Algorithm 1

PAPER = (2, 0, 2, 5, 2, 2)  # figure 1 of the paper: "He wrote her a letter ."


def algorithm_1(state: State, gold: frozenset[Arc], needs_head: bool) -> Action:
    """Algorithm 1; `needs_head` adds "and s has a head" to line 5."""
    s, b = state.stack[-1], state.buffer[0]
    for head, label, word in gold:
        if (head, word) == (b, s):
            return Action("LEFT-ARC", label)
        if (head, word) == (s, b):
            return Action("RIGHT-ARC", label)
    reaches_over = any(
        (head < s and word == b) or (head == b and word < s) for head, _, word in gold
    )
    if reaches_over and (state.has_head(s) or not needs_head):
        return REDUCE
    return SHIFT


def test_algorithm_1_derives_every_projective_tree() -> None:
    system = ArcEager(("dep",))
    for n in range(1, 6):
        for heads in projective_trees(n):
            gold = arcs_of(heads, ("dep",) * n)
            state = system.start(n)
            while not system.is_final(state):
                state = system.step(state, algorithm_1(state, gold, needs_head=True))
            assert state.arcs == gold


def test_algorithm_1_needs_a_head_for_reduce_in_the_papers_own_example() -> None:
    """After the wrong SHIFT of section 2.2 the paper says SH, LA, SH, SH: loss 3, the best is 1."""
    system, gold = ArcEager(("dep",)), arcs_of(PAPER, ("dep",) * 6)
    state = State((0, 2, 3), (4, 5, 6), frozenset({(0, "dep", 2), (2, "dep", 1)}))
    assert Definition(Space(system), gold, labelled).min_loss(state) == 1
    moves: list[str] = []
    while not system.is_final(state):
        action = algorithm_1(state, gold, needs_head=True)
        if len(moves) == 2:
            illegal = algorithm_1(state, gold, needs_head=False)
            assert illegal == REDUCE and illegal not in system.valid(state)
        moves.append(action.move)
        state = system.step(state, action)
    assert moves == ["SHIFT", "LEFT-ARC", "SHIFT", "SHIFT"]
    assert labelled(state.arcs, gold) == 3
