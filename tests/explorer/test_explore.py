"""Costs, lost arcs and best trees of the explorer agree with the transition system."""

from __future__ import annotations

from random import Random

import pytest

import dodona
from dodona.core.transitions.registry import SYSTEMS
from dodona.explorer.beam import explore_beam
from dodona.explorer.explore import Explorer, gold_of, read_path
from dodona.explorer.reachable import arcs_of, find_missing, reach
from dodona.explorer.state_drawing import draw_best, draw_state
from dodona.explorer.typed import read_typed
from reference.trees import random_projective_tree
from support.small import train, treebank

LETTER = "He 2 SBJ\nwrote 0 PRD\nher 2 IOBJ\na 5 DET\nletter 2 DOBJ\n. 2 P"  # figure 1 of the paper
CROSSING = "A 2 det\npriest 3 nsubj\ncame 0 root\nwho 5 nsubj\nlistened 2 acl"
LOSSES = ("labelled", "unlabelled", "graded")
EXACT = ["arc-eager", "nonmonotonic-2013", "nonmonotonic", "arc-standard", "arc-hybrid"]
EXACT += ["graph-eager"]


def letter(system: str = "arc-eager", **options: str) -> Explorer:
    return Explorer(read_typed(LETTER)[0], system, **options)


def random_explorer(name: str, random: Random, loss: str) -> Explorer:
    """A random projective tree with one root, which every system can derive."""
    heads = random_projective_tree(random.randint(2, 6), random)
    while heads.count(0) != 1:
        heads = random_projective_tree(random.randint(2, 6), random)
    labels = ["root" if head == 0 else random.choice(["obj", "det"]) for head in heads]
    sentence = dodona.Sentence.from_columns(
        [f"w{i}" for i in range(len(heads))], heads=list(heads), deprels=labels
    )
    return Explorer(sentence, name, loss=loss)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", dodona.systems())
def test_choices_are_the_valid_actions_with_the_costs_of_the_system(name: str, loss: str) -> None:
    random = Random(3)
    for _ in range(5):
        explorer = random_explorer(name, random, loss)
        assert explorer.gold is not None
        state = explorer.start()
        while not explorer.system.is_final(state):
            choices = explorer.choices(state)
            assert list(choices) == explorer.system.valid(state)
            costs = explorer.system.costs(state, explorer.gold)
            assert {action: choice.cost for action, choice in choices.items()} == costs
            optimal = {action for action, choice in choices.items() if choice.optimal}
            if name != "swap":  # of equally good actions, those of the shortest derivation
                assert optimal == set(explorer.system.optimal(state, explorer.gold))
            state = explorer.step(state, random.choice(list(choices)))
        assert explorer.choices(state) == {}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", EXACT)
def test_the_loss_of_the_best_reachable_tree_is_the_sum_of_costs(name: str, loss: str) -> None:
    random = Random(5)
    for _ in range(12):
        explorer = random_explorer(name, random, loss)
        assert explorer.gold is not None
        state, spent = explorer.start(), 0
        while True:
            view = explorer.view(state)
            assert view.reach is not None
            assert view.reach.loss == spent
            counts_labels = loss != "unlabelled"
            lost = find_missing(view.reach.arcs, explorer.gold.arcs, with_labels=counts_labels)
            assert view.reach.lost == lost
            if loss != "graded" and not explorer.system.builds_graphs:
                assert len(lost) == spent
            if view.is_final:
                break
            choice = random.choice(view.choices)
            assert choice.cost is not None
            spent += choice.cost
            state = explorer.step(state, choice.action)
        assert view.reach.arcs == frozenset(view.arcs) == arcs_of(explorer.system, state)


@pytest.mark.parametrize("name", dodona.systems())
def test_the_path_to_the_best_tree_leads_there_from_any_state(name: str) -> None:
    random = Random(7)
    for _ in range(10):
        explorer = random_explorer(name, random, "labelled")
        assert explorer.gold is not None
        state = explorer.start()
        for _ in range(random.randint(0, 6)):
            valid = explorer.system.valid(state)
            state = explorer.step(state, random.choice(valid)) if valid else state
        found = reach(explorer.system, state, explorer.gold)
        assert list(found.actions) == explorer.derivation("best", state)
        for action in found.actions:
            state = explorer.step(state, action)
        assert explorer.system.is_final(state)
        assert arcs_of(explorer.system, state) == found.arcs


@pytest.mark.parametrize("name", dodona.systems())
def test_taken_actions_equal_the_offered_choices(name: str) -> None:
    random = Random(11)
    for _ in range(5):
        explorer = random_explorer(name, random, "labelled")
        assert explorer.gold is not None
        state, path, offered = explorer.start(), [], []
        while not explorer.system.is_final(state):
            action, choice = random.choice(list(explorer.choices(state).items()))
            assert explorer.system.cost(state, explorer.gold, action) == choice.cost
            path.append(action)
            offered.append(choice)
            state = explorer.step(state, action)
        assert explorer.follow(path) == (state, offered)


def test_only_valid_actions_have_a_cost() -> None:
    explorer = letter()
    assert explorer.gold is not None
    with pytest.raises(ValueError, match="REDUCE is not valid in"):
        explorer.system.cost(explorer.start(), explorer.gold, dodona.Action("REDUCE"))


@pytest.mark.parametrize("name", ["arc-standard", "swap"])
def test_a_sentence_whose_costs_would_take_too_long_is_refused(name: str) -> None:
    system = dodona.system(name, labels=["root", "obj"])
    gold = dodona.Gold(heads=range(2001), labels=["root"] + ["obj"] * 2000)
    assert len(system.derivation(gold)) == 2 * 2001
    for ask in (system.costs, system.optimal):
        with pytest.raises(ValueError, match=r"of up to 2,000 words, not 2,001, .*arc-hybrid"):
            ask(system.start(2001), gold)


@pytest.mark.parametrize("name", dodona.systems())
def test_a_static_derivation_costs_nothing(name: str) -> None:
    explorer = letter(name)
    for oracle in explorer.system.oracles:
        state, taken = explorer.follow(explorer.derivation(oracle))
        assert [choice.cost for choice in taken] == [0] * len(taken)
        view = explorer.view(state)
        assert view.is_final and view.reach is not None and view.reach.loss == 0
        assert explorer.gold is not None and frozenset(view.arcs) == explorer.gold.arcs


def test_the_papers_example_loses_three_arcs_by_algorithm_1_and_one_at_best() -> None:
    """Section 2.2 and figure 3: SHIFT instead of RIGHT-ARC after three transitions."""
    explorer = letter(root="first")
    begun = "SHIFT LEFT-ARC:SBJ RIGHT-ARC:PRD SHIFT"
    state, taken = explorer.follow(read_path(begun))
    assert [choice.cost for choice in taken] == [0, 0, 0, 1]
    view = explorer.view(state)
    assert (view.stack, view.buffer) == ((0, 2, 3), (4, 5, 6))
    assert view.reach is not None and view.reach.lost == {(2, "IOBJ", 3)}
    static, taken = explorer.follow(read_path(begun + " SHIFT LEFT-ARC:DET SHIFT SHIFT"))
    left = explorer.view(static).reach
    assert left is not None and left.loss == 3 == sum(choice.cost or 0 for choice in taken)
    assert left.lost == {(2, "IOBJ", 3), (2, "DOBJ", 5), (2, "P", 6)}
    best = " SHIFT LEFT-ARC:DET LEFT-ARC:DET RIGHT-ARC:DOBJ REDUCE RIGHT-ARC:P"
    dynamic, taken = explorer.follow(read_path(begun + best))
    right = explorer.view(dynamic).reach
    assert right is not None and right.loss == 1 == sum(choice.cost or 0 for choice in taken)


def test_nonmonotonic_repairs_what_arc_eager_cannot() -> None:
    wrong = read_path("SHIFT LEFT-ARC:SBJ SHIFT SHIFT")
    state, taken = letter("nonmonotonic").follow(wrong)
    repaired = letter("nonmonotonic").view(state).reach
    assert sum(choice.cost or 0 for choice in taken) == 0
    assert repaired is not None and not repaired.lost
    arc_eager = letter("arc-eager", root="none")
    lost = arc_eager.view(arc_eager.follow(wrong)[0]).reach
    assert lost is not None and lost.lost == {(2, "IOBJ", 3)}


def test_an_invalid_path_is_reported_with_its_action_and_reason() -> None:
    with pytest.raises(ValueError, match=r"action 2: REDUCE is not valid .* it needs"):
        letter(root="first").follow(read_path("SHIFT REDUCE"))
    with pytest.raises(ValueError, match=r"action 1: arc-eager has no action .*JUMP"):
        letter().follow(read_path("JUMP"))


def test_without_a_gold_tree_there_are_no_costs() -> None:
    explorer = Explorer(read_typed("Ask the oak")[0], "arc-eager", root="first")
    view = explorer.view(explorer.start())
    assert view.reach is None
    assert {choice.cost for choice in view.choices} == {None}
    for oracle in ("best", "static"):
        with pytest.raises(ValueError, match="gold tree"):
            explorer.derivation(oracle)


def test_words_without_annotation_have_no_cost() -> None:
    explorer = Explorer(read_typed("Ask 0 root\nthe _ _\noak 1 _")[0], "arc-eager", root="first")
    assert explorer.gold is not None
    state, taken = explorer.follow(read_path("RIGHT-ARC:root RIGHT-ARC:root"))
    assert [choice.cost for choice in taken] == [0, 0]
    found = explorer.view(state).reach
    assert found is not None and found.loss == 0 and not found.lost
    with pytest.raises(ValueError, match="complete gold tree"):
        explorer.derivation("static")
    with pytest.raises(ValueError, match="swap needs a complete tree"):
        Explorer(explorer.sentence, "swap")


def test_a_crossing_tree_is_unreachable_for_some_systems_only() -> None:
    [sentence] = read_typed(CROSSING)
    swap = Explorer(sentence, "swap")
    found = swap.view(swap.start()).reach
    assert found is not None and found.loss == 0
    arc_eager = Explorer(sentence, "arc-eager")
    best = arc_eager.view(arc_eager.start()).reach
    assert best is not None and best.loss == len(best.lost) > 0
    with pytest.raises(ValueError, match="cannot derive this tree"):
        arc_eager.derivation("static")


def test_pictures_distinguish_built_lost_and_reachable_arcs() -> None:
    explorer = letter(root="first")
    state, _ = explorer.follow(
        read_path("SHIFT LEFT-ARC:SBJ RIGHT-ARC:PRD SHIFT SHIFT LEFT-ARC:DET LEFT-ARC:DET")
    )
    picture = draw_state(explorer, explorer.view(state))
    assert kinds(picture) == {"built": 3, "wrong": 1, "gold": 2, "lost": 1}
    view = explorer.view(state)
    best = draw_best(explorer, view.arcs, view.reach)
    assert kinds(best) == {"built": 3, "wrong": 1, "gold": 2, "lost": 0}


def kinds(picture: str) -> dict[str, int]:
    return {
        kind: picture.count(f'class="arc {kind}"') for kind in ("built", "wrong", "gold", "lost")
    }


# --- with a model -------------------------------------------------------------------------------

MODELS = [(name, beam) for name in SYSTEMS for beam in (1, 4)]


@pytest.fixture(scope="module", params=MODELS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def parser(request: pytest.FixtureRequest) -> dodona.Parser:
    name, beam = request.param
    return train(treebank(40, 1), system=name, beam=beam)


def test_the_model_takes_the_actions_of_its_own_trace(parser: dodona.Parser) -> None:
    for sentence in treebank(4, 9, 0):
        explorer = Explorer(sentence, parser=parser)
        trace = parser.trace(sentence)
        state = explorer.start()
        for number, action in enumerate(explorer.derivation("model")):
            # what the system remembers, too: the states are those of the parser
            assert (state.stack, state.buffer, state.arcs) == (
                trace[number][0].stack,
                trace[number][0].buffer,
                trace[number][0].arcs,
            )
            choices = explorer.choices(state)
            scores = [choice.score for choice in choices.values() if choice.score is not None]
            if parser.settings.search.beam == 1:
                assert choices[action].score == max(scores)
            state = explorer.step(state, action)
        assert state.arcs == trace[-1][0].arcs


def test_the_beam_ends_where_the_parser_does(parser: dodona.Parser) -> None:
    for sentence in treebank(4, 9, 0):
        explorer = Explorer(sentence, parser=parser)
        view = explore_beam(explorer, 4)
        last = len(view.steps) - 1
        path = view.path(last, 0)
        state, taken = explorer.follow(path)
        assert explorer.system.is_final(state)
        assert view.steps[last][0].score == sum(choice.score or 0 for choice in taken)
        if parser.settings.search.beam == 4:
            assert path == explorer.derivation("model")
        scores = [hypothesis.score for hypothesis in view.steps[last]]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.thorough
def test_a_hypothesis_is_correct_while_its_path_cost_nothing(parser: dodona.Parser) -> None:
    if not dodona.system(parser.settings.system, labels=["root"]).projective_only:
        pytest.skip("costs of swap after an error are an estimate")
    fallen = 0
    for sentence in treebank(6, 9, 0):
        explorer = Explorer(sentence, parser=parser)
        view = explore_beam(explorer, 2)
        for step, hypotheses in enumerate(view.steps):
            for place, hypothesis in enumerate(hypotheses):
                taken = explorer.follow(view.path(step, place))[1]
                assert hypothesis.is_correct == (not any(choice.cost for choice in taken))
            is_left = any(hypothesis.is_correct for hypothesis in hypotheses)
            assert is_left == (view.fell_at is None or step < view.fell_at)
        fallen += view.fell_at is not None
    assert fallen, "a parser that never errs tests nothing"


def test_what_a_correct_hypothesis_of_a_network_lacked_is_what_a_wider_beam_gives_it() -> None:
    parser, compared = dodona.load("en-small"), 0
    text = "The complex houses pilgrims. Cats like fish. Storm hits coast."
    for sentence in dodona.load("en-linear")(text):
        explorer = Explorer(sentence, parser=parser)
        view, wide = explore_beam(explorer, 2), explore_beam(explorer, 64)
        if view.fell_at is None:
            continue
        before = range(len(view.steps[view.fell_at - 1]))
        kept = [view.path(view.fell_at - 1, place) for place in before]
        found = [
            hypothesis.score
            for place, hypothesis in enumerate(wide.steps[view.fell_at])
            if hypothesis.is_correct and wide.path(view.fell_at, place)[:-1] in kept
        ]
        assert view.fell_by == view.steps[view.fell_at][-1].score - max(found) >= 0
        compared += 1
    assert compared, "nothing fell off"


def test_labels_that_the_model_never_saw_have_costs_but_no_scores() -> None:
    parser = train(treebank(40, 1))
    [sentence] = read_typed("Ask 0 root\noaks 1 newlabel")
    explorer = Explorer(sentence, parser=parser)
    unseen = [choice for choice in every_choice(explorer) if choice.label == "newlabel"]
    assert unseen and all(choice.score is None for choice in unseen)
    assert any(choice.cost == 0 for choice in unseen)
    with pytest.raises(ValueError, match="the model has system arc-eager, not swap"):
        Explorer(sentence, "swap", parser=parser)


def every_choice(explorer: Explorer) -> list[object]:
    state, found = explorer.start(), []
    for action in explorer.derivation("best"):
        found += explorer.choices(state).values()
        state = explorer.step(state, action)
    return found


def test_a_beam_needs_a_model() -> None:
    with pytest.raises(ValueError, match="beam search needs a model"):
        explore_beam(letter())


# --- sentences as people type them --------------------------------------------------------------


def test_typed_sentences_come_in_three_forms() -> None:
    conllu = (
        "# text = Ask oaks\n"
        "1\tAsk\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
        "2\toaks\t_\tNOUN\t_\t_\t1\tobj\t_\t_\n"
    )
    short = "Ask VERB 0 root\noaks NOUN 1 obj\n\nGo 0 root"
    assert read_typed(conllu)[0].heads == read_typed(short)[0].heads == [0, 1]
    assert read_typed(short)[0].upos == read_typed(conllu)[0].upos == ["VERB", "NOUN"]
    assert [len(sentence) for sentence in read_typed(short)] == [2, 1]
    assert gold_of(read_typed("Ask oaks")[0]) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "input: no sentence found"),
        ("Ask 0 root\noaks", "input:2: expected a word.* found 'oaks'"),
        ("Ask 0 root\noaks 7 obj", "input:1: .*7"),
        ("1\tAsk\t_\t_\t_\t_\t5\troot\t_\t_", "input:1: word 1 has head 5"),
    ],
)
def test_errors_in_a_typed_sentence_are_reported(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_typed(text)


def test_a_state_draws_itself_in_a_notebook() -> None:
    explorer = letter(root="first")
    state, _ = explorer.follow(read_path("SHIFT LEFT-ARC:SBJ"))
    shown = state._repr_html_()
    assert "2 —SBJ→ 1" in shown and shown.startswith("<table>")
    assert "<script" not in dodona.system("swap", labels=["<script"]).start(2)._repr_html_()


# --- rules of the treebank


def test_constraints_of_universal_dependencies_are_reported_with_a_reason() -> None:
    sentence = dodona.Sentence.from_columns(
        ["It", "speaks", "!"],
        upos=["PRON", "VERB", "PUNCT"],
        heads=[2, 0, 2],
        deprels=["nsubj", "root", "punct"],
    )
    explorer = Explorer(sentence, "arc-eager", root="first", constraints="ud")
    state, _ = explorer.follow(read_path("SHIFT LEFT-ARC:nsubj RIGHT-ARC:root"))
    choices = {str(action): choice for action, choice in explorer.choices(state).items()}
    assert choices["RIGHT-ARC:punct"].forbidden is None
    assert "tag" in (choices["RIGHT-ARC:nsubj"].forbidden or "")
    free = Explorer(sentence, "arc-eager", root="first")
    assert all(choice.forbidden is None for choice in free.choices(free.start()).values())


def test_a_model_brings_its_constraints_along() -> None:
    """The tags are wrong, so that the derivation without constraints takes forbidden actions."""
    free = train(treebank(40, 1, 0.0))
    bound, n_forbidden = free.with_constraints("ud"), 0
    for gold in treebank(20, 3, 0.0):
        sentence = gold.replace(upos=[*gold.upos[1:], gold.upos[0]])
        explorer = Explorer(sentence, parser=bound)
        path = [action for _, action in bound.trace(sentence) if action is not None]
        assert explorer.derivation("model") == path and explorer.rules is not None
        other = Explorer(sentence, parser=bound, constraints="none")
        path = [action for _, action in free.trace(sentence) if action is not None]
        assert other.derivation("model") == path and other.rules is None
        n_forbidden += sum(c.forbidden is not None for c in explorer.follow(path)[1])
    assert n_forbidden > 5


def test_rules_are_for_trees() -> None:
    sentence = dodona.Sentence.from_columns(["Ask"], heads=[0], deprels=["root"])
    with pytest.raises(ValueError, match="graph-eager builds graphs"):
        Explorer(sentence, "graph-eager", constraints="ud")
    with pytest.raises(ValueError, match="constraints must be one of none, ud"):
        Explorer(sentence, "arc-eager", constraints="iso")
