"""The Python API of transition systems, as documented."""

from __future__ import annotations

import pickle

import pytest

import dodona

LABELS = ["nsubj", "root", "obj"]
SHIFT = dodona.Action("SHIFT", None)
REDUCE = dodona.Action("REDUCE", None)
LEFT_NSUBJ = dodona.Action("LEFT-ARC", "nsubj")
RIGHT_ROOT = dodona.Action("RIGHT-ARC", "root")
RIGHT_OBJ = dodona.Action("RIGHT-ARC", "obj")
DERIVATION = [SHIFT, LEFT_NSUBJ, RIGHT_ROOT, RIGHT_OBJ]


@pytest.fixture
def gold() -> dodona.Gold:
    return dodona.Gold(heads=[2, 0, 2], labels=["nsubj", "root", "obj"])


@pytest.fixture
def system() -> dodona.System:
    return dodona.system("arc-eager", labels=LABELS, root="first")


def follow(system: dodona.System, actions: list[dodona.Action], n: int = 3) -> dodona.State:
    state = system.start(n)
    for action in actions:
        state = system.step(state, action)
    return state


# --- states


def test_the_start_state(system: dodona.System) -> None:
    state = system.start(3)
    assert (state.stack, state.buffer) == ((0,), (1, 2, 3))
    assert state.arcs == frozenset() and isinstance(state.arcs, frozenset)
    assert state.heads == (None, None, None)
    assert state.labels == (None, None, None)


@pytest.mark.parametrize(
    ("root", "stack", "buffer"),
    [("first", (0,), (1, 2, 3)), ("last", (), (1, 2, 3, 0)), ("none", (), (1, 2, 3))],
)
def test_where_the_root_stands(root: str, stack: tuple[int, ...], buffer: tuple[int, ...]) -> None:
    state = dodona.system("arc-eager", labels=LABELS, root=root).start(3)
    assert (state.stack, state.buffer) == (stack, buffer)


def test_the_root_stands_first_unless_told_otherwise() -> None:
    assert dodona.system("arc-eager", labels=LABELS).start(1).stack == (0,)


def test_a_state_on_the_way(system: dodona.System) -> None:
    state = follow(system, [SHIFT, LEFT_NSUBJ, RIGHT_ROOT])
    assert (state.stack, state.buffer) == ((0, 2), (3,))
    assert state.arcs == frozenset({(2, "nsubj", 1), (0, "root", 2)})
    assert state.heads == (2, 0, None)
    assert state.labels == ("nsubj", "root", None)


def test_a_step_makes_a_new_state(system: dodona.System) -> None:
    state = system.start(3)
    after = system.step(state, SHIFT)
    assert (state.stack, after.stack) == ((0,), (0, 1))


def test_a_state_cannot_be_changed(system: dodona.System) -> None:
    state = system.start(3)
    for name in ["stack", "buffer", "arcs", "heads", "labels"]:
        with pytest.raises(AttributeError):
            setattr(state, name, ())


def test_states_are_equal_when_their_contents_are(system: dodona.System) -> None:
    """REDUCE before or after the words between gives two derivations of one state."""
    early = [RIGHT_ROOT, REDUCE, SHIFT, LEFT_NSUBJ]
    late = [RIGHT_ROOT, SHIFT, LEFT_NSUBJ, REDUCE]
    one, other = follow(system, early), follow(system, late)
    assert one == other and hash(one) == hash(other)
    assert {one: "found"}[other] == "found"
    assert one != system.start(3)
    assert one != "one"


def test_the_label_of_an_arc_tells_states_apart(system: dodona.System) -> None:
    assert follow(system, [RIGHT_ROOT]) != follow(system, [RIGHT_OBJ])


def test_the_length_of_the_sentence_tells_states_apart(system: dodona.System) -> None:
    assert system.start(3) != system.start(4)


def test_a_state_survives_pickling(system: dodona.System) -> None:
    state = follow(system, [SHIFT, LEFT_NSUBJ])
    back = pickle.loads(pickle.dumps(state))
    assert back == state and hash(back) == hash(state)
    assert (back.stack, back.buffer, back.arcs) == (state.stack, state.buffer, state.arcs)
    assert system.step(back, RIGHT_ROOT) == system.step(state, RIGHT_ROOT)


def test_a_state_shows_what_it_holds(system: dodona.System) -> None:
    state = follow(system, [SHIFT, LEFT_NSUBJ])
    shown = repr(state)
    assert "State" in shown and "nsubj" in shown and " object at 0x" not in shown
    assert shown == repr(follow(system, [SHIFT, LEFT_NSUBJ]))
    assert shown != repr(follow(system, [SHIFT, SHIFT]))


# --- actions


def test_an_action_is_a_move_and_a_label() -> None:
    action = dodona.Action(move="RIGHT-ARC", label="obj")
    assert (action.move, action.label) == ("RIGHT-ARC", "obj")
    assert action == RIGHT_OBJ and hash(action) == hash(RIGHT_OBJ)
    assert action != RIGHT_ROOT and action != dodona.Action("LEFT-ARC", "obj")


def test_an_action_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps([SHIFT, RIGHT_OBJ])) == [SHIFT, RIGHT_OBJ]


def test_an_action_shows_how_to_make_it() -> None:
    for action in DERIVATION:
        assert eval(repr(action), {"Action": dodona.Action}) == action


def test_valid_lists_each_action_once(system: dodona.System) -> None:
    valid = system.valid(system.start(3))
    arcs = {dodona.Action("RIGHT-ARC", label) for label in LABELS}
    assert isinstance(valid, list) and len(valid) == 4
    assert set(valid) == {SHIFT} | arcs


def test_nothing_is_valid_in_a_final_state(system: dodona.System, gold: dodona.Gold) -> None:
    state = follow(system, DERIVATION)
    assert system.is_final(state)
    assert system.valid(state) == []
    assert system.costs(state, gold) == {}


# --- costs, oracle and the end


def test_costs_of_every_valid_action(system: dodona.System, gold: dodona.Gold) -> None:
    state = follow(system, [SHIFT])  # stack 0 1, buffer 2 3
    assert system.costs(state, gold) == {
        SHIFT: 2,  # loses 2 → 1 and 0 → 2
        LEFT_NSUBJ: 0,
        dodona.Action("LEFT-ARC", "root"): 1,
        dodona.Action("LEFT-ARC", "obj"): 1,
        dodona.Action("RIGHT-ARC", "nsubj"): 2,  # as SHIFT
        RIGHT_ROOT: 2,
        RIGHT_OBJ: 2,
    }


@pytest.mark.parametrize(
    ("loss", "wrong_label", "wrong_head"),
    [("labelled", 1, 1), ("unlabelled", 0, 1), ("graded", 1, 2)],
)
def test_what_each_loss_counts(
    gold: dodona.Gold, loss: str, wrong_label: int, wrong_head: int
) -> None:
    system = dodona.system("arc-eager", labels=LABELS, loss=loss)
    state = follow(system, [SHIFT, LEFT_NSUBJ, RIGHT_ROOT])  # stack 0 2, buffer 3
    costs = system.costs(state, gold)
    assert costs[RIGHT_OBJ] == 0
    assert costs[dodona.Action("RIGHT-ARC", "nsubj")] == wrong_label
    assert costs[REDUCE] == costs[SHIFT] == wrong_head


def test_labels_count_unless_told_otherwise(gold: dodona.Gold) -> None:
    labelled = dodona.system("arc-eager", labels=LABELS, loss="labelled")
    default = dodona.system("arc-eager", labels=LABELS)
    state = follow(default, [SHIFT])
    assert default.costs(state, gold) == labelled.costs(follow(labelled, [SHIFT]), gold)


def test_without_a_root_the_word_left_over_is_its_dependent(gold: dodona.Gold) -> None:
    system = dodona.system("arc-eager", labels=LABELS, root="none")
    state = follow(system, [SHIFT, LEFT_NSUBJ, SHIFT, RIGHT_OBJ])
    assert system.is_final(state)
    assert state.heads == (2, None, 2)
    assert list(system.finish(state).heads) == [2, 0, 2]
    assert list(system.finish(state).labels) == ["nsubj", "root", "obj"]
    assert system.costs(follow(system, [SHIFT]), gold)[RIGHT_OBJ] == 2  # 2 → 1 and the root's arc


def test_the_static_oracle(system: dodona.System, gold: dodona.Gold) -> None:
    assert system.derivation(gold, oracle="static") == DERIVATION


def test_the_static_oracle_puts_off_reduce_as_the_paper_does() -> None:
    """Sequence (1) of Goldberg & Nivre 2012, section 2.2, for the tree of its figure 1."""
    system = dodona.system("arc-eager", labels=["dep"])
    gold = dodona.Gold(heads=[2, 0, 2, 5, 2, 2], labels=["dep"] * 6)
    moves = [action.move for action in system.derivation(gold, oracle="static")]
    left, right = "LEFT-ARC", "RIGHT-ARC"
    first = ["SHIFT", left, right, right, "SHIFT", left, "REDUCE", right, "REDUCE", right]
    assert moves == first


def test_finish_attaches_what_is_left_to_the_root(system: dodona.System) -> None:
    state = follow(system, [SHIFT, SHIFT, RIGHT_OBJ])
    assert state.heads == (None, None, 2)
    assert list(system.finish(state).heads) == [0, 0, 2]
    assert state.heads == (None, None, 2)


# --- errors


def test_systems_lists_names_that_system_takes() -> None:
    assert "arc-eager" in dodona.systems()
    for name in dodona.systems():
        dodona.system(name, labels=LABELS)


def test_an_unknown_system_is_answered_with_the_names() -> None:
    with pytest.raises(ValueError, match="arc-eagre") as error:
        dodona.system("arc-eagre", labels=LABELS)
    assert all(name in str(error.value) for name in dodona.systems())


@pytest.mark.parametrize(
    ("keyword", "choices"),
    [("root", ["first", "last", "none"]), ("loss", ["labelled", "unlabelled", "graded"])],
)
def test_an_unknown_choice_is_answered_with_the_choices(keyword: str, choices: list[str]) -> None:
    with pytest.raises(ValueError, match="middle") as error:
        dodona.system("arc-eager", labels=LABELS, **{keyword: "middle"})
    assert all(choice in str(error.value) for choice in choices)


def test_an_unknown_oracle_is_answered_with_the_oracles(
    system: dodona.System, gold: dodona.Gold
) -> None:
    with pytest.raises(ValueError, match=r"(?s)(psychic.*static|static.*psychic)"):
        system.derivation(gold, oracle="psychic")


@pytest.mark.parametrize("head", [4, -1])
def test_a_head_outside_the_sentence_is_an_error(head: int) -> None:
    with pytest.raises(ValueError, match=rf"(?s)word 3\b.*{head}\b"):
        dodona.Gold(heads=[2, 0, head], labels=LABELS)


@pytest.mark.parametrize("heads", [[2, 3, 1], [0, 3, 2], [0, 2, 0]])
def test_a_cycle_is_an_error(heads: list[int]) -> None:
    with pytest.raises(ValueError, match="cycle"):
        dodona.Gold(heads=heads, labels=LABELS)


def test_as_many_labels_as_heads() -> None:
    with pytest.raises(ValueError, match=r"(?s)(3.*2|2.*3)"):
        dodona.Gold(heads=[2, 0, 2], labels=["nsubj", "root"])


def test_gold_must_be_as_long_as_the_sentence(system: dodona.System, gold: dodona.Gold) -> None:
    with pytest.raises(ValueError, match=r"(?s)(3.*5|5.*3)"):
        system.costs(system.start(5), gold)


def test_gold_may_not_have_labels_the_system_lacks(system: dodona.System) -> None:
    gold = dodona.Gold(heads=[2, 0, 2], labels=["nsubj", "root", "iobj"])
    with pytest.raises(ValueError, match="iobj"):
        system.costs(system.start(3), gold)
    with pytest.raises(ValueError, match="iobj"):
        system.derivation(gold, oracle="static")


def test_a_graph_is_no_gold_for_a_system_of_trees(system: dodona.System) -> None:
    arcs = [(2, "nsubj", 1), (0, "root", 2), (2, "obj", 3), (3, "obj", 1)]
    with pytest.raises(ValueError, match=r"\b1\b"):  # word 1 has two heads
        system.costs(system.start(3), dodona.Gold(arcs=arcs))


@pytest.mark.parametrize(
    ("before", "action", "why"),
    [
        ([], REDUCE, "REDUCE"),
        ([SHIFT], REDUCE, "head"),  # word 1 has none
        ([], LEFT_NSUBJ, "root"),
        ([RIGHT_ROOT], LEFT_NSUBJ, "head"),  # word 1 has one
        (DERIVATION, SHIFT, "buffer|final"),
        (DERIVATION, REDUCE, "buffer|final"),
        ([], dodona.Action("RIGHT-ARC", "iobj"), "iobj"),
        ([], dodona.Action("RIGHT-ARC", None), "label"),
        ([], dodona.Action("SHIFT", "obj"), "label"),
        ([], dodona.Action("SWAP", None), "SWAP"),
    ],
)
def test_a_step_by_an_invalid_action_says_why(
    system: dodona.System, before: list[dodona.Action], action: dodona.Action, why: str
) -> None:
    state = follow(system, before)
    with pytest.raises(ValueError, match=why):
        system.step(state, action)


def test_no_arc_goes_into_the_root() -> None:
    system = dodona.system("arc-eager", labels=LABELS, root="last")
    with pytest.raises(ValueError, match="root"):
        system.step(follow(system, [SHIFT], n=1), RIGHT_OBJ)


def test_an_arc_needs_a_word_on_the_stack() -> None:
    system = dodona.system("arc-eager", labels=LABELS, root="none")
    for action in [LEFT_NSUBJ, RIGHT_OBJ, REDUCE]:
        with pytest.raises(ValueError, match="stack"):
            system.step(system.start(3), action)


def test_a_sentence_cannot_have_less_than_no_words(system: dodona.System) -> None:
    with pytest.raises(ValueError, match="-1"):
        system.start(-1)
