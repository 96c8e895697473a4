"""The non-monotonic systems against reference implementations, in all small states."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

import dodona
from reference.nonmonotonic import State
from reference.search import LOSSES, Action, Definition, Space
from reference.trees import (
    Heads,
    arcs_of,
    is_tree,
    projective_trees,
    random_projective_tree,
    random_tree,
)
from reference.twins import all_twins, exact_twins
from support.best_end import BestEnd
from support.feature_keys import (
    EVERYTHING,
    is_one_to_one,
    keys_and_features,
    random_sentence,
    walk,
)
from support.small import train, treebank

TWINS = {name: twin.kind for name, twin in all_twins().items() if twin.one_root}
ALL = pytest.mark.parametrize("name", TWINS)
EXACT = pytest.mark.parametrize("name", [name for name, _ in exact_twins(one_root=True)])
ONE, TWO = ("root",), ("root", "obj")


@cache
def space(name: str, labels: tuple[str, ...]) -> Space[State]:
    """Return the reference implementation's states, computed once for all gold trees."""
    return Space(TWINS[name](labels))


@cache
def trees(n: int) -> list[Heads]:
    """Yield every projective tree with one root."""
    return [heads for heads in projective_trees(n) if heads.count(0) == 1]


def one_root(heads: Heads) -> Heads:
    """Attach every root but the first to the first one, which keeps the tree projective."""
    chief = heads.index(0) + 1
    return tuple(
        chief if head == 0 and word != chief else head for word, head in enumerate(heads, 1)
    )


def labelled(heads: Heads, labels: tuple[str, ...], random: Random) -> tuple[str, ...]:
    return tuple("root" if head == 0 else random.choice(labels) for head in heads)


def as_core(action: Action) -> dodona.Action:
    return dodona.Action(action.move, action.label)


def core_states(system: dodona.System, n: int) -> Iterator[tuple[State, dodona.State]]:
    """Yield every reachable reference state with the core's state of the same derivation."""
    twin = space(system.name, system.labels)
    cores = {twin.system.start(n): system.start(n)}
    for state in twin.reachable(n):
        yield state, cores[state]
        for action, after in twin.successors(state).items():
            if after not in cores:
                cores[after] = system.step(cores[state], as_core(action))


def shown(state: dodona.State) -> State:
    return State(state.stack, state.buffer, state.arcs, state.notes)


SIZES = pytest.mark.parametrize(
    ("n", "labels"),
    [(1, TWO), (2, TWO), (3, TWO), (4, ONE)],
    ids=["all-1", "all-2", "all-3", "all-4-one-label"],
)


# --- states


@SIZES
@ALL
def test_states_equal_the_twins(name: str, n: int, labels: tuple[str, ...]) -> None:
    """Compare contents, names of valid actions, and finality; equal by any derivation."""
    system, twin = dodona.system(name, labels=labels), space(name, labels)
    cores = dict(core_states(system, n))
    for state, core in cores.items():
        assert shown(core) == state
        assert system.is_final(core) == twin.system.is_final(state)
        assert set(system.valid(core)) == set(map(as_core, twin.successors(state)))
        for action, after in twin.successors(state).items():
            stepped = system.step(core, as_core(action))
            assert stepped == cores[after] and hash(stepped) == hash(cores[after])
    assert len(set(cores.values())) == len(cores)


@pytest.mark.parametrize("n", range(1, 6))
@ALL
def test_no_dead_end_no_circle_and_just_the_trees_with_one_root(name: str, n: int) -> None:
    """No derivation has more than 4n - 3 transitions, and one has as many as the core expects."""
    twin = space(name, ONE)
    length: dict[State, int] = {}
    outputs = set()

    def longest(state: State, path: frozenset[State]) -> int:
        assert state not in path
        if state not in length:
            after = twin.successors(state).values()
            assert bool(after) != twin.system.is_final(state)
            length[state] = max((1 + longest(s, path | {state}) for s in after), default=0)
            if not after:
                outputs.add(twin.system.arcs(state))
        return length[state]

    bound = 2 * n - 1 if name == "nonmonotonic-2013" else 4 * n - 3
    assert longest(twin.system.start(n), frozenset()) <= bound
    assert outputs == {arcs_of(heads, ["root"] * n) for heads in trees(n)}


@ALL
def test_reduce_and_unshift_are_one_move_with_the_name_that_fits(name: str) -> None:
    system = dodona.system(name, labels=TWO)
    assert system.moves == ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "REDUCE")
    shift, unshift = dodona.Action("SHIFT"), dodona.Action("UNSHIFT")
    state = system.step(system.step(system.start(2), shift), shift)
    if name == "nonmonotonic-2013":
        assert system.valid(state) == [dodona.Action("REDUCE")]
        with pytest.raises(ValueError, match="UNSHIFT"):
            system.step(state, unshift)
    else:
        assert system.valid(state) == [unshift]
        assert system.step(state, unshift).buffer == (2,)
        with pytest.raises(ValueError, match="REDUCE is not valid"):
            system.step(state, dodona.Action("REDUCE"))


@pytest.mark.parametrize("root", ["first", "last"])
@ALL
def test_an_artificial_root_is_refused(name: str, root: str) -> None:
    with pytest.raises(ValueError, match=f"root='{root}'.*choose root='none'"):
        dodona.system(name, labels=TWO, root=root)


@pytest.mark.thorough
@ALL
def test_features_forget_an_arc_that_was_overwritten(name: str) -> None:
    """Children, valencies and label sets agree with the present arcs."""
    random = Random(1)
    system = dodona.system(name, labels=["nsubj", "obj", "root"])
    sentences = [random_sentence(random.randint(1, 12), random) for _ in range(30)]
    states = [list(walk(system, len(sentence), random)) for sentence in sentences]
    for template in EVERYTHING:
        found = list(keys_and_features([template], "none", sentences, states))
        assert all(len(keys) == len(features) for keys, features in found), template
        assert is_one_to_one([(k[0], f[0]) for k, f in found if k]), template


# --- costs and the tie rule


def definitions(
    system: dodona.System, n: int, golds: list[Heads]
) -> Iterator[tuple[dodona.Gold, Definition[State], list[tuple[State, dodona.State]]]]:
    """Yield each gold tree, its costs by exhaustive search, and all non-final states."""
    twin = space(system.name, system.labels)
    pairs = [pair for pair in core_states(system, n) if not system.is_final(pair[1])]
    random = Random(n)
    for heads in golds:
        labels = labelled(heads, system.labels, random)
        definition = Definition(twin, arcs_of(heads, labels), LOSSES[system.loss])
        yield dodona.Gold(heads=heads, labels=labels), definition, pairs


SAMPLES = {
    "all-1": (1, TWO, trees(1)),
    "all-2": (2, TWO, trees(2)),
    "all-3": (3, TWO, trees(3) * 2),
    "all-4-one-label": (4, ONE, trees(4)),
    "random-4": (4, TWO, Random(4).sample(trees(4), 8)),
    "random-5-one-label": (5, ONE, Random(5).sample(trees(5), 5)),
}


@pytest.mark.thorough("-4", "-5")
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("loss", LOSSES)
@EXACT
def test_costs_equal_exhaustive_search_for_every_reachable_state(
    name: str, loss: str, sample: str
) -> None:
    n, labels, golds = SAMPLES[sample]
    system = dodona.system(name, labels=labels, loss=loss)
    for gold, definition, pairs in definitions(system, n, golds):
        for state, core in pairs:
            expected = {as_core(a): cost for a, cost in definition.costs(state).items()}
            assert system.costs(core, gold) == expected, (state, gold)


@pytest.mark.thorough
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("loss", ["labelled", "unlabelled"])
@EXACT
def test_optimal_means_fewest_errors_then_fewest_repairs(name: str, loss: str, sample: str) -> None:
    n, labels, golds = SAMPLES[sample]
    system = dodona.system(name, labels=labels, loss=loss)
    for gold, definition, pairs in definitions(system, n, golds):
        ends = BestEnd(definition, TWINS[name](labels))
        for state, core in pairs:
            after = ends.after_actions(state)
            best = {as_core(action) for action in after if after[action] == min(after.values())}
            assert set(system.optimal(core, gold)) == best, (state, gold)


def test_arc_eager_tree_knows_what_unshift_can_still_do() -> None:
    """A SHIFT instead of RIGHT-ARC loses no arc, but needs a repair later."""
    system = dodona.system("arc-eager-tree", labels=TWO)
    gold = dodona.Gold(heads=[0, 1], labels=["root", "obj"])
    shift, right_arc = dodona.Action("SHIFT"), dodona.Action("RIGHT-ARC", "obj")
    state = system.step(system.start(2), shift)
    costs = system.costs(state, gold)
    assert costs[shift] == costs[right_arc] == 0
    assert system.optimal(state, gold) == [right_arc]


def test_arc_eager_tree_knows_what_unshift_cannot_do() -> None:
    """If 1 → 2 is left to the end, no word can take 3 across 2: SHIFT loses an arc."""
    system = dodona.system("arc-eager-tree", labels=TWO)
    gold = dodona.Gold(heads=[0, 1, 1], labels=["root", "obj", "obj"])
    state = system.step(system.start(3), dodona.Action("SHIFT"))
    costs = system.costs(state, gold)
    assert costs[dodona.Action("SHIFT")] == 1
    assert costs[dodona.Action("RIGHT-ARC", "obj")] == 0


def test_costs_of_arc_eager_tree_in_long_sentences_take_a_moment() -> None:
    """Costs examine each word of the stack once, not all pairs."""
    system = dodona.system("arc-eager-tree", labels=ONE)
    n = 3_000
    gold = dodona.Gold(heads=[0, *range(1, n)], labels=["root"] * n)
    state = system.start(n)
    for _ in range(n - 1):
        state = system.step(state, dodona.Action("SHIFT"))
    assert system.costs(state, gold)[dodona.Action("SHIFT")] == 0


def test_optimal_of_a_system_without_repairs_is_the_cheapest() -> None:
    system = dodona.system("arc-eager", labels=TWO)
    gold = dodona.Gold(heads=[2, 0], labels=["obj", "root"])
    state = system.step(system.start(2), dodona.Action("SHIFT"))
    assert system.optimal(state, gold) == [dodona.Action("LEFT-ARC", "obj")]


# --- the static oracle


@ALL
def test_static_oracle_derives_every_tree_without_repairs(name: str) -> None:
    system, twin = dodona.system(name, labels=TWO), TWINS[name](TWO)
    random = Random(1)
    longer = [one_root(random_projective_tree(n, random)) for n in range(6, 31)]
    for heads in [heads for n in range(1, 6) for heads in trees(n)] + longer:
        labels = labelled(heads, TWO, random)
        gold = dodona.Gold(heads=heads, labels=labels)
        state = system.start(len(heads))
        for action in system.derivation(gold):
            assert system.costs(state, gold)[action] == 0
            assert action in system.optimal(state, gold)
            assert not twin.is_repair(shown(state), Action(action.move, action.label))
            state = system.step(state, action)
        assert system.is_final(state)
        tree = system.finish(state)
        assert (tree.heads, tree.labels) == (heads, labels)


@EXACT
def test_costs_along_a_derivation_add_up_to_its_loss(name: str) -> None:
    """Costs telescope, so this checks exactness in sentences too long to search."""
    random = Random(7)
    system, twin = dodona.system(name, labels=TWO), TWINS[name](TWO)
    for n in [*range(1, 31)] * 4:
        heads = one_root(random_projective_tree(n, random))
        labels = labelled(heads, TWO, random)
        gold = dodona.Gold(heads=heads, labels=labels)
        state, paid = system.start(n), 0
        while not system.is_final(state):
            action = random.choice(system.valid(state))
            paid += system.costs(state, gold)[action]
            state = system.step(state, action)
        assert paid == len(arcs_of(heads, labels) - twin.arcs(shown(state)))


@ALL
def test_the_oracle_copes_with_trees_out_of_reach(name: str) -> None:
    """Even for unreachable trees, some action is optimal in every state."""
    random = Random(3)
    system = dodona.system(name, labels=TWO)
    for n in [*range(2, 9)] * 40:
        gold = dodona.Gold(heads=random_tree(n, random), labels=random.choices(TWO, k=n))
        for state in walk(system, n, random):
            optimal, costs = system.optimal(state, gold), system.costs(state, gold)
            assert optimal and {costs[action] for action in optimal} == {min(costs.values())}


# --- search and training


@pytest.mark.parametrize("training", ["static", "explore"])
@ALL
def test_a_trained_parser_gives_one_tree_with_one_root(name: str, training: str) -> None:
    parser = train(treebank(80, 1), system=name, root="none", training=training)
    test = treebank(60, 3)
    n_right = n_words = 0
    for gold, sentence in zip(test, parser.pipe(test), strict=True):
        heads = tuple(head or 0 for head in sentence.heads)
        assert heads.count(0) == 1 and None not in sentence.heads
        assert is_tree(heads)
        n_right += sum(a == b for a, b in zip(gold.heads, sentence.heads, strict=True))
        n_words += len(heads)
    assert n_right > 0.7 * n_words


@ALL
def test_a_treebank_without_arcs_between_words_still_gives_trees(name: str) -> None:
    """One-word sentences teach no arc, but longer sentences need them."""
    words = [dodona.Sentence.from_columns(["a"], upos=["X"], heads=[0], deprels=["root"])]
    parser = train(words * 3, system=name, root="none")
    sentence = dodona.Sentence.from_columns(["a", "b", "c"], upos=["X"] * 3)
    (parsed,) = parser.pipe([sentence])
    assert list(parsed.heads).count(0) == 1


@pytest.mark.parametrize("training", ["static", "explore"])
@ALL
def test_training_copes_with_trees_out_of_reach(name: str, training: str) -> None:
    """Training uses the reachable arcs of trees with several roots or crossing arcs."""
    two_roots = dodona.Sentence.from_columns(
        ["a", "b", "c"], upos=["X"] * 3, heads=[0, 0, 2], deprels=["root", "root", "obj"]
    )
    data = [*treebank(30, 1, 0.5), two_roots]
    parser = train(data, system=name, root="none", training=training, projectivise="none")
    for sentence in parser.pipe(treebank(30, 3, 0.5)):
        assert list(sentence.heads).count(0) == 1
